package io.tidemark.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.ProduceRequest.Acks;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Fetches that wait at a leader. */
class ParkedFetchesTest {
  private static final int A = 1;
  private static final int B = 2;
  private static final int C = 3;

  private final ReplicaScenario scenario = new ReplicaScenario(A, B, C);

  @BeforeEach
  void lead() {
    scenario.holdController();
    scenario.elect(A, 0, A, B, C);
    scenario.crash(B);
    scenario.crash(C);
    scenario.pump();
  }

  private long fetch(int follower, long offset, long highWatermark, int minBytes) {
    FetchRequest any = scenario.request(follower, offset, 0, 500);
    return scenario.ask(
        A,
        new FetchRequest(
            follower,
            any.brokerEpoch(),
            null,
            any.maxWaitMs(),
            minBytes,
            any.partition(),
            any.leaderEpoch(),
            offset,
            offset,
            0,
            0,
            any.maxBytes(),
            highWatermark,
            ""));
  }

  private void append(String value) {
    scenario.produce(A, Acks.LEADER, value);
    scenario.pump();
  }

  @Test
  void a_fetch_at_the_end_is_answered_when_a_record_is_being_written() {
    long waiting = fetch(B, 0, 0, 1);
    assertNull(scenario.fetchedBy(waiting));

    scenario.produce(A, Acks.LEADER, "m");

    assertTrue(scenario.fetchedBy(waiting).records().hasRemaining());
    assertEquals(0, scenario.fetchedBy(waiting).highWatermark());
  }

  @Test
  void a_fetch_waits_for_as_many_bytes_as_it_asks_for() {
    long waiting = fetch(B, 0, 0, 200);
    append("short");
    assertNull(scenario.fetchedBy(waiting));

    append("x".repeat(200));

    assertTrue(scenario.fetchedBy(waiting).records().hasRemaining());
  }

  @Test
  void a_fetch_ends_with_what_there_is_when_its_time_is_over() {
    long waiting = fetch(B, 0, 0, 200);
    append("short");

    scenario.pass(500);

    assertTrue(scenario.fetchedBy(waiting).records().hasRemaining());
  }

  @Test
  void a_followers_next_fetch_ends_the_one_before_without_records() {
    long older = fetch(B, 0, 0, 1);
    long newer = fetch(B, 0, 0, 1);
    assertFalse(scenario.fetchedBy(older).records().hasRemaining());
    assertNull(scenario.fetchedBy(newer));

    append("m");

    assertTrue(scenario.fetchedBy(newer).records().hasRemaining());
  }

  @Test
  void news_of_the_high_watermark_is_told_at_once_but_not_again_within_5_ms() {
    append("m0");
    append("m1");
    long first = fetch(B, 2, 0, 1);
    assertNull(scenario.fetchedBy(first));
    fetch(C, 1, 0, 1);
    assertEquals(1, scenario.fetchedBy(first).highWatermark());

    long second = fetch(B, 2, 1, 1);
    fetch(C, 2, 1, 1);
    assertNull(scenario.fetchedBy(second));
    assertTrue(
        scenario.replica(A).core.nextDeadline(scenario.now())
            <= scenario.now() + 5 * ReplicaScenario.MS);
    scenario.pass(5);

    assertEquals(2, scenario.fetchedBy(second).highWatermark());
    assertFalse(scenario.fetchedBy(second).records().hasRemaining());
  }

  @Test
  void a_fetch_ends_when_leadership_does_and_is_not_sent_back_here() {
    long waiting = fetch(B, 0, 0, 1);

    scenario.elect(C, 1, C);

    assertEquals(ErrorCode.NOT_LEADER_OR_FOLLOWER, scenario.fetchedBy(waiting).error());
    assertEquals(-1, scenario.fetchedBy(waiting).currentLeader().leaderId());
  }

  @Test
  void a_reader_is_woken_by_the_high_watermark() {
    long waiting = scenario.read(A, 0, 500);
    append("m");
    assertNull(scenario.fetchedBy(waiting));

    fetch(B, 1, 0, 1);
    fetch(C, 1, 0, 1);

    assertTrue(scenario.fetchedBy(waiting).records().hasRemaining());
  }

  @Test
  void nothing_is_answered_before_the_epochs_own_entry_is_durable() {
    scenario.elect(A, 1, A, B, C);

    assertEquals(ErrorCode.UNKNOWN_LEADER_EPOCH, scenario.fetchAs(B, A, 0, -1).error());
  }

  @Test
  void the_epoch_is_checked_before_the_role() {
    scenario.elect(C, 2, C);

    FetchRequest newer = FetchRequest.reader(ReplicaScenario.PARTITION, 3, 0, 0, 1);
    FetchRequest older = FetchRequest.reader(ReplicaScenario.PARTITION, 1, 0, 0, 1);

    assertEquals(ErrorCode.UNKNOWN_LEADER_EPOCH, scenario.fetch(A, newer).error());
    assertEquals(ErrorCode.FENCED_LEADER_EPOCH, scenario.fetch(A, older).error());
  }
}
