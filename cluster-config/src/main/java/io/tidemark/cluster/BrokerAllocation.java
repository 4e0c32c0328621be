package io.tidemark.cluster;

import akka.actor.ActorRef;
import akka.actor.ActorSystem;
import akka.actor.Address;
import akka.cluster.Cluster;
import akka.cluster.Member;
import akka.cluster.MemberStatus;
import akka.cluster.sharding.ShardCoordinator;
import akka.dispatch.Futures;
import io.tidemark.controller.Broker;
import io.tidemark.controller.MetadataImage;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import scala.collection.immutable.IndexedSeq;
import scala.concurrent.Future;

/**
 * Places each broker's replicas on the node that has their disk: a shard is a broker, and lives
 * where the metadata says that the broker runs. While it runs nowhere the shard is nowhere: started
 * elsewhere, its replicas would be empty ghosts.
 */
final class BrokerAllocation extends ShardCoordinator.AbstractShardAllocationStrategy {
  private final Cluster cluster;
  private final Supplier<MetadataImage> image;
  private final ActorRef nowhere;

  BrokerAllocation(ActorSystem system, Supplier<MetadataImage> image) {
    this.cluster = Cluster.get(system);
    this.nowhere = system.deadLetters();
    this.image = image;
  }

  /**
   * Nowhere is a ref that is no region's: the coordinator takes no note of it, and the region asks
   * again. A failure would do the same, but as an error in the log at each try, although nothing is
   * wrong with a broker that has left. Throwing would bring the coordinator down.
   */
  @Override
  public Future<ActorRef> allocateShard(
      ActorRef requester, String shardId, Map<ActorRef, IndexedSeq<String>> regions) {
    try {
      Broker broker = image.get().brokers().get(Integer.valueOf(shardId));
      if (broker != null) {
        for (ActorRef region : regions.keySet()) {
          Address address = addressOf(region);
          if (hostPort(address).equals(broker.address()) && isUp(address)) {
            return Futures.successful(region);
          }
        }
      }
      return Futures.successful(nowhere);
    } catch (RuntimeException e) {
      return Futures.failed(e);
    }
  }

  private Address addressOf(ActorRef region) {
    Address address = region.path().address();
    return address.hasLocalScope() ? cluster.selfAddress() : address;
  }

  private boolean isUp(Address address) {
    for (Member member : cluster.state().getMembers()) {
      if (member.address().equals(address)) {
        return member.status() == MemberStatus.up() || member.status() == MemberStatus.weaklyUp();
      }
    }
    return false;
  }

  static String hostPort(Address address) {
    return address.getHost().orElse("") + ":" + address.getPort().orElse(0);
  }

  @Override
  public Future<Set<String>> rebalance(
      Map<ActorRef, IndexedSeq<String>> regions, Set<String> inProgress) {
    return Futures.successful(Collections.emptySet());
  }
}
