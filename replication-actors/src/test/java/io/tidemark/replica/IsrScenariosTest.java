package io.tidemark.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.PartitionState;
import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.replica.ReplicaScenario.Proposal;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Scenarios 20 to 29, 36 and 37: who is in sync, and what the high watermark waits for. */
class IsrScenariosTest {
  private static final int A = 1;
  private static final int B = 2;
  private static final int C = 3;

  private final ReplicaScenario scenario = new ReplicaScenario(A, B, C);
  private final ScenarioReplica a = scenario.replica(A);

  @BeforeEach
  void theTestDecides() {
    scenario.holdController();
  }

  /** Followers fetch only by the test's hand. */
  private void leadAlone(int epoch, Integer... isr) {
    scenario.elect(A, epoch, isr);
    scenario.crash(B);
    scenario.crash(C);
    scenario.pump();
  }

  private void append(int records) {
    for (int i = 0; i < records; i++) {
      scenario.produce(A, Acks.LEADER, "more");
      scenario.pump();
    }
  }

  @Test
  void s20_a_follower_joins_when_it_has_reached_the_leaders_epoch() {
    a.upTo(10, 0).withHighWatermark(5);
    leadAlone(1, A, B);

    scenario.fetchAs(C, A, 7, 0);
    assertTrue(scenario.proposals.isEmpty());
    scenario.fetchAs(C, A, 10, 0);

    assertEquals(Set.of(A, B, C), Set.copyOf(scenario.proposals.peek().isr()));
  }

  @Test
  void s20_a_follower_that_may_not_join_is_not_proposed() {
    scenario.replica(C).eligible = false;
    leadAlone(1, A, B);

    scenario.fetchAs(C, A, 0, -1);

    assertTrue(scenario.proposals.isEmpty());
  }

  @Test
  void s21_while_a_follower_is_joining_the_high_watermark_waits_for_it() {
    leadAlone(0, A, B);
    scenario.fetchAs(B, A, 0, -1);
    scenario.fetchAs(C, A, 0, -1);
    assertEquals(1, scenario.proposals.size());
    append(10);

    scenario.fetchAs(B, A, 10, 0);

    assertEquals(0, a.highWatermark());
  }

  /** It was at the end a moment ago, and its disk may have nothing now. */
  @Test
  void s21_the_high_watermark_does_not_wait_for_what_an_earlier_incarnation_had() {
    leadAlone(0, A, B);
    append(1);
    scenario.fetchAs(B, A, 1, 0);
    scenario.fetchAs(C, A, 1, 0);
    scenario.proposals.clear();
    scenario.replica(C).brokerEpoch++;
    scenario.elect(A, 0, A, B);

    scenario.fetchAs(C, A, 0, -1);
    append(9);
    scenario.fetchAs(B, A, 10, 0);

    assertEquals(10, a.highWatermark());
  }

  @Test
  void s22_a_shrink_counts_when_the_controller_has_accepted_it() {
    leadAlone(0, A, B, C);
    append(10);
    scenario.fetchAs(B, A, 10, 0);
    scenario.pass(ReplicaSettings.DEFAULT.lagTimeMaxMs() / 2 + 1);
    scenario.fetchAs(B, A, 10, 0);
    scenario.pass(ReplicaSettings.DEFAULT.lagTimeMaxMs() / 2 + 1);
    Proposal shrink = scenario.proposals.poll();
    assertEquals(List.of(A, B), shrink.isr());
    assertEquals(0, a.highWatermark());

    scenario.accept(shrink);

    assertEquals(10, a.highWatermark());
  }

  @Test
  void s23_below_min_isr_nothing_is_committed_until_the_larger_isr_is() {
    scenario.minInsync(3);
    leadAlone(0, A, B);
    append(4);
    scenario.fetchAs(B, A, 4, 0);
    scenario.fetchAs(C, A, 4, 0);
    Proposal expand = scenario.proposals.poll();
    assertEquals(0, a.highWatermark());

    scenario.accept(expand);

    assertEquals(4, a.highWatermark());
  }

  @Test
  void s23_a_write_to_all_is_refused_before_it_is_appended() {
    scenario.minInsync(2);
    leadAlone(0, A);

    long refused = scenario.produce(A, Acks.ALL, "m");

    assertEquals(ErrorCode.NOT_ENOUGH_REPLICAS, scenario.errorOf(refused));
    scenario.pump();
    assertEquals(0, a.end());
  }

