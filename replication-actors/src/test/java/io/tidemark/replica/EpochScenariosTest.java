package io.tidemark.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.tidemark.log.LogEvent.LeaderEpochStarted;
import io.tidemark.log.LogEvent.LogStartAdvanced;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.FetchResponse.Diverging;
import io.tidemark.protocol.ProduceRequest.Acks;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Scenarios 1 to 10: how a follower's log is brought in line with its leader's. */
class EpochScenariosTest {
  private static final int A = 1;
  private static final int B = 2;

  private final ReplicaScenario scenario = new ReplicaScenario(A, B);
  private final ScenarioReplica a = scenario.replica(A);
  private final ScenarioReplica b = scenario.replica(B);

  @Test
  void s01_a_restarted_follower_that_is_elected_keeps_what_was_committed() {
    a.with(0, "m0").with(0, "m1").withHighWatermark(2);
    b.with(0, "m0").with(0, "m1").withHighWatermark(1);
    scenario.elect(A, 0, A, B);
    scenario.pump();

    scenario.crash(B);
    scenario.restart(B);
    scenario.pump();
    scenario.crash(A);
    scenario.elect(B, 1, B);
    scenario.settle();

    assertEquals(List.of("0@0 m0", "1@0 m1"), b.log());
    assertEquals(2, b.highWatermark());
  }

  @Test
  void s02_a_former_leader_drops_the_record_that_the_new_leader_overwrote() {
    a.with(0, "m1").with(0, "m2").withHighWatermark(1);
    b.with(0, "m1").withHighWatermark(1);
    scenario.decide(B, 1, B);
    b.newCore(ReplicaScenario.PARTITION, ReplicaSettings.DEFAULT);
    scenario.input(B, new ReplicaInput.LogRecovered(b.disk.state()));
    scenario.tell(B);
    scenario.pump();
    scenario.produce(B, Acks.LEADER, "m3");
    scenario.pump();

    FetchResponse answer = scenario.fetchAs(A, B, 2, 0);
    scenario.tellAll();
    scenario.settle();

    assertEquals(new Diverging(0, 1), answer.diverging());
    assertEquals(List.of("0@0 m1", "1@1 m3"), a.log());
    assertEquals(b.log(), a.log());
  }

  @Test
  void s03_after_a_fast_fail_over_the_follower_cuts_to_where_its_own_epoch_ended() {
    a.upTo(5, 0).upTo(7, 0).upTo(9, 2);
    b.upTo(5, 0).upTo(9, 1);
    assertEquals(5, Truncation.cutAt(b.disk.state(), 0, 0, 7));

    scenario.elect(A, 2, A);
    scenario.settle();

    assertEquals("0@0 2@7", b.epochs());
    assertEquals(a.log(), b.log());
  }

  @Test
  void s04_logs_that_differ_in_several_epochs_converge_in_several_rounds() {
    a.with(0, "a0").with(2, "a1").with(5, "a2");
    b.with(0, "a0").with(2, "a1").with(4, "b2");
    scenario.elect(A, 5, A);

    scenario.settle();

    assertEquals("0@0 2@1 5@2", b.epochs());
    assertEquals(a.log(), b.log());
  }

  private void leaderWithSixEpochs() {
    a.upTo(2, 0).upTo(8, 3).upTo(13, 4).upTo(14, 7).upTo(17, 9);
    scenario.elect(A, 10, A);
    scenario.pump();
  }

  @Test
  void s05_the_leader_finds_the_end_of_every_epoch() {
    leaderWithSixEpochs();

    assertEquals("0@0 3@2 4@8 7@13 9@14 10@17", a.epochs());
    assertEquals(new Diverging(0, 2), scenario.fetchAs(B, A, 5, 2).diverging());
    assertEquals(new Diverging(4, 13), scenario.fetchAs(B, A, 6, 6).diverging());
    assertEquals(new Diverging(10, 17), scenario.fetchAs(B, A, 18, 10).diverging());
    assertEquals(ErrorCode.OFFSET_OUT_OF_RANGE, scenario.fetchAs(B, A, 17, 11).error());
    assertNull(scenario.fetchAs(B, A, 14, 7).diverging());
  }

  @Test
  void s06_the_same_when_the_log_does_not_start_at_zero() {
    leaderWithSixEpochs();
    a.disk.put(new LogStartAdvanced(5));
    scenario.crash(A);
    scenario.restart(A);
    scenario.pump();

    assertEquals(new Diverging(3, 8), scenario.fetchAs(B, A, 9, 3).diverging());
    assertEquals(new Diverging(2, 5), scenario.fetchAs(B, A, 8, 2).diverging());
    assertNull(scenario.fetchAs(B, A, 5, 0).diverging());
    assertEquals(ErrorCode.NONE, scenario.fetchAs(B, A, 5, 0).error());
    assertEquals(ErrorCode.OFFSET_OUT_OF_RANGE, scenario.fetchAs(B, A, 0, 0).error());
  }

  @Test
  void s07_an_epoch_that_wrote_nothing_is_forgotten_and_fetching_goes_on() {
    a.upTo(5, 4).with(new LeaderEpochStarted(6, 5));
    b.upTo(5, 4).with(new LeaderEpochStarted(5, 5));
    scenario.elect(A, 6, A);
    scenario.settle();

    scenario.produce(A, Acks.LEADER, "next");
    scenario.settle();

    assertEquals("4@0 6@5", b.epochs());
    assertEquals(a.log(), b.log());
  }

  @Test
  void s08_data_of_an_epoch_that_the_leader_never_saw_is_found_out() {
    a.upTo(5, 0);
    b.upTo(5, 0).with(1, "unknown");
    scenario.elect(A, 2, A);

    scenario.settle();

    assertEquals(5, b.end());
    assertEquals(a.log(), b.log());
  }

  @Test
  void s09_a_follower_that_missed_an_epoch_of_the_same_leader_reconciles() {
    a.upTo(5, 3);
    b.upTo(5, 3);
    scenario.elect(A, 3, A);
    scenario.settle();
    scenario.isolate(B);
    scenario.elect(A, 4, A);
    scenario.pump();
    scenario.elect(A, 5, A);
    scenario.settle();
    scenario.produce(A, Acks.LEADER, "of epoch 5");
    scenario.settle();

    scenario.heal(B);
    scenario.settle();

    assertEquals(a.log(), b.log());
  }

  @Test
  void s10_a_log_of_epoch_0_alone_comes_back_with_its_epoch() {
    scenario.elect(A, 0, A, B);
    scenario.settle();
    scenario.produce(A, Acks.LEADER, "m0");
    scenario.settle();

    scenario.crash(B);
    scenario.restart(B);

    assertEquals("0@0", b.epochs());
    assertEquals(0, b.disk.state().lastEpoch());
  }
}
