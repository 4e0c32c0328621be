package io.tidemark.controller;

import io.tidemark.protocol.MetadataRecord;
import io.tidemark.protocol.MetadataRecord.BrokerFenced;
import io.tidemark.protocol.MetadataRecord.BrokerRegistered;
import io.tidemark.protocol.MetadataRecord.BrokerShuttingDown;
import io.tidemark.protocol.MetadataRecord.BrokerSnapshot;
import io.tidemark.protocol.MetadataRecord.BrokerUnfenced;
import io.tidemark.protocol.MetadataRecord.ClusterNamed;
import io.tidemark.protocol.MetadataRecord.PartitionChanged;
import io.tidemark.protocol.MetadataRecord.ProducerIdsGiven;
import io.tidemark.protocol.MetadataRecord.TopicCreated;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.IntStream;
import org.pcollections.HashTreePMap;
import org.pcollections.HashTreePSet;
import org.pcollections.PMap;
import org.pcollections.PSet;
import org.pcollections.TreePMap;

/**
 * The fold of the metadata log: what the cluster is, as of one offset. Immutable and persistent, so
 * each reader may keep the one that it got, and the next one shares nearly all of it.
 *
 * <p>A record that does not fit (a gap, a broker epoch that is not the registered one) throws: a
 * replica that went on would differ from the others for ever.
 *
 * @param nextOffset of the next record to apply
 * @param clusterId the incarnation of the broker that registered first: random, and the same on
 *     every node; null while none has registered
 * @param brokers by id
 * @param topicsByName by name
 * @param topicsById the same, by id
 * @param partitions the state of each partition
 * @param assignments which partitions have a replica on a broker
 * @param nextProducerId ids below it have been given
 */
