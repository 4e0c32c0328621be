package io.tidemark.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tidemark.protocol.ControllerRequest.AlterPartition;
import io.tidemark.protocol.ControllerRequest.IsrMember;
import io.tidemark.protocol.ControllerResponse.PartitionAltered;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class IsrAlterationTest {
  private final ControllerFixture controller = ControllerFixture.withBrokers(1, 2, 3, 4);
  private PartitionId partition;
  private AlterPartition good;
  private int leader;
  private int follower;
  private int outsider;

  @BeforeEach
  void aPartitionOfThreeReplicas() {
    partition = controller.create("orders", 3, Map.of());
    PartitionState state = controller.state(partition);
    leader = state.leader();
    follower = state.replicas().get(1);
    outsider =
        List.of(1, 2, 3, 4).stream().filter(id -> !state.replicas().contains(id)).findFirst().get();
    good = controller.proposal(partition, List.of(leader, follower));
  }

  @Test
  void aGoodProposalIsWrittenAndAnsweredWithTheNewState() {
    int before = controller.state(partition).partitionEpoch();
    PartitionAltered answer = (PartitionAltered) controller.ask(good);
    assertEquals(controller.state(partition), answer.state());
    assertEquals(List.of(leader, follower), answer.state().isr());
    assertEquals(before + 1, answer.state().partitionEpoch());
  }

  @Test
  void anUnknownPartitionIsRefused() {
    PartitionId other = new PartitionId(new UUID(9, 8), 0);
    assertEquals(
        ErrorCode.UNKNOWN_TOPIC_ID,
        controller.error(
            new AlterPartition(
                other,
                leader,
                good.brokerEpoch(),
                good.leaderEpoch(),
                good.partitionEpoch(),
                good.isr(),
                false)));
  }

  @Test
  void anOlderLeaderEpochIsFenced() {
    controller.die(leader);
    assertEquals(ErrorCode.FENCED_LEADER_EPOCH, controller.error(good));
  }

  @Test
  void s26_a_leader_that_is_newer_than_the_controller_is_sent_to_the_new_one() {
    assertEquals(ErrorCode.NOT_CONTROLLER, controller.error(withEpochs(1, 0)));
    assertEquals(ErrorCode.NOT_CONTROLLER, controller.error(withEpochs(0, 1)));
    assertEquals(ErrorCode.NONE, controller.error(good));
  }

  @Test
  void onlyTheLeaderProposes() {
    AlterPartition others =
        new AlterPartition(
            partition,
            follower,
            controller.epoch(follower),
            good.leaderEpoch(),
            good.partitionEpoch(),
            good.isr(),
            false);
    assertEquals(ErrorCode.INVALID_REQUEST, controller.error(others));
  }

  @Test
  void anotherIncarnationOfTheLeaderIsStale() {
    AlterPartition stale =
        new AlterPartition(
            partition,
            leader,
            good.brokerEpoch() - 1,
            good.leaderEpoch(),
            good.partitionEpoch(),
            good.isr(),
            false);
    assertEquals(ErrorCode.STALE_BROKER_EPOCH, controller.error(stale));
  }

  @Test
  void s25_a_retry_after_a_lost_response_is_told_that_the_partition_moved_on() {
    assertEquals(ErrorCode.NONE, controller.error(good));
    PartitionState applied = controller.state(partition);
    assertEquals(ErrorCode.INVALID_UPDATE_VERSION, controller.error(good));
    assertEquals(applied, controller.state(partition));
  }

  @Test
  void anIsrIsASetOfReplicasWithTheLeader() {
    assertEquals(ErrorCode.INVALID_REQUEST, controller.propose(partition, List.of()));
    assertEquals(ErrorCode.INVALID_REQUEST, controller.propose(partition, List.of(follower)));
    assertEquals(ErrorCode.INVALID_REQUEST, controller.propose(partition, List.of(leader, leader)));
    assertEquals(
        ErrorCode.INVALID_REQUEST, controller.propose(partition, List.of(leader, outsider)));
  }

  @Test
  void aFencedBrokerDoesNotJoin() {
    controller.die(follower);
    assertEquals(
        ErrorCode.INELIGIBLE_REPLICA, controller.propose(partition, List.of(leader, follower)));
  }

  @Test
  void s28_an_expansion_that_cites_an_older_incarnation_is_ineligible() {
    long seen = controller.epoch(follower);
    controller.restart(follower, 2, true);
    AlterPartition now = controller.proposal(partition, List.of(leader, follower));
    AlterPartition citesOld =
        new AlterPartition(
            partition,
            leader,
            now.brokerEpoch(),
            now.leaderEpoch(),
            now.partitionEpoch(),
            List.of(new IsrMember(leader, now.brokerEpoch()), new IsrMember(follower, seen)),
            false);
    assertEquals(ErrorCode.INELIGIBLE_REPLICA, controller.error(citesOld));
    assertEquals(ErrorCode.NONE, controller.error(now));
  }

  @Test
  void aLeaderThatDidNotStartUncleanlyCannotClaimRecovery() {
    AlterPartition recovering =
        new AlterPartition(
            partition,
            leader,
            good.brokerEpoch(),
            good.leaderEpoch(),
            good.partitionEpoch(),
            List.of(new IsrMember(leader, good.brokerEpoch())),
            true);
    assertEquals(ErrorCode.INVALID_REQUEST, controller.error(recovering));
  }

  private AlterPartition withEpochs(int leaderEpochs, int partitionEpochs) {
    return new AlterPartition(
        partition,
        leader,
        good.brokerEpoch(),
        good.leaderEpoch() + leaderEpochs,
        good.partitionEpoch() + partitionEpochs,
        good.isr(),
        false);
  }
}
