package io.tidemark.client;

import akka.actor.typed.ActorRef;
import io.tidemark.channel.DataChannels;
import io.tidemark.protocol.PartitionId;
import io.tidemark.wire.BrokerMessage;
import io.tidemark.wire.BrokerMessage.TopicDescribed;
import io.tidemark.wire.ReplicaMessage;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * The replicas that one client talks to, by broker and partition. Each is found once; what is sent
 * meanwhile waits for it, in order.
 */
final class ReplicaRefs {
  /** A producer has at most five batches in flight, a reader one fetch. */
  private static final int MAX_HELD = 16;

  private record Key(int broker, PartitionId partition) {}

  private static final class Replica {
    private ActorRef<ReplicaMessage> ref;
    private final Deque<ReplicaMessage> held = new ArrayDeque<>();
  }

  private final ClusterNodes nodes;
  private final DataChannels channels;
  private final ActorRef<ReplicaMessage.Located> answers;
  private final Map<Key, Replica> replicas = new HashMap<>();
  private final Map<Integer, Integer> leaderEpochs = new HashMap<>();
  private Map<Integer, String> brokers = Map.of();

  ReplicaRefs(ClusterNodes nodes, DataChannels channels, ActorRef<ReplicaMessage.Located> answers) {
    this.channels = channels;
    this.nodes = nodes;
    this.answers = answers;
  }

  /**
   * A partition with a newer leader epoch may have its replicas in new incarnations. News from a
   * broker that is behind is old, and what waits for a replica to be found goes on waiting.
   */
  void described(TopicDescribed topic) {
    brokers = topic.brokers();
    for (int i = 0; i < topic.partitions().size(); i++) {
      int partition = i;
      int epoch = topic.partitions().get(i).leaderEpoch();
      if (epoch > leaderEpochs.getOrDefault(partition, -1)) {
        leaderEpochs.put(partition, epoch);
        replicas.forEach(
            (key, replica) -> {
              if (key.partition().partition() == partition) {
                replica.ref = null;
              }
            });
      }
    }
  }

  void send(int broker, PartitionId partition, ReplicaMessage message) {
    Replica replica = replicas.computeIfAbsent(new Key(broker, partition), key -> new Replica());
    if (replica.ref != null) {
      channels.tell(replica.ref, message);
      return;
    }
    if (replica.held.size() < MAX_HELD) {
      replica.held.add(message);
    }
    find(broker, partition);
  }

  private void find(int broker, PartitionId partition) {
    String address = brokers.get(broker);
    if (address != null) {
      nodes.tell(address, new BrokerMessage.FindReplica(partition, broker, answers));
    }
  }

  /** Asks again for those that something waits for. */
  void findWaiting() {
    replicas.forEach(
        (key, replica) -> {
          if (!replica.held.isEmpty()) {
            find(key.broker(), key.partition());
          }
        });
  }

  void located(ReplicaMessage.Located located) {
    Replica replica = replicas.get(new Key(located.brokerId(), located.partition()));
    if (replica != null) {
      replica.ref = located.replica();
      channels.found(replica.ref, located.dataPort());
      replica.held.forEach(message -> channels.tell(replica.ref, message));
      replica.held.clear();
    }
  }

  void forget(int broker, PartitionId partition) {
    Replica replica = replicas.get(new Key(broker, partition));
    if (replica != null) {
      replica.ref = null;
    }
  }
}
