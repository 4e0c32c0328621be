package io.tidemark.cluster;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Adapter;
import akka.cluster.sharding.typed.ClusterShardingSettings;
import akka.cluster.sharding.typed.ShardingEnvelope;
import akka.cluster.sharding.typed.ShardingMessageExtractor;
import akka.cluster.sharding.typed.javadsl.ClusterSharding;
import akka.cluster.sharding.typed.javadsl.Entity;
import akka.cluster.sharding.typed.javadsl.EntityTypeKey;
import io.tidemark.controller.MetadataImage;
import io.tidemark.protocol.PartitionId;
import io.tidemark.replica.PartitionReplica;
import io.tidemark.wire.ReplicaMessage;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Partition replicas as sharded entities: the entity {@code <topic id>-<partition>@<broker>} in the
 * shard {@code <broker>}.
 */
final class ReplicaShards {
  static final EntityTypeKey<ReplicaMessage> KEY =
      EntityTypeKey.create(ReplicaMessage.class, "tidemark-replica");

  private final ActorRef<ShardingEnvelope<ReplicaMessage>> region;

  private ReplicaShards(ActorRef<ShardingEnvelope<ReplicaMessage>> region) {
    this.region = region;
  }

  /**
   * Replicas stay until they are stopped: the direct refs that they are reached by do not count as
   * activity, so passivation would stop them at work.
   */
  static ReplicaShards start(
      ActorSystem<?> system,
      Supplier<MetadataImage> image,
      Function<PartitionId, Behavior<ReplicaMessage>> replica) {
    ClusterShardingSettings settings =
        ClusterShardingSettings.create(system).withNoPassivationStrategy();
    return new ReplicaShards(
        ClusterSharding.get(system)
            .init(
                Entity.of(KEY, context -> replica.apply(partitionOf(context.getEntityId())))
                    .withMessageExtractor(new Extractor())
                    .withSettings(settings)
                    .withStopMessage(new PartitionReplica.Stop())
                    .withAllocationStrategy(
                        new BrokerAllocation(Adapter.toClassic(system), image))));
  }

  void tell(PartitionId partition, int broker, ReplicaMessage message) {
    region.tell(new ShardingEnvelope<>(PartitionReplica.persistenceId(partition, broker), message));
  }

  /** The partitions among these persistence ids that have a replica of this broker. */
  static List<PartitionId> storedOn(int broker, List<String> persistenceIds) {
    Pattern name =
        Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-[0-9]{1,9}@" + broker);
    return persistenceIds.stream()
        .filter(id -> name.matcher(id).matches())
        .map(ReplicaShards::partitionOf)
        .filter(partition -> !partition.equals(PartitionId.METADATA))
        .toList();
  }

  private static PartitionId partitionOf(String entityId) {
    int dash = entityId.lastIndexOf('-');
    int at = entityId.lastIndexOf('@');
    return new PartitionId(
        UUID.fromString(entityId.substring(0, dash)),
        Integer.parseInt(entityId.substring(dash + 1, at)));
  }

  private static final class Extractor
      extends ShardingMessageExtractor<ShardingEnvelope<ReplicaMessage>, ReplicaMessage> {
    @Override
    public String entityId(ShardingEnvelope<ReplicaMessage> envelope) {
      return envelope.entityId();
    }

    @Override
    public String shardId(String entityId) {
      return entityId.substring(entityId.lastIndexOf('@') + 1);
    }

    @Override
    public ReplicaMessage unwrapMessage(ShardingEnvelope<ReplicaMessage> envelope) {
      return envelope.message();
    }
  }
}
