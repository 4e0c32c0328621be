package io.tidemark.simulation;

import io.tidemark.log.LogEvent;
import io.tidemark.log.LogState;
import io.tidemark.protocol.ControllerRequest;
import io.tidemark.protocol.PartitionId;
import io.tidemark.quorum.QuorumCore;
import io.tidemark.quorum.QuorumMember;
import io.tidemark.quorum.QuorumSettings;
import io.tidemark.replica.ReplicaCore;
import io.tidemark.replica.ReplicaEffect;
import io.tidemark.replica.ReplicaInput;
import io.tidemark.replica.ReplicaSettings;
import io.tidemark.replica.Throttle;

/**
 * What the shells do for the cores, done right. A mutant overrides one thing, and does it wrong.
 */
class Rules {
  ReplicaCore replica(
      int self, PartitionId partition, ReplicaSettings settings, Throttle throttle) {
    return new ReplicaCore(self, partition, settings, throttle);
  }

  QuorumCore quorum(QuorumMember member, QuorumSettings settings) {
    return new QuorumCore(member, settings);
  }

  /** Whether whoever writes is told before the disk has it, so that any crash may take it away. */
  boolean tellsEarly(Node node, SimulatedLog log, LogEvent event) {
    return false;
  }

  /** What a replica is told of its log. */
  LogState told(LogState log) {
    return log;
  }

  /** What a quorum member finds after a restart. */
  LogState recovered(LogState metadataLog) {
    return metadataLog;
  }

  void input(ReplicaShell replica, ReplicaInput input) {
    replica.step(input);
  }

  void effect(ReplicaShell replica, ReplicaEffect effect) {
    replica.perform(effect);
  }

  ControllerRequest controllerRequest(QuorumShell controller, ControllerRequest request) {
    return request;
  }

  /** The incarnation for which a broker takes what the metadata says of its replicas. */
  long viewEpoch(BrokerShell broker) {
    return broker.cores().brokerEpoch();
  }
}
