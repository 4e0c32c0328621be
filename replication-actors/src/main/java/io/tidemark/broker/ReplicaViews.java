package io.tidemark.broker;

import io.tidemark.controller.Broker;
import io.tidemark.controller.MetadataImage;
import io.tidemark.controller.TopicConfig;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import io.tidemark.replica.PartitionView;
import io.tidemark.replica.PartitionView.Peer;
import io.tidemark.replica.TopicRules;
import io.tidemark.wire.WireSerializer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What each replica of this broker has to know, and has been told; and which ones have to go. A
 * pure core.
 */
final class ReplicaViews {
  /** A view that was told but not confirmed is told again after this. */
  static final long TELL_AGAIN_NANOS = 1_000_000_000;

  private record Told(PartitionView view, long at, boolean confirmed) {}

  private final int self;
  private final Map<PartitionId, Told> told = new HashMap<>();

  /** What was on the disk at the start, and what was started since. */
  private final Set<PartitionId> stored;

  private final Set<PartitionId> started = new HashSet<>();

  /** What is to go, and when that was said last. */
  private final Map<PartitionId, Long> removing = new HashMap<>();

  private MetadataImage seenForRemoval;
  private long newestOffset;

  /** An image that was looked through needs no second look, except for views not confirmed. */
  private MetadataImage seen;

  private long lookAgainAt;

  /**
   * @param stored replicas whose data was found on this broker's disk
   */
  ReplicaViews(int self, Collection<PartitionId> stored) {
    this.self = self;
    this.stored = new HashSet<>(stored);
  }

  /**
   * The views that are new or have to be told again. None before the image holds this broker's own
   * incarnation: until then it may say that this broker leads in an epoch of an older one.
   */
  Map<PartitionId, PartitionView> due(MetadataImage image, long brokerEpoch, long now) {
    if (isNotForMe(image, brokerEpoch) || (image == seen && now < lookAgainAt)) {
      return Map.of();
    }
    seen = image;
    lookAgainAt = Long.MAX_VALUE;
    Map<PartitionId, PartitionView> due = new HashMap<>();
    for (PartitionId partition : image.partitionsOn(self)) {
      PartitionView view = viewOf(image, partition, brokerEpoch);
      Told before = told.get(partition);
      boolean isNews = before == null || !before.view().equals(view);
      if (isNews || (!before.confirmed() && now - before.at() >= TELL_AGAIN_NANOS)) {
        told.put(partition, new Told(view, now, false));
        started.add(partition);
        due.put(partition, view);
      }
      if (!told.get(partition).confirmed()) {
        lookAgainAt = Math.min(lookAgainAt, told.get(partition).at() + TELL_AGAIN_NANOS);
      }
    }
    return due;
  }

  /**
   * The replicas that are not assigned to this broker any more: they have to end, and their data is
   * not needed. Data of topics that this cluster never knew is left alone: the disk may have come
   * from another one by mistake.
   */
  List<PartitionId> unwanted(MetadataImage image, long brokerEpoch, long now) {
    if (isNotForMe(image, brokerEpoch)) {
      return List.of();
    }
    if (image != seenForRemoval) {
      seenForRemoval = image;
      removing.keySet().removeIf(partition -> isAssigned(image, partition));
      started.stream().filter(it -> !isAssigned(image, it)).forEach(this::remove);
      stored.stream()
          .filter(it -> image.topicsById().containsKey(it.topicId()) && !isAssigned(image, it))
          .forEach(this::remove);
      started.removeAll(removing.keySet());
      stored.removeAll(removing.keySet());
    }
    List<PartitionId> due = new ArrayList<>();
    for (Map.Entry<PartitionId, Long> entry : removing.entrySet()) {
      if (now >= entry.getValue()) {
        entry.setValue(now + TELL_AGAIN_NANOS);
        due.add(entry.getKey());
      }
    }
    return due;
  }

  /**
   * A quorum member that starts again begins with older metadata than this broker knew: a partition
   * that is not in it is not one that has gone.
   */
  private boolean isNotForMe(MetadataImage image, long brokerEpoch) {
    Broker me = image.brokers().get(self);
    if (me == null || me.epoch() != brokerEpoch || image.nextOffset() < newestOffset) {
      return true;
    }
    newestOffset = image.nextOffset();
    return false;
  }

  private void remove(PartitionId partition) {
    told.remove(partition);
    removing.putIfAbsent(partition, Long.MIN_VALUE);
  }

  private boolean isAssigned(MetadataImage image, PartitionId partition) {
    PartitionState state = image.partition(partition);
    return state != null && state.replicas().contains(self);
  }

  void removed(PartitionId partition) {
    removing.remove(partition);
  }

  private PartitionView viewOf(MetadataImage image, PartitionId partition, long brokerEpoch) {
    PartitionState state = image.partition(partition);
    TopicConfig config = image.topicsById().get(partition.topicId()).config();
    Map<Integer, Peer> peers = new HashMap<>();
    for (int replica : state.replicas()) {
      Broker broker = image.brokers().get(replica);
      if (replica != self && broker != null) {
        peers.put(replica, new Peer(broker.epoch(), broker.eligible(), broker.rack()));
      }
    }
    return new PartitionView(
        partition,
        state,
        brokerEpoch,
        image.brokers().get(self).rack(),
        new TopicRules(
            config.minInsyncReplicas(),
            maxBatchBytes(image, config),
            config.retentionBytes(),
            config.retentionMs()),
        peers);
  }

  /** A batch that some broker's transport cannot carry could never be replicated. */
  static int maxBatchBytes(MetadataImage image, TopicConfig config) {
    int transport = image.smallestMaxMessageBytes() - WireSerializer.OVERHEAD_BYTES;
    return Math.min(config.maxMessageBytes(), transport);
  }

  void confirmed(PartitionId partition, PartitionView view) {
    Told before = told.get(partition);
    if (before != null && before.view().equals(view)) {
      told.put(partition, new Told(view, before.at(), true));
    }
  }

  void forget(PartitionId partition) {
    told.remove(partition);
    seen = null;
  }

  Iterable<PartitionId> started() {
    return told.keySet();
  }
}
