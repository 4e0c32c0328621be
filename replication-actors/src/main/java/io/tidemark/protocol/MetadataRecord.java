package io.tidemark.protocol;

import java.util.Map;
import java.util.UUID;

/** What the metadata log holds, one record each; {@code MetadataImage} is the fold of these. */
public sealed interface MetadataRecord {

  /** First of every leader's epoch: what is before it is committed when it is (Raft §8). */
  record LeaderStarted(int leaderId, int epoch) implements MetadataRecord {}

  /** A broker, fenced at first; its epoch is this record's offset. */
  record BrokerRegistered(
      int brokerId,
      UUID incarnation,
      UUID directoryId,
      String address,
      int livenessPort,
      String rack,
      int maxMessageBytes)
      implements MetadataRecord {}

  record BrokerFenced(int brokerId, long brokerEpoch) implements MetadataRecord {}

  record BrokerUnfenced(int brokerId, long brokerEpoch) implements MetadataRecord {}

  /** The broker hands over and takes no new leadership until it registers again. */
  record BrokerShuttingDown(int brokerId, long brokerEpoch) implements MetadataRecord {}

  /** In snapshots only: a broker as it was, registered by a record that is gone. */
  record BrokerSnapshot(
      int brokerId,
      long brokerEpoch,
      UUID incarnation,
      UUID directoryId,
      String address,
      int livenessPort,
      String rack,
      int maxMessageBytes,
      boolean fenced,
      boolean shuttingDown)
      implements MetadataRecord {}

  record TopicCreated(String name, UUID topicId, Map<String, String> configs)
      implements MetadataRecord {
    public TopicCreated {
      configs = Map.copyOf(configs);
    }
  }

  /** The whole new state of a partition, new or changed. */
  record PartitionChanged(PartitionId partition, PartitionState state) implements MetadataRecord {}

  /** In a snapshot: the cluster's id, which the first registration of all had made. */
  record ClusterNamed(UUID clusterId) implements MetadataRecord {}

  /** Ids below {@code next} have been given. */
  record ProducerIdsGiven(long next) implements MetadataRecord {}
}