public record MetadataImage(
    long nextOffset,
    UUID clusterId,
    PMap<Integer, Broker> brokers,
    PMap<String, Topic> topicsByName,
    PMap<UUID, Topic> topicsById,
    PMap<PartitionId, PartitionState> partitions,
    PMap<Integer, PSet<PartitionId>> assignments,
    long nextProducerId) {

  public static final MetadataImage EMPTY =
      new MetadataImage(
          0,
          null,
          TreePMap.empty(),
          TreePMap.empty(),
          HashTreePMap.empty(),
          HashTreePMap.empty(),
          HashTreePMap.empty(),
          0);

  private static final Comparator<PartitionId> BY_TOPIC_AND_NUMBER =
      Comparator.comparing(PartitionId::topicId).thenComparingInt(PartitionId::partition);

  /**
   * @throws IllegalArgumentException when the record does not follow what was applied before
   */
  public MetadataImage apply(long offset, MetadataRecord record) {
    require(offset == nextOffset, "expected the record at offset %d, got %d", nextOffset, offset);
    Draft draft = new Draft(this);
    if (record instanceof ClusterNamed r) {
      draft.clusterId = r.clusterId();
    } else if (record instanceof BrokerSnapshot r) {
      draft.brokers = brokers.plus(r.brokerId(), restored(r));
    } else if (record instanceof BrokerRegistered r) {
      draft.brokers = brokers.plus(r.brokerId(), registered(offset, r));
      draft.clusterId = clusterId == null ? r.incarnation() : clusterId;
    } else if (record instanceof BrokerFenced r) {
      draft.brokers =
          brokers.plus(r.brokerId(), broker(r.brokerId(), r.brokerEpoch()).withFenced(true));
    } else if (record instanceof BrokerUnfenced r) {
      draft.brokers =
          brokers.plus(r.brokerId(), broker(r.brokerId(), r.brokerEpoch()).withFenced(false));
    } else if (record instanceof BrokerShuttingDown r) {
      draft.brokers =
          brokers.plus(r.brokerId(), broker(r.brokerId(), r.brokerEpoch()).withShuttingDown());
    } else if (record instanceof TopicCreated r) {
      require(!topicsByName.containsKey(r.name()), "topic '%s' exists", r.name());
      require(!topicsById.containsKey(r.topicId()), "topic id %s exists", r.topicId());
      draft.put(new Topic(r.name(), r.topicId(), 0, r.configs(), TopicConfig.parse(r.configs())));
    } else if (record instanceof PartitionChanged r) {
      draft.put(r.partition(), r.state());
    } else if (record instanceof ProducerIdsGiven r) {
      draft.nextProducerId = r.next();
    }
    return draft.image(offset + 1);
  }

  /** The state of a partition, null when it does not exist. */
  public PartitionState partition(PartitionId partition) {
    return partitions.get(partition);
  }

  /** The partitions of a topic by number, none when there is no such topic. */
  public List<PartitionId> partitionsOf(String topic) {
    Topic known = topicsByName.get(topic);
    return known == null
        ? List.of()
        : IntStream.range(0, known.partitions())
            .mapToObj(number -> new PartitionId(known.id(), number))
            .toList();
  }

  /** The partitions with a replica on this broker, always in the same order. */
  public List<PartitionId> partitionsOn(int brokerId) {
    return assignments.getOrDefault(brokerId, HashTreePSet.empty()).stream()
        .sorted(BY_TOPIC_AND_NUMBER)
        .toList();
  }

  /** What every registered broker's transport takes; unlimited while there is none. */
  public int smallestMaxMessageBytes() {
    return brokers.values().stream()
        .mapToInt(Broker::maxMessageBytes)
        .min()
        .orElse(Integer.MAX_VALUE);
  }

  /** The same, as of another offset. */
  MetadataImage at(long offset) {
    return new Draft(this).image(offset);
  }

  private static Broker restored(BrokerSnapshot r) {
    return new Broker(
        r.brokerId(),
        r.brokerEpoch(),
        r.incarnation(),
        r.directoryId(),
        r.address(),
        r.livenessPort(),
        r.rack(),
        r.maxMessageBytes(),
        r.fenced(),
        r.shuttingDown());
  }

  private static Broker registered(long offset, BrokerRegistered r) {
    return new Broker(
        r.brokerId(),
        offset,
        r.incarnation(),
        r.directoryId(),
        r.address(),
        r.livenessPort(),
        Objects.requireNonNullElse(r.rack(), ""),
        r.maxMessageBytes(),
        true,
        false);
  }

  private Broker broker(int id, long epoch) {
    Broker broker = brokers.get(id);
    require(
        broker != null && broker.epoch() == epoch,
        "broker %d is not registered with epoch %d",
        id,
        epoch);
    return broker;
  }

  private static void require(boolean holds, String message, Object... arguments) {
    if (!holds) {
      throw new IllegalArgumentException(message.formatted(arguments));
    }
  }

  /** The components of the next image while one record is applied. */
  private static final class Draft {
    private UUID clusterId;
    private PMap<Integer, Broker> brokers;
    private PMap<String, Topic> topicsByName;
    private PMap<UUID, Topic> topicsById;
    private PMap<PartitionId, PartitionState> partitions;
    private PMap<Integer, PSet<PartitionId>> assignments;
    private long nextProducerId;

    private Draft(MetadataImage image) {
      clusterId = image.clusterId;
      brokers = image.brokers;
      topicsByName = image.topicsByName;
      topicsById = image.topicsById;
      partitions = image.partitions;
      assignments = image.assignments;
      nextProducerId = image.nextProducerId;
    }

    private void put(Topic topic) {
      topicsByName = topicsByName.plus(topic.name(), topic);
      topicsById = topicsById.plus(topic.id(), topic);
    }

    private void put(PartitionId id, PartitionState next) {
      Topic topic = topicsById.get(id.topicId());
      require(topic != null, "partition %s of a topic that does not exist", id);
      if (id.partition() >= topic.partitions()) {
        put(topic.withPartitions(id.partition() + 1));
      }
      PartitionState before = partitions.get(id);
      List<Integer> left = before == null ? List.of() : before.replicas();
      if (!left.equals(next.replicas())) {
        left.forEach(broker -> assignments = assignments.plus(broker, on(broker).minus(id)));
        next.replicas()
            .forEach(broker -> assignments = assignments.plus(broker, on(broker).plus(id)));
      }
      partitions = partitions.plus(id, next);
    }

    private PSet<PartitionId> on(int broker) {
      return assignments.getOrDefault(broker, HashTreePSet.empty());
    }

    private MetadataImage image(long nextOffset) {
      return new MetadataImage(
          nextOffset,
          clusterId,
          brokers,
          topicsByName,
          topicsById,
          partitions,
          assignments,
          nextProducerId);
    }
  }
}
