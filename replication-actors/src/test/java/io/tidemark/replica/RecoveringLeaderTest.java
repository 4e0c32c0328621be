package io.tidemark.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.protocol.ErrorCode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What ends the recovery of a partition after an unclean election (KIP-704). */
class RecoveringLeaderTest {
  private static final int A = 1;
  private static final int B = 2;

  @Test
  void a_leader_has_recovered_when_its_epoch_is_durable() {
    ReplicaScenario scenario = new ReplicaScenario(A, B);
    scenario.holdDisks();
    scenario.electUncleanly(A, 3);
    scenario.pump();
    assertTrue(scenario.state().recovering());
    assertTrue(scenario.proposals.isEmpty(), "not before");

    scenario.releaseDisks();
    scenario.pump();

    assertFalse(scenario.state().recovering());
    assertEquals(A, scenario.state().leader());
  }

  @Test
  void a_partition_of_one_replica_recovers_without_any_follower() {
    ReplicaScenario scenario = new ReplicaScenario(A);

    scenario.electUncleanly(A, 3);
    scenario.pump();

    assertFalse(scenario.state().recovering());
    assertEquals(List.of(A), scenario.state().isr());
  }

  @Test
  void it_says_so_again_when_no_controller_answered() {
    ReplicaScenario scenario = new ReplicaScenario(A);
    scenario.holdController();
    scenario.electUncleanly(A, 3);
    scenario.pump();
    scenario.answer(scenario.proposals.poll(), ErrorCode.NOT_CONTROLLER);
    scenario.releaseController();

    scenario.pass(ReplicaSettings.DEFAULT.retryBackoffMs() + 1);
    scenario.pump();

    assertFalse(scenario.state().recovering());
  }

  @Test
  void a_leader_that_was_elected_cleanly_proposes_nothing() {
    ReplicaScenario scenario = new ReplicaScenario(A);

    scenario.elect(A, 3, A);
    scenario.pump();

    assertEquals(1, scenario.state().partitionEpoch());
  }
}
