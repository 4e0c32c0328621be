package io.tidemark.cluster;

import akka.actor.typed.ActorRef;
import io.tidemark.client.ClusterNodes;
import io.tidemark.controller.Broker;
import io.tidemark.controller.MetadataImage;
import io.tidemark.protocol.PartitionId;
import io.tidemark.replica.PeerLocator;
import io.tidemark.wire.BrokerMessage;
import io.tidemark.wire.ReplicaMessage;
import java.util.function.Supplier;

/**
 * Finds a peer's replica by asking the peer's own node, whose shard region hosts it. The own region
 * would have to ask the shard coordinator first, and that may be on the node which was cut off.
 */
final class PeerLookup implements PeerLocator {
  private final ClusterNodes nodes;
  private final Supplier<MetadataImage> image;

  PeerLookup(ClusterNodes nodes, Supplier<MetadataImage> image) {
    this.nodes = nodes;
    this.image = image;
  }

  @Override
  public void locate(PartitionId partition, int broker, ActorRef<ReplicaMessage.Located> replyTo) {
    Broker peer = image.get().brokers().get(broker);
    if (peer != null) {
      nodes.tell(peer.address(), new BrokerMessage.FindReplica(partition, broker, replyTo));
    }
  }
}
