package io.tidemark.replica;

import static io.tidemark.replica.ScenarioBatches.batch;
import static io.tidemark.replica.ScenarioBatches.batchOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.ProduceRequest.Acks;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A leader's writes, with the only follower's fetches in the test's hands. */
class ProducesTest {
  private static final int A = 1;
  private static final int B = 2;
  private static final long PRODUCER = 9;

  private ReplicaScenario scenario = new ReplicaScenario(A, B);
  private ScenarioReplica a = scenario.replica(A);

  @BeforeEach
  void lead() {
    scenario.holdController();
    scenario.elect(A, 0, A, B);
    scenario.crash(B);
    scenario.pump();
  }

  private long write(Acks acks, int sequence, String... values) {
    return scenario.produce(A, acks, batchOf(PRODUCER, 0, sequence, values));
  }

  private void followerHas(long offset) {
    scenario.fetchAs(B, A, offset, 0);
  }

  private long offsetOf(long token) {
    assertEquals(ErrorCode.NONE, scenario.errorOf(token));
    return scenario.answerTo(token).baseOffset();
  }

  @Test
  void without_acks_the_answer_comes_when_the_leader_has_taken_it_before_its_disk() {
    long taken = scenario.produce(A, Acks.NONE, "m");

    assertEquals(0, a.end());
    assertEquals(ErrorCode.NONE, scenario.errorOf(taken));
    scenario.pump();
    assertEquals(1, a.end());
  }

  @Test
  void with_the_leaders_ack_the_answer_comes_when_its_log_has_it() {
    long written = scenario.produce(A, Acks.LEADER, "m");
    assertNull(scenario.answerTo(written));

    scenario.persisted(A);

    assertEquals(0, offsetOf(written));
  }

  @Test
  void with_all_acks_the_answer_comes_when_the_followers_have_it() {
    long written = scenario.produce(A, Acks.ALL, "m");
    scenario.pump();
    assertNull(scenario.answerTo(written));

    followerHas(1);

    assertEquals(0, offsetOf(written));
  }

  @Test
  void writes_that_come_while_the_disk_is_busy_are_one_event() {
    scenario.produce(A, Acks.LEADER, "first");
    scenario.produce(A, Acks.LEADER, "second");
    scenario.produce(A, Acks.LEADER, "third");
    long before = a.disk.state().sequenceNr();

    scenario.pump();

    assertEquals(before + 2, a.disk.state().sequenceNr());
    assertEquals(3, a.end());
  }

  @Test
  void a_repeat_of_a_batch_in_flight_appends_nothing() {
    long first = write(Acks.LEADER, 0, "m");
    long repeat = write(Acks.LEADER, 0, "m");

    scenario.pump();

    assertEquals(1, a.end());
    assertEquals(0, offsetOf(first));
    assertEquals(0, offsetOf(repeat));
  }

  @Test
  void a_repeat_of_a_gathered_batch_appends_nothing() {
    write(Acks.LEADER, 0, "in flight");
    write(Acks.LEADER, 1, "gathered");
    long repeat = write(Acks.LEADER, 1, "gathered");

    scenario.pump();

    assertEquals(2, a.end());
    assertEquals(1, offsetOf(repeat));
  }

  @Test
  void a_repeat_of_a_durable_batch_is_not_acknowledged_before_all_have_it() {
    write(Acks.ALL, 0, "m");
    scenario.pump();
    long repeat = write(Acks.ALL, 0, "m");
    scenario.pump();
    assertNull(scenario.answerTo(repeat));

    followerHas(1);

    assertEquals(0, offsetOf(repeat));
    assertEquals(1, a.end());
  }

  @Test
  void the_last_five_batches_of_a_producer_are_known() {
    for (int sequence = 0; sequence < 9; sequence++) {
      write(Acks.LEADER, sequence, "m");
      scenario.pump();
      followerHas(sequence + 1);
    }

    assertEquals(4, offsetOf(write(Acks.LEADER, 4, "m")));
    assertEquals(9, a.end());
  }

