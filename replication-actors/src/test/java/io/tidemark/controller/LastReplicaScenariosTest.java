package io.tidemark.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LastReplicaScenariosTest {
  private final ControllerFixture controller = ControllerFixture.withBrokers(1, 2, 3);

  @Test
  void s30_theEligibleReplicaLeadsAfterTheLastMemberCrashedUncleanly() {
    PartitionId partition = controller.create("orders", 3, Map.of());
    int last = controller.state(partition).leader();
    int eligible = controller.state(partition).replicas().get(1);
    int behind = controller.state(partition).replicas().get(2);
    assertEquals(ErrorCode.NONE, controller.propose(partition, List.of(last, eligible)));
    controller.die(eligible);
    assertEquals(List.of(last), controller.state(partition).isr());
    assertEquals(List.of(eligible), controller.state(partition).elr());

    controller.restart(last, 2, false);
    assertEquals(PartitionState.NO_LEADER, controller.state(partition).leader());
    assertFalse(controller.state(partition).elr().contains(last));

    controller.restart(eligible, 2, true);
    assertEquals(eligible, controller.state(partition).leader());
    assertEquals(List.of(eligible), controller.state(partition).isr());
    assertFalse(controller.state(partition).recovering());
    assertEquals(ErrorCode.NONE, controller.propose(partition, List.of(eligible, behind)));
    assertEquals(List.of(), controller.state(partition).elr());
  }

  @Test
  void s31_aPartitionWhoseReplicasAllRestartedUncleanlyStaysOffline() {
    PartitionId partition = controller.create("orders", 3, Map.of());
    allRestartUncleanly();
    PartitionState state = controller.state(partition);
    assertEquals(PartitionState.NO_LEADER, state.leader());
    assertEquals(List.of(), state.isr());
    assertEquals(List.of(), state.elr());
  }

  @Test
  void s31_byChoiceOneOfThemLeadsAndRecovers() {
    PartitionId partition =
        controller.create("orders", 3, Map.of(TopicConfig.UNCLEAN_LEADER_ELECTION, "true"));
    List.of(1, 2, 3).forEach(controller::die);
    allRestartUncleanly();
    PartitionState state = controller.state(partition);
    assertEquals(1, state.leader());
    assertEquals(List.of(1), state.isr());
    assertTrue(state.recovering());

    assertEquals(ErrorCode.NONE, controller.propose(partition, List.of(1)));
    assertFalse(controller.state(partition).recovering());
    assertEquals(state.leaderEpoch(), controller.state(partition).leaderEpoch());
  }

  @Test
  void s29_aFencedFollowerIsOutsideTheIsrAtOnce() {
    PartitionId partition = controller.create("orders", 3, Map.of());
    int follower = controller.state(partition).replicas().get(2);
    int leaderEpoch = controller.state(partition).leaderEpoch();
    controller.die(follower);
    assertFalse(controller.state(partition).isr().contains(follower));
    assertEquals(leaderEpoch, controller.state(partition).leaderEpoch());
  }

  @Test
  void s27_theReturningLeaderIsFencedByItsEpoch() {
    PartitionId partition = controller.create("orders", 3, Map.of());
    var proposal = controller.proposal(partition, controller.state(partition).isr());
    controller.die(controller.state(partition).leader());
    assertEquals(ErrorCode.FENCED_LEADER_EPOCH, controller.error(proposal));
  }

  private void allRestartUncleanly() {
    List.of(1, 2, 3).forEach(id -> controller.register(id, 2, false));
    List.of(1, 2, 3).forEach(controller::beat);
  }
}
