package io.tidemark.broker;

import io.tidemark.controller.MetadataImage;
import io.tidemark.protocol.ControllerRequest;
import io.tidemark.protocol.ControllerRequest.RegisterBroker;
import io.tidemark.protocol.ControllerResponse;
import io.tidemark.protocol.PartitionId;
import io.tidemark.replica.PartitionView;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;

/** A broker's pure cores, for a shell outside of this package. */
public final class SimBroker {
  private final BrokerLifecycle lifecycle;
  private final ReplicaViews views;

  /**
   * @param stored replicas whose data is on this broker's disk
   */
  public SimBroker(RegisterBroker registration, Collection<PartitionId> stored) {
    lifecycle = new BrokerLifecycle(registration);
    views = new ReplicaViews(registration.brokerId(), stored);
  }

  /** Gives what is to be sent to the controller now, if anything. */
  public void due(long metadataOffset, long now, BiConsumer<Long, ControllerRequest> send) {
    lifecycle
        .due(metadataOffset, now)
        .ifPresent(ask -> send.accept(ask.requestId(), ask.request()));
  }

  public void answered(long id, ControllerResponse response, UUID freshIncarnation, long now) {
    lifecycle.answered(id, response, freshIncarnation, now);
  }

  public void restart(UUID freshIncarnation, boolean clean, long now) {
    lifecycle.restart(freshIncarnation, clean, now);
  }

  public void leave(long now) {
    lifecycle.leave(now);
  }

  public void askAgain(long now) {
    lifecycle.askAgain(now);
  }

  public boolean isGone() {
    return lifecycle.phase() == BrokerLifecycle.Phase.GONE;
  }

  public UUID incarnation() {
    return lifecycle.incarnation();
  }

  /** −1 while not registered. */
  public long brokerEpoch() {
    return lifecycle.brokerEpoch();
  }

  public Map<PartitionId, PartitionView> viewsDue(MetadataImage image, long brokerEpoch, long now) {
    return views.due(image, brokerEpoch, now);
  }

  /** Replicas that are not assigned to this broker any more. */
  public List<PartitionId> unwanted(MetadataImage image, long brokerEpoch, long now) {
    return views.unwanted(image, brokerEpoch, now);
  }

  public void removed(PartitionId partition) {
    views.removed(partition);
  }

  public void confirmed(PartitionId partition, PartitionView view) {
    views.confirmed(partition, view);
  }

  public void forget(PartitionId partition) {
    views.forget(partition);
  }

  public static int maxBatchBytes(MetadataImage image, PartitionId partition) {
    return ReplicaViews.maxBatchBytes(image, image.topicsById().get(partition.topicId()).config());
  }
}
