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

/** A follower that is out of sync, on a node where another replica may have the only turn. */
class CatchUpTest {
  private static final int A = 1;
  private static final int B = 2;
  private static final String OTHER = "another replica of B";

  private final ReplicaScenario scenario = new ReplicaScenario(A, B);
  private final ScenarioReplica a = scenario.replica(A);
  private final ScenarioReplica b = scenario.replica(B);
  private final CatchUpTurns turns = new CatchUpTurns(1);

  @BeforeEach
  void committedRecords() {
    b.throttle = new Throttle(new TokenBucket(0), new TokenBucket(0), new CatchUpTurns(1), turns);
    a.with(0, "1").with(0, "2").with(0, "3").withHighWatermark(3);
  }

  private void lead() {
    scenario.elect(A, 1, A);
    scenario.persisted(A);
  }

  private boolean otherGetsTurn() {
    return turns.opensAt(OTHER, scenario.now()) <= scenario.now();
  }

  private FetchRequest fetched() {
    return ((FetchArrived) fetch().input()).request();
  }

  private Packet fetch() {
    return scenario.intercept(p -> p.from() == B && p.input() instanceof FetchArrived);
  }

  private Packet answer() {
    return scenario.intercept(p -> p.to() == B && p.input() instanceof FetchAnswered);
  }

  private FetchRequest fetchAndAnswer() {
    Packet fetch = fetch();
    scenario.deliver(fetch);
    scenario.deliver(answer());
    return ((FetchArrived) fetch.input()).request();
  }

  @Test
  void it_asks_first_how_far_the_leader_is_and_then_takes_its_turn() {
    lead();

    FetchRequest first = fetchAndAnswer();
    assertEquals(0, first.maxBytes());
    assertEquals(0, first.maxWaitMs());
    assertFalse(b.disk.isWriting());
    FetchRequest second = fetchAndAnswer();

    assertEquals(ReplicaSettings.DEFAULT.fetchMaxBytes(), second.maxBytes());
    assertFalse(otherGetsTurn());
    scenario.persisted(B);
    assertTrue(otherGetsTurn(), "what is committed is here");
    assertEquals(3, b.end());
  }

  @Test
  void it_waits_while_another_has_the_turn() {
    otherGetsTurn();
    lead();
    fetchAndAnswer();
    scenario.pass(100);
    assertTrue(scenario.network.isEmpty());

    turns.leave(OTHER);
    scenario.pass(100);

    assertEquals(ReplicaSettings.DEFAULT.fetchMaxBytes(), fetched().maxBytes());
  }

  @Test
  void whoever_has_all_that_is_committed_needs_no_turn_and_comes_in_sync() {
    otherGetsTurn();
    b.with(0, "1").with(0, "2").with(0, "3");
    lead();
    fetchAndAnswer();
    scenario.settle();

    assertEquals(a.log(), b.log());
    assertEquals(2, scenario.state().isr().size());
  }

  /** The high watermark waits for it from then on: it must not wait for a turn. */
  @Test
  void whoever_had_all_that_was_committed_is_not_held_up_when_it_falls_behind_again() {
    lead();
    fetchAndAnswer();
    fetchAndAnswer();
    for (int i = 0; i < 3; i++) {
      scenario.produce(A, Acks.ALL, "x".repeat(500_000));
      scenario.persisted(A);
    }
    scenario.persisted(B);
    assertTrue(otherGetsTurn());

    fetchAndAnswer();
    scenario.persisted(B);
    assertTrue(b.end() < a.highWatermark());
    fetchAndAnswer();
    scenario.persisted(B);
    scenario.settle();

    assertEquals(2, scenario.state().isr().size());
    long acknowledged = scenario.produce(A, Acks.ALL, "new");
    scenario.settle();
    assertEquals(ErrorCode.NONE, scenario.answerTo(acknowledged).error());
  }

  /** It was at the leader's end at the fetch before, so it counts as caught up for a while. */
  @Test
  void one_that_is_about_to_join_and_does_not_fetch_holds_up_nobody_for_long() {
    lead();
    scenario.crash(B);
    scenario.ask(A, scenario.request(B, 0, -1, 0));
    for (int i = 4; i <= 6; i++) {
      scenario.produce(A, Acks.ALL, String.valueOf(i));
      scenario.persisted(A);
    }
    scenario.ask(A, scenario.request(B, 3, 0, 0));
    long token = scenario.produce(A, Acks.ALL, "7");
    scenario.persisted(A);
    assertEquals(6, a.highWatermark());

    long deadline = a.core.nextDeadline(scenario.now());
    scenario.pass((deadline - scenario.now()) / ReplicaScenario.MS + 1);

    assertTrue(deadline <= scenario.now());
    assertEquals(7, a.highWatermark());
    assertEquals(ErrorCode.NONE, scenario.answerTo(token).error());
  }

