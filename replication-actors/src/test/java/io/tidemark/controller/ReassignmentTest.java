package io.tidemark.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.protocol.ControllerRequest.AlterPartitionReassignment;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Reassignments of partitions to other replicas (KIP-455). */
class ReassignmentTest {
  private final ControllerFixture controller = ControllerFixture.withBrokers(0, 1, 2, 3, 4, 5);
  private PartitionId partition;

  private PartitionState state() {
    return controller.state(partition);
  }

  private ErrorCode reassign(Integer... replicas) {
    return controller.error(new AlterPartitionReassignment(partition, List.of(replicas)));
  }

  private ErrorCode cancel() {
    return controller.error(new AlterPartitionReassignment(partition, null));
  }

  /** A partition on exactly these brokers, all of them in sync, the first one its leader. */
  private void on(Integer... replicas) {
    partition = controller.create("orders", replicas.length, Map.of());
    reassign(replicas[0]);
    inSync(state().replicas());
    reassign(replicas);
    inSync(state().replicas());
    assertEquals(List.of(replicas), state().replicas());
    assertEquals(List.of(), state().adding());
    assertEquals(List.of(), state().removing());
  }

  private void inSync(List<Integer> isr) {
    List<Integer> members = new ArrayList<>(isr);
    if (!members.contains(state().leader())) {
      members.add(state().leader());
    }
    assertEquals(ErrorCode.NONE, controller.propose(partition, members));
  }

  @Test
  void
      s43_old_replicas_stay_until_every_wanted_one_is_in_sync_and_then_the_removed_leader_hands_over() {
    on(0, 1, 2, 3, 4);
    List.of(1, 2, 3, 4).forEach(controller::die);
    controller.restart(1, 2, true);
    assertEquals(0, state().leader());
    int epoch = state().leaderEpoch();

    assertEquals(ErrorCode.NONE, reassign(2, 3, 4, 5));
    assertEquals(List.of(2, 3, 4, 5, 0, 1), state().replicas());
    assertEquals(List.of(5), state().adding());
    assertEquals(List.of(0, 1), state().removing());

    inSync(List.of(0, 1, 5));
    assertEquals(List.of(2, 3, 4, 5, 0, 1), state().replicas(), "5 alone is no ISR to live on");
    assertEquals(0, state().leader());
    assertEquals(epoch, state().leaderEpoch());

    List.of(2, 3, 4).forEach(id -> controller.restart(id, 2, true));
    inSync(List.of(0, 1, 2, 3, 5));
    assertEquals(List.of(0, 1), state().removing());

    inSync(List.of(0, 2, 3, 4, 5));
    assertEquals(List.of(2, 3, 4, 5), state().replicas());
    assertEquals(List.of(2, 3, 4, 5), state().isr());
    assertEquals(List.of(), state().adding());
    assertEquals(List.of(), state().removing());
    assertEquals(2, state().leader());
    assertEquals(epoch + 1, state().leaderEpoch());
  }

  @Test
  void aLeaderThatStaysKeepsItsEpochUntilAReplicaIsRemoved() {
    on(0, 1, 2);
    int epoch = state().leaderEpoch();

    reassign(1, 0, 3);
    assertEquals(epoch, state().leaderEpoch());
    inSync(List.of(0, 1, 2, 3));

    assertEquals(List.of(1, 0, 3), state().replicas());
    assertEquals(0, state().leader());
    assertEquals(epoch + 1, state().leaderEpoch());
  }

  @Test
  void aReplicaThatWasRemovedAndIsWantedAgainComesBackInANewEpoch() {
    on(0, 1, 2);
    int epoch = state().leaderEpoch();

    reassign(0, 1);
    reassign(0, 1, 2);

    assertEquals(List.of(2), state().adding());
    assertEquals(0, state().leader());
    assertEquals(epoch + 1, state().leaderEpoch(), "what it fetched in the old epoch is no sign");
  }

  @Test
  void replicasThatAreInSyncAlreadyAreAllThatIsNeededToRemoveOthers() {
    on(0, 1, 2);

    reassign(2, 1);

    assertEquals(List.of(2, 1), state().replicas());
    assertEquals(List.of(2, 1), state().isr());
    assertEquals(2, state().leader());
  }

