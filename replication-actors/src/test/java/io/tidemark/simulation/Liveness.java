package io.tidemark.simulation;

import io.tidemark.controller.Broker;
import io.tidemark.controller.MetadataImage;
import io.tidemark.log.LogState;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import java.util.Map;

/** Invariant 15: what has to come true when nothing fails any more. */
final class Liveness {
  private static final int LOOK_EVERY = 25;

  private final Simulation sim;
  private int calls;

  Liveness(Simulation sim) {
    this.sim = sim;
  }

  /** Looks now and then. */
  boolean isReached() {
    return ++calls % LOOK_EVERY == 0 && missing() == null;
  }

  /** What is not as it should be; null when all is. */
  String missing() {
    MetadataImage image = sim.invariants.image();
    if (sim.nodes().stream().noneMatch(node -> node.isUp() && node.quorum().isActive())) {
      return "no controller";
    }
    for (Node node : sim.nodes()) {
      if (!node.isUp() || node.quorum().image().nextOffset() != image.nextOffset()) {
        return node + " does not know the newest metadata";
      }
      Broker broker = image.brokers().get(node.id);
      if (broker == null
          || !broker.eligible()
          || broker.epoch() != node.broker().cores().brokerEpoch()) {
        return node + " is not in service: " + broker;
      }
    }
    for (Map.Entry<PartitionId, PartitionState> entry : image.partitions().entrySet()) {
      String missing = missingOf(entry.getKey(), entry.getValue(), image);
      if (missing != null) {
        return missing;
      }
    }
    for (ProducerClient producer : sim.clients.producers()) {
      boolean offline = sim.invariants.isAnyOffline(producer.topic());
      if (!producer.isIdle() || (!offline && !producer.hasWrittenProbes())) {
        return producer + " has not written all";
      }
    }
    return null;
  }

  private String missingOf(PartitionId id, PartitionState state, MetadataImage image) {
    if (state.leader() == PartitionState.NO_LEADER) {
      boolean hopeless =
          state.isr().isEmpty()
              && state.elr().isEmpty()
              && !image.topicsById().get(id.topicId()).config().uncleanLeaderElection();
      return hopeless ? null : "no leader: " + state;
    }
    ReplicaShell leader = sim.node(state.leader()).broker().replica(id);
    if (leader == null || !leader.core().isLeader()) {
      return sim.node(state.leader()) + " does not lead: " + state;
    }
    if (state.isr().size() < state.replicas().size()) {
      return "not all are in sync: " + state;
    }
    if (!state.adding().isEmpty() || !state.removing().isEmpty() || state.recovering()) {
      return "not settled: " + state;
    }
    LogState log = leader.log.state();
    for (int member : state.replicas()) {
      ReplicaShell replica = sim.node(member).broker().replica(id);
      if (replica == null || replica.core().log() == null) {
        return sim.node(member) + " has no replica of " + id;
      }
      if (replica.log.state().endOffset() != log.endOffset()
          || replica.core().highWatermark() != log.endOffset()) {
        return "%s has %s, the leader %s".formatted(sim.node(member), replica.log, leader.log);
      }
    }
    return null;
  }
}