  @Test
  void whoever_lacks_little_does_not_wait_behind_those_that_lack_much() {
    CatchUpTurns far = new CatchUpTurns(1);
    b.throttle = new Throttle(new TokenBucket(0), new TokenBucket(0), far, turns);
    far.opensAt(OTHER, scenario.now());
    lead();
    fetchAndAnswer();

    assertEquals(ReplicaSettings.DEFAULT.fetchMaxBytes(), fetched().maxBytes());
  }

  @Test
  void whoever_lacks_much_waits_with_its_like() {
    CatchUpTurns far = new CatchUpTurns(1);
    b.throttle = new Throttle(new TokenBucket(0), new TokenBucket(0), far, turns);
    far.opensAt(OTHER, scenario.now());
    a.upTo(4 + CatchUp.NEAR_RECORDS, 0).withHighWatermark(4 + CatchUp.NEAR_RECORDS);
    lead();
    fetchAndAnswer();

    assertTrue(scenario.network.isEmpty());
    assertTrue(otherGetsTurn());
  }

  @Test
  void a_closed_throttle_does_not_cost_the_turn() {
    TokenBucket bucket = new TokenBucket(1);
    b.throttle = new Throttle(new TokenBucket(0), bucket, new CatchUpTurns(1), turns);
    lead();
    scenario.deliver(fetch());
    bucket.take(60, scenario.now());
    scenario.deliver(answer());
    for (int second = 0; second < 15; second++) {
      scenario.pass(1_000);
    }

    assertTrue(scenario.network.isEmpty());
    assertFalse(otherGetsTurn());
  }

  @Test
  void its_turn_ends_when_its_actor_is_stopped() {
    lead();
    fetchAndAnswer();
    assertFalse(otherGetsTurn());

    b.core.close();

    assertTrue(otherGetsTurn());
  }

  @Test
  void whoever_is_behind_and_gets_nothing_does_not_wait_longer_each_time() {
    lead();
    fetchAndAnswer();
    for (int i = 0; i < 5; i++) {
      scenario.deliver(fetch());
      long id = ((FetchAnswered) answer().input()).requestId();
      scenario.input(B, new FetchAnswered(id, FetchResponse.of(3, 0, A, 1)));
    }

    assertEquals(ReplicaSettings.DEFAULT.fetchMaxWaitMs(), fetched().maxWaitMs());
  }

  @Test
  void whoever_is_made_a_member_of_the_isr_waits_for_no_turn() {
    otherGetsTurn();
    lead();
    fetchAndAnswer();
    assertTrue(scenario.network.isEmpty());

    scenario.elect(A, 1, A, B);
    scenario.pass(0);

    assertEquals(ReplicaSettings.DEFAULT.fetchMaxBytes(), fetched().maxBytes());
    turns.leave(OTHER);
    assertTrue(otherGetsTurn(), "it does not wait in the queue either");
  }

  @Test
  void its_turn_ends_with_its_role() {
    lead();
    fetchAndAnswer();
    assertFalse(otherGetsTurn());

    scenario.input(B, new ReplicaInput.LogFailed());

    assertTrue(otherGetsTurn());
  }

  @Test
  void its_turn_ends_when_the_answer_is_lost() {
    lead();
    fetchAndAnswer();
    fetch();
    assertFalse(otherGetsTurn());

    scenario.pass(3_000);

    assertTrue(otherGetsTurn());
  }

  @Test
  void its_turn_ends_with_an_error() {
    fetchFails(FetchResponse.failed(ErrorCode.NOT_LEADER_OR_FOLLOWER, A, 1));

    assertTrue(otherGetsTurn());
  }

  @Test
  void its_turn_ends_when_the_leader_is_of_a_newer_epoch() {
    fetchFails(FetchResponse.failed(ErrorCode.FENCED_LEADER_EPOCH, A, 2));

    assertTrue(otherGetsTurn());
  }

  private void fetchFails(FetchResponse failed) {
    lead();
    fetchAndAnswer();
    scenario.deliver(fetch());
    assertFalse(otherGetsTurn());
    turns.leave(OTHER);
    long id = ((FetchAnswered) answer().input()).requestId();
    scenario.input(B, new FetchAnswered(id, failed));
  }

  @Test
  void a_long_turn_ends_between_two_fetches() {
    for (int i = 0; i < 100; i++) {
      a.with(0, "x".repeat(100_000));
    }
    a.withHighWatermark(103);
    lead();
    scenario.holdDisks();
    fetchAndAnswer();
    fetchAndAnswer();
    assertTrue(b.disk.isWriting());
    assertFalse(otherGetsTurn());
    Packet ahead = fetch();
    scenario.pass(6_000);
    assertTrue(scenario.network.isEmpty());
    scenario.deliver(ahead);
    scenario.deliver(answer());

    scenario.persisted(B);

    assertTrue(otherGetsTurn(), "the turn has lasted for long enough");
  }
}