  @Test
  void s24_an_answer_behind_newer_metadata_is_ignored() {
    leadAlone(0, A, B);
    append(1);
    scenario.fetchAs(B, A, 1, 0);
    scenario.fetchAs(C, A, 1, 0);
    Proposal expand = scenario.proposals.poll();
    scenario.decide(A, 0, A);
    scenario.tell(A);

    scenario.input(
        A,
        new ReplicaInput.IsrAnswered(
            expand.effect().requestId(),
            ErrorCode.NONE,
            new PartitionState(List.of(A, B, C), List.of(A, B, C), List.of(), A, 0, 2, false)));
    scenario.produce(A, Acks.LEADER, "alone");
    scenario.pump();
    scenario.pass(ReplicaSettings.DEFAULT.requestTimeoutMs() + 1);

    assertTrue(scenario.proposals.isEmpty());
    assertEquals(2, a.end());
  }

  @Test
  void s25_a_proposal_whose_answer_was_lost_stays_until_metadata_tells() {
    leadAlone(0, A, B);
    append(1);
    scenario.fetchAs(B, A, 1, 0);
    scenario.fetchAs(C, A, 1, 0);
    scenario.proposals.poll();
    scenario.decide(A, 0, A, B, C);
    scenario.pass(ReplicaSettings.DEFAULT.requestTimeoutMs() + 1);
    Proposal retry = scenario.proposals.poll();
    scenario.accept(retry);
    append(1);

    scenario.fetchAs(B, A, 2, 0);
    assertEquals(1, a.highWatermark());
    scenario.tell(A);
    scenario.fetchAs(C, A, 2, 0);

    assertEquals(2, a.highWatermark());
    assertTrue(scenario.proposals.isEmpty());
  }

  @Test
  void s26_a_controller_that_is_none_is_asked_again() {
    leadAlone(0, A, B);
    scenario.fetchAs(B, A, 0, -1);
    scenario.fetchAs(C, A, 0, -1);
    scenario.answer(scenario.proposals.poll(), ErrorCode.NOT_CONTROLLER);

    scenario.pass(ReplicaSettings.DEFAULT.retryBackoffMs());

    assertEquals(Set.of(A, B, C), Set.copyOf(scenario.proposals.poll().isr()));
  }

  @Test
  void s28_an_expansion_that_cites_an_older_incarnation_is_taken_back() {
    leadAlone(0, A, B);
    append(4);
    scenario.fetchAs(C, A, 4, 0);
    Proposal expand = scenario.proposals.poll();
    scenario.replica(C).brokerEpoch++;
    append(2);
    long waiting = scenario.produce(A, Acks.ALL, "m");
    scenario.pump();
    scenario.tell(A);
    scenario.fetchAs(B, A, 7, 0);
    assertNull(scenario.answerTo(waiting));

    scenario.accept(expand);

    assertEquals(7, a.highWatermark());
    assertEquals(ErrorCode.NONE, scenario.errorOf(waiting));
  }

  @Test
  void s29_the_high_watermark_does_not_wait_for_a_fenced_follower() {
    scenario.replica(C).eligible = false;
    leadAlone(0, A, B);
    scenario.fetchAs(C, A, 0, -1);
    append(3);

    scenario.fetchAs(B, A, 3, 0);

    assertEquals(3, a.highWatermark());
  }

  @Test
  void s36_a_follower_is_as_caught_up_as_it_was_at_its_fetch_before() {
    long ms = ReplicaSettings.NANOS_PER_MS;
    FollowerProgress follower = FollowerProgress.at(0, false);

    follower.fetched(5, 1, 10, 5_000 * ms);
    follower.fetched(10, 1, 15, 10_000 * ms);

    assertTrue(follower.isCaughtUp(15, 35_000 * ms, 30_000 * ms));
    assertTrue(!follower.isCaughtUp(15, 35_001 * ms, 30_000 * ms));
  }

  @Test
  void s36_an_idle_follower_at_the_end_stays_for_ever() {
    leadAlone(0, A, B);
    scenario.fetchAs(B, A, 0, -1);

    for (int hour = 0; hour < 24; hour++) {
      scenario.pass(3_600_000);
    }

    assertTrue(scenario.proposals.isEmpty());
  }

  @Test
  void s37_a_jump_of_the_clock_evicts_only_who_is_behind() {
    leadAlone(0, A, B, C);
    append(1);
    scenario.fetchAs(B, A, 1, 0);
    scenario.fetchAs(C, A, 0, -1);

    scenario.pass(60_000);

    assertEquals(List.of(A, B), scenario.proposals.poll().isr());
  }

  @Test
  void s37_a_clock_that_goes_back_takes_nothing_from_a_follower() {
    FollowerProgress follower = FollowerProgress.at(0, true);
    follower.fetched(5, 1, 5, 100);

    follower.fetched(5, 1, 5, 50);

    assertTrue(follower.isCaughtUp(9, 110, 10));
  }
}
