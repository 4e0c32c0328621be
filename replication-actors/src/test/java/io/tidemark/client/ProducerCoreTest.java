package io.tidemark.client;

import static io.tidemark.client.ProducerFixture.SETTINGS;
import static io.tidemark.client.ProducerFixture.batchOf;
import static io.tidemark.client.ProducerFixture.lingering;
import static io.tidemark.client.ProducerFixture.sequences;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.client.ProducerEffect.AskProducerId;
import io.tidemark.client.ProducerEffect.Failed;
import io.tidemark.client.ProducerEffect.Flushed;
import io.tidemark.client.ProducerEffect.ForgetReplica;
import io.tidemark.client.ProducerEffect.SendBatch;
import io.tidemark.client.ProducerEffect.Succeeded;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.record.Compression;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProducerCoreTest {
  private final ProducerFixture producer = ProducerFixture.ready(SETTINGS);

  private static ProducerCoreSettings with(Acks acks) {
    return new ProducerCoreSettings(
        acks,
        ProducerFixture.FULL_AT_ONCE,
        Duration.ZERO,
        Compression.NONE,
        Duration.ofSeconds(120),
        Duration.ofSeconds(5),
        Duration.ofMillis(50));
  }

  @Test
  void at_most_five_batches_are_in_flight() {
    producer.sendEach(7);

    assertEquals(List.of(1, 2, 3, 4, 5), sequences(producer.sent()));
  }

  @Test
  void a_batch_that_is_not_full_gets_more_records_while_another_is_under_way() {
    ProducerFixture lazy = ProducerFixture.ready(ProducerFixture.lingering(0));
    lazy.sendEach(5);
    List<SendBatch> first = lazy.sent();
    assertEquals(1, first.size());

    lazy.ok(first.get(0), 0);

    List<SendBatch> second = lazy.sent();
    assertEquals(1, second.size());
    assertEquals(4, batchOf(second.get(0)).recordCount());
  }

  @Test
  void records_that_could_not_leave_anyway_gather_to_four_times_the_batch_size() {
    ProducerFixture busy = ProducerFixture.ready(ProducerFixture.lingering(0));
    for (int i = 0; i < 40; i++) {
      busy.send("x".repeat(21_000));
    }
    List<SendBatch> first = busy.sent();
    assertEquals(
        List.of(1, 3, 3, 3, 3), first.stream().map(it -> batchOf(it).recordCount()).toList());

    busy.ok(first.get(0), 0);

    List<SendBatch> next = busy.sent();
    assertEquals(List.of(12), next.stream().map(it -> batchOf(it).recordCount()).toList());
  }

  @Test
  void the_first_batch_of_an_identity_travels_alone() {
    ProducerFixture fresh = new ProducerFixture(SETTINGS);
    fresh.leader(1, 1);
    fresh.send("first");
    fresh.effects.addAll(fresh.core.producerIdGiven(77, fresh.now));
    fresh.sendEach(2);
    assertEquals(List.of(0), sequences(fresh.sent()));

    // Lost: what comes again is the first batch alone, to this leader or to another.
    fresh.leader(2, 2);
    List<SendBatch> again = fresh.sent();
    assertEquals(List.of(0), sequences(again));
    fresh.ok(again.get(0), 0);

    assertEquals(List.of(1, 2), sequences(fresh.sent()));
  }

  @Test
  void a_retry_sends_all_again_in_their_order() {
    producer.sendEach(3);
    List<SendBatch> first = producer.sent();

    producer.refuse(first.get(1), ErrorCode.NOT_LEADER_OR_FOLLOWER);
    assertTrue(producer.sent().isEmpty());
    producer.pass(50);

    assertEquals(List.of(1, 2, 3), sequences(producer.sent()));
  }

  @Test
  void out_of_order_behind_an_unsettled_batch_is_retried() {
    producer.sendEach(2);
    List<SendBatch> first = producer.sent();

    producer.refuse(first.get(1), ErrorCode.OUT_OF_ORDER_SEQUENCE);
    producer.pass(50);

    assertTrue(producer.take(Failed.class).isEmpty());
    assertEquals(List.of(1, 2), sequences(producer.sent()));
  }

  @Test
  void out_of_order_of_the_first_batch_is_final_and_costs_the_identity() {
    producer.sendEach(2);
    List<SendBatch> first = producer.sent();

    producer.refuse(first.get(0), ErrorCode.OUT_OF_ORDER_SEQUENCE);
    producer.send("behind");
    assertTrue(producer.sent().isEmpty());
    producer.refuse(first.get(1), ErrorCode.OUT_OF_ORDER_SEQUENCE);

    assertEquals(2, producer.take(Failed.class).size());
    assertEquals(1, producer.take(AskProducerId.class).size());
    producer.effects.addAll(producer.core.producerIdGiven(78, producer.now));
    SendBatch fresh = producer.sent().get(0);
    assertEquals(78, batchOf(fresh).producerId());
    assertEquals(0, batchOf(fresh).baseSequence());
  }

  @Test
  void a_failure_of_an_attempt_that_was_repeated_since_does_not_count() {
    producer.sendEach(1);
    SendBatch first = producer.sent().get(0);
    producer.leader(2, 2);
    SendBatch second = producer.sent().get(0);

    producer.refuse(first, ErrorCode.INVALID_PRODUCER_EPOCH);
    assertTrue(producer.take(Failed.class).isEmpty());
    producer.ok(second, 4);

    assertEquals(
        List.of(new Succeeded(new ProducerFixture.Numbered(0), 0, 4)),
        producer.take(Succeeded.class));
  }

  @Test
  void a_new_leader_gets_what_is_in_flight_at_once() {
    producer.sendEach(2);
    producer.refuse(producer.sent().get(0), ErrorCode.NOT_LEADER_OR_FOLLOWER);

    producer.leader(2, 2);

    List<SendBatch> again = producer.sent();
    assertEquals(List.of(1, 2), sequences(again));
    assertTrue(again.stream().allMatch(batch -> batch.leaderId() == 2));
  }

  @Test
  void an_answer_that_does_not_come_makes_it_look_for_the_replica_and_send_again() {
    producer.sendEach(1);
    producer.sent();

    producer.pass(5_000);

    assertEquals(List.of(new ForgetReplica(0, 1)), producer.take(ForgetReplica.class));
    assertEquals(List.of(1), sequences(producer.sent()));
  }

  @Test
  void s52_after_a_delivery_time_out_a_new_identity_waits_until_all_in_flight_are_settled() {
    producer.sendEach(1);
    producer.pass(60_000);
    producer.sendEach(1);
    List<SendBatch> last = producer.sent();
    producer.pass(60_000);
    producer.send("behind");

    Failed failed = producer.take(Failed.class).get(0);
    assertEquals(ErrorCode.REQUEST_TIMED_OUT, failed.error());
    assertTrue(failed.mayBeWritten());
    assertTrue(producer.take(AskProducerId.class).isEmpty());
    List<SendBatch> again = producer.sent();
    SendBatch second = again.isEmpty() ? last.get(last.size() - 1) : again.get(again.size() - 1);
    producer.refuse(second, ErrorCode.OUT_OF_ORDER_SEQUENCE);

    assertEquals(1, producer.take(AskProducerId.class).size());
  }

  @Test
  void a_topic_that_was_created_anew_is_followed_although_its_leader_epochs_begin_anew() {
    producer.leader(1, 9);
    producer.topicIsNew();

    producer.leader(2, 0);
    producer.sendEach(1);

    SendBatch sent = producer.sent().get(0);
    assertEquals(2, sent.leaderId());
    assertEquals(8, sent.request().partition().topicId().getLeastSignificantBits());
  }

  @Test
  void a_lost_answer_does_not_let_the_leader_forget_the_batch() {
    producer.sendEach(8);
    List<SendBatch> first = producer.sent();

    for (int i = 1; i < first.size(); i++) {
      producer.ok(first.get(i), i);
    }

    assertTrue(sequences(producer.sent()).isEmpty());
    producer.pass(50);
    SendBatch retry = producer.sent().get(0);
    assertEquals(1, batchOf(retry).baseSequence());
    assertTrue(producer.take(Succeeded.class).isEmpty());
    producer.ok(retry, 0);
    assertEquals(
        List.of(0L, 1L, 2L, 3L, 4L),
        producer.take(Succeeded.class).stream().map(Succeeded::offset).toList());
    assertEquals(List.of(6, 7, 8), sequences(producer.sent()));
  }

  @Test
  void records_that_arrive_within_the_linger_travel_together() {
    ProducerFixture patient = ProducerFixture.ready(lingering(5));
    patient.send("a");
    patient.send("b");
    assertTrue(patient.sent().isEmpty());

    patient.pass(5);

    assertEquals(2, batchOf(patient.sent().get(0)).recordCount());
  }

  @Test
  void a_flush_does_not_linger_and_is_done_when_all_is_settled() {
    ProducerFixture patient = ProducerFixture.ready(lingering(5_000));
    patient.send("a");

    patient.effects.addAll(patient.core.flush(9, patient.now));
    List<SendBatch> sent = patient.sent();
    assertTrue(patient.take(Flushed.class).isEmpty());
    patient.ok(sent.get(0), 3);

    assertEquals(List.of(new Flushed(9)), patient.take(Flushed.class));
  }

  @Test
  void a_flush_does_not_wait_for_what_is_sent_after_it() {
    producer.send("before");
    List<SendBatch> sent = producer.sent();
    producer.effects.addAll(producer.core.flush(1_000, producer.now));
    producer.effects.addAll(
        producer.core.send(
            new ProducerFixture.Numbered(1_001),
            new ProducerRecord<>("topic", 0, null, ByteBuffer.allocate(1)),
            producer.now));

    producer.ok(sent.get(0), 0);

    assertEquals(List.of(new Flushed(1_000)), producer.take(Flushed.class));
  }

  @Test
  void a_flush_ends_when_what_it_waits_for_is_refused_as_soon_as_the_topic_is_known() {
    ProducerFixture early = new ProducerFixture(SETTINGS);
    early.send("x".repeat(5_000));
    early.effects.addAll(early.core.flush(9, 0));

    early.leader(1, 1, 1_000);

    assertEquals(ErrorCode.RECORD_TOO_LARGE, early.take(Failed.class).get(0).error());
    assertEquals(List.of(new Flushed(9)), early.take(Flushed.class));
  }

  @Test
  void without_acks_a_flush_ends_when_the_leader_has_taken_the_batch() {
    ProducerFixture careless = new ProducerFixture(with(Acks.NONE));
    careless.send("a");
    careless.effects.addAll(careless.core.flush(9, 0));

    careless.leader(1, 1);
    assertTrue(careless.take(Flushed.class).isEmpty());
    careless.ok(careless.sent().get(0), 0);

    assertEquals(List.of(new Flushed(9)), careless.take(Flushed.class));
  }

  @Test
  void without_acks_what_the_leader_has_not_taken_makes_the_sender_wait() {
    ProducerFixture careless = ProducerFixture.ready(with(Acks.NONE));
    careless.sendEach(7);
    List<SendBatch> first = careless.sent();

    careless.ok(first.get(0), 0);
    careless.refuse(first.get(1), ErrorCode.NOT_LEADER_OR_FOLLOWER);

    assertEquals(5, first.size());
    assertEquals(2, careless.sent().size());
    assertEquals(2, careless.take(Succeeded.class).size());
  }

  @Test
  void without_acks_nothing_is_sent_twice_and_a_lost_answer_makes_room_after_a_while() {
    ProducerFixture careless = ProducerFixture.ready(with(Acks.NONE));
    careless.sendEach(6);
    assertEquals(5, careless.sent().size());

    careless.leader(2, 2);
    assertTrue(careless.sent().isEmpty());
    careless.pass(5_000);

    assertEquals(1, careless.sent().size());
    assertTrue(careless.take(Failed.class).isEmpty());
  }

  @Test
  void only_with_acks_all_batches_carry_sequences_that_a_loss_would_break() {
    for (Acks acks : List.of(Acks.NONE, Acks.LEADER)) {
      ProducerFixture careless = new ProducerFixture(with(acks));
      careless.leader(1, 1);

      careless.send("a");

      assertFalse(batchOf(careless.sent().get(0)).hasProducerId());
      assertTrue(careless.take(ProducerEffect.AskProducerId.class).isEmpty());
    }
  }

  @Test
  void with_the_leaders_ack_a_batch_waits_for_the_one_before_it() {
    ProducerFixture one = ProducerFixture.ready(with(Acks.LEADER));
    one.sendEach(2);
    List<SendBatch> first = one.sent();

    one.ok(first.get(0), 0);

    assertEquals(1, first.size());
    assertEquals(1, one.sent().size());
  }

  @Test
  void a_record_above_the_topics_limit_is_refused_and_names_it() {
    producer.leader(1, 2, 1_000);

    producer.send("x".repeat(1_000));

    Failed failed = producer.take(Failed.class).get(0);
    assertEquals(ErrorCode.RECORD_TOO_LARGE, failed.error());
    assertTrue(failed.reason().contains("1000"), failed.reason());
    assertFalse(failed.mayBeWritten());
  }

  @Test
  void a_refusal_after_an_unanswered_attempt_does_not_say_that_nothing_was_written() {
    producer.sendEach(1);
    producer.sent();
    producer.pass(40_000);
    SendBatch again = producer.sent().get(0);

    producer.refuse(again, ErrorCode.OUT_OF_ORDER_SEQUENCE);

    assertTrue(producer.take(Failed.class).get(0).mayBeWritten());
  }

  @Test
  void batches_stay_below_the_topics_limit() {
    ProducerFixture patient = new ProducerFixture(lingering(5));
    patient.leader(1, 1, 1_000);
    for (int i = 0; i < 10; i++) {
      patient.send("x".repeat(300));
    }

    patient.effects.addAll(patient.core.producerIdGiven(77, patient.now));

    List<SendBatch> sent = patient.sent();
    assertFalse(sent.isEmpty());
    assertTrue(sent.stream().allMatch(batch -> batchOf(batch).sizeInBytes() <= 1_000));
  }
}