  @Test
  void theOnlyReplicaMayMoveWithoutAPauseInWrites() {
    on(0);

    reassign(1);

    assertEquals(List.of(1, 0), state().replicas());
    assertEquals(1, state().replicationFactor(), "one in-sync replica is still enough");
    inSync(List.of(0, 1));
    assertEquals(List.of(1), state().replicas());
    assertEquals(1, state().leader());
  }

  @Test
  void aCancelledReassignmentLeavesTheOldReplicas() {
    on(0, 1, 2);
    reassign(3, 4, 5);
    inSync(List.of(0, 1, 2, 3));

    assertEquals(ErrorCode.NONE, cancel());

    assertEquals(List.of(0, 1, 2), state().replicas());
    assertEquals(List.of(0, 1, 2), state().isr());
    assertEquals(List.of(), state().adding());
    assertEquals(0, state().leader());
  }

  @Test
  void aCancelledReassignmentTakesTheLeadershipFromAnAddedReplica() {
    on(0, 1, 2);
    reassign(3, 4, 5);
    inSync(List.of(0, 1, 3));
    controller.die(0);
    controller.die(1);
    assertEquals(3, state().leader());
    controller.restart(0, 2, true);
    inSync(List.of(0, 3));
    int epoch = state().leaderEpoch();

    assertEquals(ErrorCode.NONE, cancel());

    assertEquals(0, state().leader());
    assertEquals(epoch + 1, state().leaderEpoch());
    assertEquals(List.of(0), state().isr());
  }

  @Test
  void cancellingIsRefusedWhenOnlyAddedReplicasHaveAllRecords() {
    on(0, 1);
    reassign(3, 4);
    inSync(List.of(0, 1, 3));
    controller.restart(0, 2, false);
    controller.restart(1, 2, false);
    assertEquals(List.of(3), state().isr());
    assertEquals(List.of(), state().elr());

    assertEquals(ErrorCode.INVALID_REPLICA_ASSIGNMENT, cancel());
    assertEquals(List.of(3), state().isr());
  }

  @Test
  void thereMayBeNothingToCancel() {
    on(0, 1);
    assertEquals(ErrorCode.NO_REASSIGNMENT_IN_PROGRESS, cancel());
  }

  @Test
  void anotherReassignmentTakesThePlaceOfTheOneUnderWay() {
    on(0, 1, 2);
    reassign(0, 1, 3);
    inSync(List.of(0, 1, 2, 3));
    assertEquals(List.of(0, 1, 3), state().replicas(), "done");
    reassign(0, 1, 4);

    assertEquals(ErrorCode.NONE, reassign(0, 1, 5));

    assertEquals(List.of(0, 1, 5, 3), state().replicas());
    assertEquals(List.of(5), state().adding());
    assertEquals(List.of(3), state().removing());
  }

  @Test
  void aRepeatedRequestChangesNothing() {
    on(0, 1, 2);
    reassign(3, 4, 5);
    int partitionEpoch = state().partitionEpoch();

    assertEquals(ErrorCode.NONE, reassign(3, 4, 5));

    assertEquals(partitionEpoch, state().partitionEpoch());
  }

  @Test
  void theOrderAloneMayChange() {
    on(0, 1, 2);

    reassign(2, 1, 0);

    assertEquals(List.of(2, 1, 0), state().replicas());
    assertEquals(0, state().leader(), "until leaders are balanced");
    assertNotEquals(0, state().partitionEpoch());
  }

  @Test
  void unknownRepeatedAndNoBrokersAreRefused() {
    on(0, 1, 2);
    assertEquals(ErrorCode.INVALID_REPLICA_ASSIGNMENT, reassign(0, 9));
    assertEquals(ErrorCode.INVALID_REPLICA_ASSIGNMENT, reassign(0, 0));
    assertEquals(ErrorCode.INVALID_REPLICA_ASSIGNMENT, reassign());
    PartitionId unknown = new PartitionId(partition.topicId(), 7);
    assertTrue(
        controller
            .message(new AlterPartitionReassignment(unknown, List.of(1)))
            .contains("does not exist"));
  }

  @Test
  void aReassignmentThatWouldLeaveNobodyWithAllRecordsIsRefused() {
    on(0, 1);
    reassign(0, 1, 3);
    inSync(List.of(0, 1, 3));
    reassign(0, 1, 3, 4);
    assertEquals(List.of(4), state().adding());
    List.of(0, 1, 3).forEach(id -> controller.restart(id, 2, false));
    assertEquals(List.of(), state().isr());

    assertEquals(ErrorCode.NONE, cancel(), "there is nothing left to lose");
  }
}