  @Test
  void a_gap_is_refused() {
    write(Acks.LEADER, 0, "m");

    assertEquals(ErrorCode.OUT_OF_ORDER_SEQUENCE, scenario.errorOf(write(Acks.LEADER, 2, "m")));
  }

  @Test
  void any_sequence_of_an_unknown_producer_is_accepted() {
    long written = write(Acks.LEADER, 41, "m");
    scenario.pump();

    assertEquals(0, offsetOf(written));
  }

  @Test
  void sequences_go_on_from_zero_behind_the_largest() {
    write(Acks.LEADER, Integer.MAX_VALUE - 1, "last but one", "last");
    long wrapped = write(Acks.LEADER, 0, "first again");
    scenario.pump();

    assertEquals(2, offsetOf(wrapped));
  }

  @Test
  void a_batch_may_lie_across_the_largest_sequence() {
    write(Acks.LEADER, Integer.MAX_VALUE, "last", "first again");
    long next = write(Acks.LEADER, 1, "second");
    scenario.pump();

    assertEquals(2, offsetOf(next));
  }

  @Test
  void an_older_producer_epoch_is_refused_and_a_newer_one_starts_at_zero() {
    write(Acks.LEADER, 0, "m");
    long late = scenario.produce(A, Acks.LEADER, batchOf(PRODUCER, 1, 1, "not the first"));
    long first = scenario.produce(A, Acks.LEADER, batchOf(PRODUCER, 1, 0, "the first"));
    scenario.pump();
    long older = write(Acks.LEADER, 1, "of epoch 0");

    assertEquals(ErrorCode.OUT_OF_ORDER_SEQUENCE, scenario.errorOf(late));
    assertEquals(1, offsetOf(first));
    assertEquals(ErrorCode.INVALID_PRODUCER_EPOCH, scenario.errorOf(older));
  }

  @Test
  void what_the_disk_is_behind_is_bounded() {
    scenario =
        new ReplicaScenario(
            new ReplicaSettings(1 << 20, 500, 1, 30_000, 2_000, 50, 2_000, 30_000), A);
    a = scenario.replica(A);
    scenario.elect(A, 0, A);
    scenario.pump();
    String large = "x".repeat(1_500);
    scenario.produce(A, Acks.LEADER, large);

    long refused = scenario.produce(A, Acks.LEADER, large);
    assertEquals(ErrorCode.REQUEST_TIMED_OUT, scenario.errorOf(refused));
    scenario.pump();
    long accepted = scenario.produce(A, Acks.LEADER, large);
    scenario.pump();

    assertEquals(1, offsetOf(accepted));
  }

  @Test
  void two_batches_in_one_request_are_refused() {
    ByteBuffer both = ScenarioBatches.joined(batch("a"), batch("b"));

    assertEquals(ErrorCode.INVALID_REQUEST, scenario.errorOf(scenario.produce(A, Acks.ALL, both)));
  }

  @Test
  void a_write_that_the_followers_do_not_confirm_ends_as_unknown() {
    long written = scenario.produce(A, Acks.ALL, "m");
    scenario.pump();

    scenario.pass(30_000);

    assertEquals(ErrorCode.REQUEST_TIMED_OUT, scenario.errorOf(written));
  }

  @Test
  void a_write_whose_disk_fails_ends_as_unknown_and_the_replica_leads_no_more() {
    long written = scenario.produce(A, Acks.LEADER, "m");

    scenario.input(A, new ReplicaInput.LogFailed());
    scenario.tell(A);

    assertEquals(ErrorCode.NOT_LEADER_OR_FOLLOWER, scenario.errorOf(written));
    long after = scenario.produce(A, Acks.LEADER, "m");
    assertEquals(ErrorCode.NOT_LEADER_OR_FOLLOWER, scenario.errorOf(after));
  }

  @Test
  void nothing_is_written_before_the_epochs_own_entry_is_durable() {
    scenario.elect(A, 1, A, B);

    long early = scenario.produce(A, Acks.LEADER, "m");

    assertEquals(ErrorCode.LEADER_NOT_AVAILABLE, scenario.errorOf(early));
  }
}
