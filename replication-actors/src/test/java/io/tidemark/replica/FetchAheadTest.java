package io.tidemark.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.replica.ReplicaInput.FetchAnswered;
import io.tidemark.replica.ReplicaInput.FetchArrived;
import io.tidemark.replica.ReplicaScenario.Packet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A follower that is behind what is committed: it fetches on while its disk is busy. */
class FetchAheadTest {
  private static final int A = 1;
  private static final int B = 2;
  private static final int RECORD = 1_000;

  /** An answer holds one batch. */
  private final ReplicaScenario scenario =
      new ReplicaScenario(new ReplicaSettings(1, 500, 1, 30_000, 2_000, 50, 1 << 20, 30_000), A, B);

  private final ScenarioReplica a = scenario.replica(A);
  private final ScenarioReplica b = scenario.replica(B);

  @BeforeEach
  void tenCommittedBatches() {
    for (int i = 0; i < 10; i++) {
      a.with(0, "x".repeat(RECORD));
    }
    a.withHighWatermark(10);
  }

  /** A leads alone; B has nothing, and its first answer is being written. */
  private void begin() {
    scenario.elect(A, 1, A);
    scenario.persisted(A);
    scenario.holdDisks();
    askHowFar();
    scenario.deliver(fetch());
    scenario.deliver(answer());
    assertTrue(b.disk.isWriting());
    assertEquals(0, b.end());
  }

  private void askHowFar() {
    scenario.deliver(fetch());
    scenario.deliver(answer());
  }

  private Packet fetch() {
    return scenario.intercept(p -> p.from() == B && p.input() instanceof FetchArrived);
  }

  private Packet answer() {
    return scenario.intercept(p -> p.to() == B && p.input() instanceof FetchAnswered);
  }

  private static FetchRequest requestIn(Packet packet) {
    return ((FetchArrived) packet.input()).request();
  }

  private static Packet answeredInstead(Packet answer, FetchResponse response) {
    long requestId = ((FetchAnswered) answer.input()).requestId();
    return new Packet(answer.from(), answer.to(), new FetchAnswered(requestId, response));
  }

  @Test
  void it_asks_for_what_follows_the_append_and_acknowledges_only_what_is_durable() {
    begin();

    FetchRequest first = requestIn(fetch());
    scenario.persisted(B);

    assertEquals(1, first.fetchOffset());
    assertEquals(0, first.ackOffset());
    assertEquals(0, first.lastFetchedEpoch());
    assertEquals(0, first.maxWaitMs());
    assertTrue(scenario.network.isEmpty(), "one request at a time");
  }

  @Test
  void an_answer_that_comes_early_waits_for_the_disk() {
    begin();
    scenario.deliver(fetch());
    scenario.deliver(answer());
    assertEquals(0, b.end());
    assertTrue(scenario.network.isEmpty());

    scenario.persisted(B);

    assertEquals(1, b.end());
    assertTrue(b.disk.isWriting());
    FetchRequest next = requestIn(fetch());
    assertEquals(2, next.fetchOffset());
    assertEquals(1, next.ackOffset());
  }

  @Test
  void an_answer_that_comes_late_is_written_at_once() {
    begin();
    scenario.deliver(fetch());
    scenario.persisted(B);
    assertFalse(b.disk.isWriting());

    scenario.deliver(answer());
    scenario.persisted(B);

    assertEquals(2, b.end());
  }

  @Test
  void at_the_end_of_what_is_committed_it_waits_for_its_disk_and_acknowledges_all() {
    begin();
    while (b.end() < 9) {
      scenario.deliver(fetch());
      scenario.deliver(answer());
      scenario.persisted(B);
    }
    assertTrue(b.disk.isWriting());
    assertTrue(scenario.network.isEmpty());

    scenario.persisted(B);

    FetchRequest last = requestIn(fetch());
    assertEquals(10, last.fetchOffset());
    assertEquals(10, last.ackOffset());
    assertEquals(500, last.maxWaitMs());
  }

  @Test
  void a_replica_in_sync_acknowledges_before_it_fetches_on() {
    scenario.elect(A, 1, A, B);
    scenario.releaseDisks();
    scenario.settle();
    scenario.holdDisks();
    scenario.produce(A, Acks.ALL, "1");
    scenario.persisted(A);
    scenario.produce(A, Acks.ALL, "2");
    scenario.pump();

    assertTrue(b.disk.isWriting());
    assertEquals(10, b.end());
    assertTrue(scenario.network.isEmpty());
  }

  @Test
  void what_is_only_fetched_does_not_bring_it_into_the_in_sync_replicas() {
    begin();
    scenario.deliver(fetch());
    scenario.deliver(answer());

    scenario.pump();

    assertTrue(scenario.proposals.isEmpty());
    assertEquals(1, scenario.state().isr().size());
    scenario.releaseDisks();
    scenario.settle();
    assertEquals(2, scenario.state().isr().size());
    assertEquals(a.log(), b.log());
  }

  @Test
  void a_lost_answer_is_asked_for_again_when_the_disk_is_free() {
    begin();
    fetch();
    scenario.pass(5_000);
    assertTrue(scenario.network.isEmpty(), "the log is still being written");

    scenario.persisted(B);
    scenario.pass(1);

    FetchRequest again = requestIn(fetch());
    assertEquals(1, again.fetchOffset());
    assertEquals(1, again.ackOffset());
  }

  @Test
  void an_error_counts_when_the_disk_is_free() {
    begin();
    scenario.deliver(fetch());
    FetchResponse failed = FetchResponse.failed(ErrorCode.OFFSET_OUT_OF_RANGE, A, 1);
    scenario.deliver(answeredInstead(answer(), failed));
    assertTrue(scenario.network.isEmpty());

    scenario.persisted(B);

    assertTrue(
        scenario.network.stream().anyMatch(p -> p.input() instanceof ReplicaInput.EpochEndArrived));
    scenario.releaseDisks();
    scenario.settle();
    assertEquals(a.log(), b.log());
  }

  @Test
  void nothing_is_cut_while_the_disk_is_busy() {
    begin();
    scenario.deliver(fetch());
    FetchResponse diverging = FetchResponse.of(10, 0, A, 1).divergingAt(0, 0);
    scenario.deliver(answeredInstead(answer(), diverging));

    scenario.persisted(B);
    assertTrue(b.disk.isWriting());
    scenario.persisted(B);

    assertEquals(0, b.end());
  }

  @Test
  void what_an_earlier_leader_answered_is_not_taken() {
    begin();
    scenario.deliver(fetch());
    scenario.deliver(answer());

    scenario.elect(A, 2, A);
    scenario.persisted(B);

    assertEquals(1, b.end());
    assertFalse(b.disk.isWriting());
    FetchRequest anew = requestIn(fetch());
    assertEquals(1, anew.ackOffset());
    assertEquals(2, anew.leaderEpoch());
  }

  @Test
  void a_closed_throttle_leaves_nothing_to_fetch_ahead() {
    b.throttle = Throttle.at(RECORD / 2);
    begin();

    assertTrue(scenario.network.isEmpty());
  }

  @Test
  void an_empty_answer_does_not_make_the_next_wait_longer() {
    begin();
    scenario.deliver(fetch());
    FetchResponse empty = FetchResponse.of(1, 0, A, 1);
    scenario.deliver(answeredInstead(answer(), empty));

    scenario.persisted(B);

    assertEquals(500, requestIn(fetch()).maxWaitMs());
  }
}
