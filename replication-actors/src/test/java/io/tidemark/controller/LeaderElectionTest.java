package io.tidemark.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tidemark.protocol.PartitionState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class LeaderElectionTest {
  private static final TopicConfig SAFE = new TopicConfig(2, false, 1 << 20, -1, -1);
  private static final TopicConfig UNCLEAN = new TopicConfig(2, true, 1 << 20, -1, -1);

  @Test
  void theFirstLiveMemberOfTheIsrInAssignmentOrderLeads() {
    PartitionState before = state(List.of(1, 2, 3), List.of(1, 2, 3), List.of(), 1);
    PartitionState after = election(SAFE, 2, 3).leave(before, Set.of(1), true).orElseThrow();
    assertEquals(2, after.leader());
    assertEquals(List.of(2, 3), after.isr());
    assertEquals(List.of(), after.elr());
    assertEquals(6, after.leaderEpoch());
    assertEquals(9, after.partitionEpoch());
  }

  @Test
  void whoLeavesAnIsrThatFallsBelowMinIsrStaysEligible() {
    PartitionState before = state(List.of(1, 2, 3), List.of(1, 2), List.of(), 1);
    PartitionState after = election(SAFE, 1, 3).leave(before, Set.of(2), true).orElseThrow();
    assertEquals(List.of(1), after.isr());
    assertEquals(List.of(2), after.elr());
    assertEquals(5, after.leaderEpoch(), "the leader stays, so does its epoch");
  }

  @Test
  void theLastMemberOfTheIsrBecomesEligibleAndThePartitionLeaderless() {
    PartitionState before = state(List.of(1, 2, 3), List.of(1), List.of(2), 1);
    PartitionState after = election(SAFE, 3).leave(before, Set.of(1), true).orElseThrow();
    assertEquals(List.of(), after.isr());
    assertEquals(List.of(1, 2), after.elr());
    assertEquals(PartitionState.NO_LEADER, after.leader());
    assertEquals(6, after.leaderEpoch());
  }

  @Test
  void anEligibleReplicaLeadsWhenTheIsrIsEmpty() {
    PartitionState before = state(List.of(1, 2, 3), List.of(), List.of(1, 2), -1);
    PartitionState after = election(SAFE, 2, 3).elect(before).orElseThrow();
    assertEquals(2, after.leader());
    assertEquals(List.of(2), after.isr());
    assertEquals(List.of(1), after.elr());
  }

  @Test
  void aMinIsrOfOneEmptiesTheElrAsSoonAsOneLeads() {
    PartitionState before = state(List.of(1, 2), List.of(), List.of(1, 2), -1);
    PartitionState after =
        election(new TopicConfig(1, false, 1 << 20, -1, -1), 2).elect(before).orElseThrow();
    assertEquals(List.of(2), after.isr());
    assertEquals(List.of(), after.elr());
  }

  @Test
  void theElrIsEmptiedWhenTheIsrHasMinIsrMembersAgain() {
    PartitionState before = state(List.of(1, 2, 3), List.of(1), List.of(2), 1);
    PartitionState after = election(SAFE, 1, 3).alter(before, Set.of(1, 3), false).orElseThrow();
    assertEquals(List.of(1, 3), after.isr());
    assertEquals(List.of(), after.elr());
  }

  @Test
  void nobodyLeadsWithoutALiveMemberOfIsrOrElr() {
    PartitionState before = state(List.of(1, 2, 3), List.of(), List.of(1), -1);
    assertEquals(Optional.empty(), election(SAFE, 2, 3).elect(before));
  }

  @Test
  void anUncleanElectionForgetsTheElrAndMarksRecovery() {
    PartitionState before = state(List.of(1, 2, 3), List.of(), List.of(1), -1);
    assertEquals(Optional.empty(), election(UNCLEAN, 2, 3).elect(before), "not without asking");
    assertEquals(List.of(2, 3), election(UNCLEAN, 2, 3).uncleanCandidates(before));
    assertEquals(List.of(), election(SAFE, 2, 3).uncleanCandidates(before));
    PartitionState after = election(UNCLEAN, 2, 3).electUncleanly(before, 2);
    assertEquals(2, after.leader());
    assertEquals(List.of(2), after.isr());
    assertEquals(List.of(), after.elr());
    assertEquals(true, after.recovering());
  }

  @Test
  void aCleanCandidateIsPreferredToAnUncleanElection() {
    PartitionState before = state(List.of(1, 2, 3), List.of(), List.of(3), -1);
    PartitionState after = election(UNCLEAN, 1, 2, 3).elect(before).orElseThrow();
    assertEquals(3, after.leader());
    assertEquals(false, after.recovering());
  }

  @Test
  void anUncleanRestartLeavesIsrAndElr() {
    PartitionState before = state(List.of(1, 2, 3), List.of(1), List.of(2), 1);
    PartitionState leader = election(SAFE, 3).leave(before, Set.of(1), false).orElseThrow();
    assertEquals(List.of(), leader.isr());
    assertEquals(List.of(2), leader.elr());
    PartitionState both = election(SAFE, 3).leave(leader, Set.of(2), false).orElseThrow();
    assertEquals(List.of(), both.elr());
    assertEquals(leader.leaderEpoch(), both.leaderEpoch(), "it was leaderless before");
  }

  @Test
  void theLastMemberKeepsLeadingWhileItShutsDown() {
    PartitionState before = state(List.of(1, 2), List.of(1), List.of(), 1);
    Map<Integer, Broker> brokers = brokers(2);
    brokers.put(1, broker(1, false).withShuttingDown());
    assertEquals(Optional.empty(), new LeaderElection(brokers, UNCLEAN).handOver(before, 1));
  }

  @Test
  void aLastMemberThatShutsDownHandsOverToALiveEligibleReplica() {
    PartitionState before = state(List.of(1, 2), List.of(1), List.of(2), 1);
    Map<Integer, Broker> brokers = brokers(2);
    brokers.put(1, broker(1, false).withShuttingDown());
    PartitionState after = new LeaderElection(brokers, SAFE).handOver(before, 1).orElseThrow();
    assertEquals(2, after.leader());
    assertEquals(List.of(2), after.isr());
    assertEquals(List.of(1), after.elr());
  }

  @Test
  void theReplicationFactorCapsMinIsr() {
    PartitionState before = state(List.of(1), List.of(1), List.of(), 1);
    PartitionState after = election(SAFE).leave(before, Set.of(1), true).orElseThrow();
    assertEquals(List.of(1), after.elr());
    PartitionState back = election(SAFE, 1).elect(after).orElseThrow();
    assertEquals(List.of(1), back.isr());
    assertEquals(List.of(), back.elr());
  }

  private static PartitionState state(
      List<Integer> replicas, List<Integer> isr, List<Integer> elr, int leader) {
    return new PartitionState(replicas, isr, elr, leader, 5, 8, false);
  }

  private static LeaderElection election(TopicConfig config, int... live) {
    return new LeaderElection(brokers(live), config);
  }

  private static Map<Integer, Broker> brokers(int... live) {
    Map<Integer, Broker> brokers = new HashMap<>();
    for (int id = 1; id <= 3; id++) {
      brokers.put(id, broker(id, true));
    }
    for (int id : live) {
      brokers.put(id, broker(id, false));
    }
    return brokers;
  }

  private static Broker broker(int id, boolean fenced) {
    return new Broker(
        id, id, new UUID(id, 1), new UUID(id, 0), "h:1", 0, "", 1 << 20, fenced, false);
  }
}
