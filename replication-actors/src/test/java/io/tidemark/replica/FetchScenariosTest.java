package io.tidemark.replica;

import static io.tidemark.replica.ScenarioBatches.stored;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.LogEvent.LogStartAdvanced;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.replica.ReplicaInput.FetchAnswered;
import io.tidemark.replica.ReplicaInput.FetchArrived;
import io.tidemark.replica.ReplicaScenario.Packet;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Scenarios 11 to 19: what a fetch and its answer may change, and what not. */
class FetchScenariosTest {
  private static final int CRC = 17;
  private static final int ATTRIBUTES = 21;
  private static final int LAST_OFFSET_DELTA = 23;
  private static final int RECORD_COUNT = 57;
  private static final int A = 1;
  private static final int B = 2;
  private static final int C = 3;

  private final ReplicaScenario scenario = new ReplicaScenario(A, B, C);
  private final ScenarioReplica a = scenario.replica(A);
  private final ScenarioReplica b = scenario.replica(B);

  private static FetchResponse answer(long highWatermark, int epoch) {
    return FetchResponse.of(highWatermark, 0, A, epoch);
  }

  private Packet fetchOf(int follower) {
    return scenario.intercept(p -> p.from() == follower && p.input() instanceof FetchArrived);
  }

  private Packet answerTo(int follower) {
    return scenario.intercept(p -> p.to() == follower && p.input() instanceof FetchAnswered);
  }

  private static long requestIdOf(Packet answer) {
    return ((FetchAnswered) answer.input()).requestId();
  }

  @Test
  void s11_a_diverging_fetch_is_no_acknowledgement() {
    scenario.holdController();
    a.upTo(17, 0);
    scenario.elect(A, 1, A, B);
    scenario.crash(B);
    scenario.crash(C);
    scenario.pump();
    scenario.fetchAs(B, A, 10, 0);

    FetchResponse answer = scenario.fetchAs(B, A, 18, 0);

    assertEquals(17, answer.diverging().endOffset());
    assertEquals(10, a.highWatermark());
  }

  @Test
  void s12_the_high_watermark_of_a_diverging_answer_is_not_taken() {
    a.upTo(7, 0).with(1, "x", "y", "z");
    b.upTo(10, 0).withHighWatermark(5);
    scenario.elect(A, 1, A, B);
    scenario.persisted(A);
    scenario.deliver(fetchOf(B));
    long requestId = requestIdOf(answerTo(B));

    scenario.input(B, new FetchAnswered(requestId, answer(9, 1).divergingAt(0, 7)));
    scenario.persisted(B);

    assertEquals(7, b.end());
    assertEquals(5, b.highWatermark());
  }

  @Test
  void s13_batches_of_a_newer_epoch_than_the_followers_are_left_out() {
    b.upTo(5, 1);
    a.upTo(6, 1);
    scenario.elect(A, 1, A, B);
    scenario.persisted(A);
    scenario.deliver(fetchOf(B));
    long requestId = requestIdOf(answerTo(B));
    ByteBuffer both = ScenarioBatches.joined(stored(1, 5, "own"), stored(2, 6, "newer"));

    scenario.input(B, new FetchAnswered(requestId, answer(5, 1).withRecords(both)));
    scenario.persisted(B);

    assertEquals(6, b.end());
    assertTrue(b.warnings.get(0).contains("epoch 2"), b.warnings.toString());
  }

  @Test
  void s14_an_answer_that_comes_after_the_promotion_is_dropped() {
    scenario.elect(A, 0, A, B);
    scenario.settle();
    scenario.produce(A, Acks.LEADER, "m0");
    scenario.pump();
    scenario.produce(A, Acks.LEADER, "late");
    scenario.persisted(A);
    Packet late = answerTo(B);
    long endBefore = b.end();

    scenario.elect(B, 1, B);
    scenario.pump();
    scenario.deliver(late);
    scenario.pump();

    assertTrue(b.core.isLeader());
    assertEquals(endBefore, b.end());
  }

  @Test
  void followers_write_what_the_leader_still_writes_and_it_counts_when_all_have_it() {
    scenario.elect(A, 0, A, B, C);
    scenario.settle();
    scenario.produce(A, Acks.LEADER, "m0");

    for (int follower : List.of(B, C)) {
      scenario.deliver(answerTo(follower));
      scenario.persisted(follower);
      scenario.deliver(fetchOf(follower));
      assertEquals(1, scenario.replica(follower).end());
    }

    assertTrue(a.disk.isWriting());
    assertEquals(0, a.end());
    assertEquals(0, a.highWatermark());

    scenario.persisted(A);

    assertEquals(1, a.highWatermark());
  }

  @Test
  void what_was_shown_and_then_lost_is_cut_from_the_follower_that_has_it() {
    scenario.elect(A, 0, A, B);
    scenario.settle();
    long before = a.highWatermark();
    scenario.produce(A, Acks.LEADER, "lost");
    scenario.deliver(answerTo(B));
    scenario.persisted(B);
    assertEquals(before + 1, b.end());

    scenario.crash(A);
    scenario.restart(A);
    scenario.elect(A, 1, A);
    scenario.pump();
    scenario.produce(A, Acks.LEADER, "new");
    scenario.settle();

    assertEquals(a.log(), b.log());
    assertEquals(before + 1, b.end());
  }

  @Test
  void s14_an_answer_that_is_being_written_at_the_promotion_is_written_before_it_leads() {
    scenario.elect(A, 0, A, B);
    scenario.settle();
    scenario.produce(A, Acks.LEADER, "m0");
    scenario.persisted(A);
    scenario.deliver(answerTo(B));
    assertTrue(b.disk.isWriting());

    scenario.elect(B, 1, B);
    assertFalse(b.core.isLeader());
    scenario.pump();

    assertTrue(b.core.isLeader());
    assertEquals("0@0 1@1", b.epochs());
  }

