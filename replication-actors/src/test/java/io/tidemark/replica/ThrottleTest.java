package io.tidemark.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.replica.ReplicaInput.FetchAnswered;
import io.tidemark.replica.ReplicaInput.FetchArrived;
import org.junit.jupiter.api.Test;

/** Replicas that are out of sync, and how much they may take. */
class ThrottleTest {
  private static final int A = 1;
  private static final int B = 2;
  private static final int C = 3;
  private static final int RECORD = 1_000;

  /** An answer holds one batch. */
  private final ReplicaScenario scenario =
      new ReplicaScenario(
          new ReplicaSettings(1, 500, 1, 30_000, 2_000, 50, 16 << 20, 30_000), A, B, C);

  private final ScenarioReplica a = scenario.replica(A);
  private final ScenarioReplica b = scenario.replica(B);

  /** Ten batches; B and C have nothing. */
  private void lead(Integer... isr) {
    for (int i = 0; i < 10; i++) {
      a.with(0, "x".repeat(RECORD));
    }
    a.withHighWatermark(10);
    scenario.holdController();
    scenario.elect(A, 1, isr);
    scenario.persisted(A);
  }

  private void leadAlone(Integer... isr) {
    lead(isr);
    scenario.crash(B);
    scenario.crash(C);
  }

  private long fetch(int follower, long offset, int waitMs) {
    return scenario.ask(A, scenario.request(follower, offset, offset == 0 ? -1 : 0, waitMs));
  }

  private boolean hasRecords(long token) {
    return scenario.fetchedBy(token).records().hasRemaining();
  }

  @Test
  void a_leader_sends_no_more_to_a_replica_out_of_sync_than_the_rate() {
    a.throttle = Throttle.at(2 * RECORD);
    leadAlone(A);

    assertTrue(hasRecords(fetch(B, 0, 0)));
    assertFalse(hasRecords(fetch(B, 5, 0)));
    long parked = fetch(B, 5, 10_000);
    scenario.pass(3_000);
    assertNull(scenario.fetchedBy(parked));
    scenario.pass(2_000);

    assertTrue(hasRecords(parked));
  }

  @Test
  void throttled_bytes_do_not_end_a_wait_and_the_wait_ends_without_them() {
    a.throttle = Throttle.at(1);
    leadAlone(A);
    fetch(B, 0, 0);

    long parked = fetch(B, 1, 500);
    scenario.produce(A, Acks.LEADER, "more");
    scenario.persisted(A);
    assertNull(scenario.fetchedBy(parked));
    scenario.pass(500);

    assertFalse(hasRecords(parked));
    assertEquals(ErrorCode.NONE, scenario.fetchedBy(parked).error());
  }

  @Test
  void the_leader_wakes_up_when_the_throttle_opens() {
    a.throttle = Throttle.at(2 * RECORD);
    leadAlone(A);
    fetch(B, 0, 0);
    long parked = fetch(B, 5, 60_000);

    long next = a.core.nextDeadline(scenario.now());
    assertTrue(next < scenario.now() + 5_000 * ReplicaScenario.MS);
    scenario.pass((next - scenario.now()) / ReplicaScenario.MS + 1);

    assertTrue(hasRecords(parked));
  }

  @Test
  void neither_replicas_in_sync_nor_readers_are_throttled() {
    a.throttle = Throttle.at(1);
    leadAlone(A, B);
    fetch(C, 0, 0);
    assertFalse(hasRecords(fetch(C, 5, 0)));

    assertTrue(hasRecords(fetch(B, 0, 0)));
    assertTrue(hasRecords(fetch(B, 5, 0)));
    assertTrue(hasRecords(scenario.read(A, 0, 0)));
  }

  @Test
  void a_follower_out_of_sync_delays_its_next_fetch_and_stays_responsive() {
    b.throttle = Throttle.at(RECORD / 4);
    catchUpUntilThrottled();

    long reader = scenario.read(B, 0, 0);
    assertEquals(ErrorCode.NONE, scenario.fetchedBy(reader).error());
    assertTrue(b.core.nextDeadline(scenario.now()) > scenario.now() + 3_000 * ReplicaScenario.MS);
    scenario.pass(2_500);
    assertTrue(scenario.network.isEmpty());
    scenario.pass(2_500);

    assertEquals(B, scenario.network.peek().from());
  }

  @Test
  void a_follower_that_comes_in_sync_does_not_wait_for_the_throttle_any_more() {
    b.throttle = Throttle.at(1);
    catchUpUntilThrottled();

    scenario.elect(A, 1, A, B);
    scenario.pass(0);

    assertEquals(B, scenario.network.peek().from());
  }

  /** The high watermark waits for such a one: see that it does not wait for the throttle. */
  @Test
  void a_follower_that_is_about_to_join_is_throttled_on_neither_side() {
    a.throttle = Throttle.at(1);
    b.throttle = Throttle.at(1);
    for (int i = 0; i < 10; i++) {
      b.with(0, "x".repeat(RECORD));
    }
    lead(A);
    scenario.crash(C);
    while (!scenario.network.isEmpty()) {
      scenario.deliver(scenario.network.poll());
    }
    a.throttle.toFollowers().take(1_000_000, scenario.now());
    b.throttle.fromLeaders().take(1_000_000, scenario.now());

    scenario.produce(A, Acks.ALL, "more");
    scenario.persisted(A);
    scenario.produce(A, Acks.ALL, "and more");
    scenario.persisted(A);
    scenario.settle();

    assertEquals(a.end(), b.end());
    assertEquals(a.end(), a.highWatermark());
  }

  /** The first fetch asks how far the leader is, the second brings one batch of the ten. */
  private void catchUpUntilThrottled() {
    lead(A);
    scenario.crash(C);
    fetchOnce();
    fetchOnce();
    scenario.persisted(B);
    assertEquals(1, b.end());
    assertTrue(scenario.network.isEmpty());
  }

  private void fetchOnce() {
    scenario.deliver(scenario.intercept(p -> p.input() instanceof FetchArrived));
    scenario.deliver(scenario.intercept(p -> p.input() instanceof FetchAnswered));
  }

  @Test
  void a_follower_in_sync_fetches_on() {
    b.throttle = Throttle.at(1);
    scenario.elect(A, 0, A, B);
    scenario.settle();
    scenario.produce(A, Acks.LEADER, "x".repeat(RECORD));
    scenario.settle();
    scenario.produce(A, Acks.LEADER, "y".repeat(RECORD));
    scenario.settle();

    assertEquals(a.log(), b.log());
  }
}
