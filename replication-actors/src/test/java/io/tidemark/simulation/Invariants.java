package io.tidemark.simulation;

import io.tidemark.controller.Broker;
import io.tidemark.controller.MetadataImage;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import io.tidemark.quorum.QuorumEffect;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * The onlooker who sees all disks and processes at once, and judges them by part 7 of the protocol.
 * Looks only at what a step touched.
 */
final class Invariants {
  private final Simulation sim;
  private final QuorumWatch quorum;
  private final Map<PartitionId, PartitionWatch> partitions = new LinkedHashMap<>();
  private MetadataImage image = MetadataImage.EMPTY;

  Invariants(Simulation sim) {
    this.sim = sim;
    this.quorum = new QuorumWatch(sim, this);
  }

  /** All that is committed of the metadata, whoever knows it. */
  MetadataImage image() {
    return image;
  }

  QuorumWatch quorum() {
    return quorum;
  }

  Map<PartitionId, PartitionWatch> partitions() {
    return partitions;
  }

  PartitionWatch partition(PartitionId id) {
    return partitions.computeIfAbsent(id, key -> new PartitionWatch(sim, key));
  }

  void newDisk(UUID directory, SimulatedLog metadata) {
    quorum.newDisk(directory, metadata);
  }

  void replicaStepped(ReplicaShell replica) {
    partition(replica.partition).stepped(replica);
  }

  void quorumEffect(QuorumShell member, QuorumEffect effect) {
    quorum.effect(member, effect);
  }

  void quorumStepped(QuorumShell member) {
    quorum.stepped(member);
  }

  MetadataImage imageAt(QuorumShell member, long highWatermark) {
    return quorum.imageAt(member, highWatermark);
  }

  /** The process has ended; what its disk lost is not known before it is asked for. */
  void ended(Node node) {
    sim.trace.mix(node.id);
  }

  /** A batch of the metadata is committed. */
  void committed(MetadataImage newer) {
    MetadataImage older = image;
    image = newer;
    for (Node node : sim.nodes()) {
      Broker broker = newer.brokers().get(node.id);
      Broker before = older.brokers().get(node.id);
      if (broker != null && (before == null || !before.equals(broker))) {
        brokerChanged(node, before, broker);
      }
    }
    for (Map.Entry<PartitionId, PartitionState> entry : newer.partitions().entrySet()) {
      PartitionState before = older.partition(entry.getKey());
      if (entry.getValue() != before) {
        partition(entry.getKey()).changed(before, entry.getValue());
      }
    }
    if (newer.brokers() != older.brokers()) {
      newer.partitions().keySet().forEach(id -> partition(id).isWellFormed());
    }
  }

  private void brokerChanged(Node node, Broker before, Broker broker) {
    if (before != null && broker.epoch() < before.epoch()) {
      throw new Violation("9", "the epoch of broker %d went back".formatted(node.id));
    }
    sim.coverage.count(broker.fenced() ? "broker-fenced" : "broker-unfenced");
    if (before != null && before.epoch() == broker.epoch()) {
      return;
    }
    boolean unclean =
        node.isUnclean()
            && node.broker() != null
            && node.broker().cores().incarnation().equals(broker.incarnation());
    if (unclean) {
      sim.coverage.count("registered-unclean");
      for (PartitionId id : image.partitionsOn(node.id)) {
        PartitionState state = image.partition(id);
        if (state.isr().contains(node.id) || state.elr().contains(node.id)) {
          throw new Violation(
              "11", "%s may have lost records and is in sync in %s".formatted(node, state));
        }
      }
    }
    node.registered(broker.incarnation());
  }

  /** Whether a partition of the topic cannot be led by anyone. */
  boolean isAnyOffline(String topic) {
    return image.partitionsOf(topic).stream()
        .anyMatch(id -> image.partition(id).leader() == PartitionState.NO_LEADER);
  }

  /** Everything once more, when all is at rest. */
  void atRest() {
    partitions.values().forEach(PartitionWatch::atRest);
  }
}