  @Test
  void s15_an_answer_that_comes_twice_is_taken_once() {
    scenario.elect(A, 0, A, B);
    scenario.settle();
    scenario.produce(A, Acks.LEADER, "m0");
    scenario.persisted(A);
    Packet answer = answerTo(B);

    scenario.deliver(answer);
    scenario.deliver(answer);
    scenario.settle();
    scenario.deliver(answer);
    scenario.settle();

    assertEquals(a.log(), b.log());
    assertEquals(1, b.end());
  }

  @Test
  void s15_an_answer_to_an_older_fetch_is_not_taken() {
    b.upTo(5, 0);
    a.upTo(5, 0);
    scenario.elect(A, 0, A, B);
    scenario.settle();
    scenario.produce(A, Acks.LEADER, "m5");
    scenario.persisted(A);
    Packet five = answerTo(B);
    scenario.pass(ReplicaSettings.DEFAULT.requestTimeoutMs() + 10_000);

    scenario.input(
        B, new FetchAnswered(requestIdOf(five), answer(9, 0).withRecords(stored(0, 9, "m9"))));
    scenario.deliver(five);

    assertEquals(5, b.end());
    scenario.settle();
    assertEquals(a.log(), b.log());
  }

  @Test
  void s16_an_old_fetch_does_not_take_the_high_watermark_back() {
    a.upTo(12, 0);
    scenario.elect(A, 0, A, B);
    scenario.crash(B);
    scenario.crash(C);
    scenario.pump();
    scenario.fetchAs(B, A, 12, 0);

    scenario.fetchAs(B, A, 8, 0);

    assertEquals(12, a.highWatermark());
  }

  @Test
  void s16_a_fetch_of_an_older_incarnation_changes_nothing() {
    scenario.holdController();
    a.upTo(12, 0);
    scenario.elect(A, 0, A, B);
    scenario.crash(B);
    scenario.crash(C);
    scenario.pump();
    FetchRequest old = scenario.request(B, 12, 0, 0);
    b.brokerEpoch++;
    scenario.fetchAs(B, A, 4, 0);

    FetchResponse answer = scenario.fetch(A, old);

    assertEquals(ErrorCode.NOT_LEADER_OR_FOLLOWER, answer.error());
    assertEquals(4, a.highWatermark());
  }

  @Test
  void s17_a_high_watermark_beyond_the_recovered_log_is_its_end() {
    b.upTo(15, 0).withHighWatermark(20);
    scenario.elect(A, 0, A);

    assertEquals(15, b.highWatermark());
  }

  @Test
  void s17_a_high_watermark_below_the_start_is_the_start() {
    b.upTo(15, 0).with(new LogStartAdvanced(10));
    b.withHighWatermark(3);
    scenario.elect(A, 0, A);

    assertEquals(10, b.highWatermark());
  }

  @Test
  void s18_a_follower_goes_back_with_a_new_leader_but_loses_nothing() {
    a.upTo(10, 0).withHighWatermark(8);
    b.upTo(10, 0).withHighWatermark(10);
    scenario.elect(A, 1, A, B, C);
    scenario.crash(C);
    scenario.holdController();
    scenario.settle();
    scenario.pass(ReplicaSettings.DEFAULT.fetchMaxWaitMs());
    scenario.settle();

    assertEquals(8, a.highWatermark());
    assertEquals(8, b.highWatermark());
    assertEquals(10, b.end());
  }

  @Test
  void s19_a_new_leader_does_not_tell_the_latest_offset_before_it_knows() {
    a.upTo(5, 0).withHighWatermark(2);
    b.upTo(5, 0).withHighWatermark(5);
    scenario.elect(A, 1, A, B);
    scenario.persisted(A);

    assertEquals(ErrorCode.OFFSET_NOT_AVAILABLE, scenario.latest(A).error());
    scenario.settle();

    assertEquals(5, scenario.latest(A).offset());
  }

  @Test
  void a_batch_whose_numbers_are_wrong_is_not_appended() {
    a.upTo(5, 0);
    b.upTo(5, 0);
    scenario.elect(A, 0, A, B);
    scenario.persisted(A);
    scenario.deliver(fetchOf(B));
    long requestId = requestIdOf(answerTo(B));
    ByteBuffer backwards = stored(0, 5, "m");
    backwards.putInt(LAST_OFFSET_DELTA, -1).putInt(RECORD_COUNT, 0);
    CRC32C crc = new CRC32C();
    crc.update(backwards.slice(ATTRIBUTES, backwards.limit() - ATTRIBUTES));
    backwards.putInt(CRC, (int) crc.getValue());

    scenario.input(B, new FetchAnswered(requestId, answer(5, 0).withRecords(backwards)));

    assertFalse(b.disk.isWriting());
    assertEquals(1, b.warnings.size());
  }

  @Test
  void s39_a_batch_that_does_not_match_its_checksum_is_not_appended_and_asked_for_again() {
    a.upTo(6, 0);
    b.upTo(5, 0);
    scenario.elect(A, 0, A, B);
    scenario.persisted(A);
    scenario.deliver(fetchOf(B));
    long requestId = requestIdOf(answerTo(B));
    ByteBuffer damaged = stored(0, 5, "m5");
    damaged.put(damaged.limit() - 2, (byte) 'x');

    scenario.input(B, new FetchAnswered(requestId, answer(5, 0).withRecords(damaged)));

    assertFalse(b.disk.isWriting());
    assertEquals(5, b.end());
    assertTrue(b.warnings.get(0).startsWith("refused"), b.warnings.toString());
  }
}
