package io.tidemark.replica;

import akka.actor.typed.ActorRef;
import io.tidemark.channel.DataChannels;
import io.tidemark.protocol.PartitionId;
import io.tidemark.wire.ReplicaMessage;
import java.util.HashMap;
import java.util.Map;

/**
 * Direct refs of a replica's peers. Each is looked up ahead of need, so that a new leader is
 * reached at once; a message to one not found yet waits for it, the newest only.
 */
final class Peers {
  private static final class Peer {
    private final long brokerEpoch;
    private ActorRef<ReplicaMessage> ref;
    private ReplicaMessage held;

    Peer(long brokerEpoch) {
      this.brokerEpoch = brokerEpoch;
    }
  }

  private final PartitionId partition;
  private final PeerLocator locator;
  private final ActorRef<ReplicaMessage> self;
  private final DataChannels channels;
  private final Map<Integer, Peer> peers = new HashMap<>();

  Peers(
      PartitionId partition,
      PeerLocator locator,
      ActorRef<ReplicaMessage> self,
      DataChannels channels) {
    this.partition = partition;
    this.locator = locator;
    this.self = self;
    this.channels = channels;
  }

  /** A broker that came back has its replicas elsewhere. */
  void viewChanged(PartitionView view) {
    peers.keySet().retainAll(view.peers().keySet());
    view.peers()
        .forEach(
            (broker, known) -> {
              Peer peer = peers.get(broker);
              if (peer == null || peer.brokerEpoch != known.brokerEpoch()) {
                peers.put(broker, new Peer(known.brokerEpoch()));
                locate(broker);
              }
            });
  }

  void send(int broker, ReplicaMessage message) {
    Peer peer = peers.get(broker);
    if (peer == null) {
      return;
    }
    if (peer.ref != null) {
      channels.tell(peer.ref, message);
    } else {
      peer.held = message;
      locate(broker);
    }
  }

  /** It did not answer: it may have moved. */
  void lost(int broker) {
    Peer peer = peers.get(broker);
    if (peer != null) {
      peer.ref = null;
    }
  }

  void located(ReplicaMessage.Located located) {
    Peer peer = peers.get(located.brokerId());
    if (peer == null) {
      return;
    }
    peer.ref = located.replica();
    channels.found(peer.ref, located.dataPort());
    if (peer.held != null) {
      channels.tell(peer.ref, peer.held);
      peer.held = null;
    }
  }

  /** Asks again for those that someone waits for. Returns whether there are any. */
  boolean locateWaiting() {
    boolean any = false;
    for (Map.Entry<Integer, Peer> peer : peers.entrySet()) {
      if (peer.getValue().held != null) {
        locate(peer.getKey());
        any = true;
      }
    }
    return any;
  }

  boolean isAnyoneWaiting() {
    for (Peer peer : peers.values()) {
      if (peer.held != null) {
        return true;
      }
    }
    return false;
  }

  private void locate(int broker) {
    locator.locate(partition, broker, self.narrow());
  }
}
