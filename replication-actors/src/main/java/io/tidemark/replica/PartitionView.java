package io.tidemark.replica;

import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import java.util.Map;

/**
 * What the metadata says about one partition, as far as its replica needs it.
 *
 * @param brokerEpoch this broker's incarnation
 * @param rack where this broker stands, empty when that is not known
 * @param peers by broker id: every other broker in the assignment
 */
public record PartitionView(
    PartitionId partition,
    PartitionState state,
    long brokerEpoch,
    String rack,
    TopicRules topic,
    Map<Integer, Peer> peers) {

  public PartitionView {
    peers = Map.copyOf(peers);
  }

  /**
   * @param brokerEpoch its incarnation
   * @param eligible whether it may be in the ISR: neither fenced nor shutting down
   * @param rack empty when it is not known
   */
  public record Peer(long brokerEpoch, boolean eligible, String rack) {}

  /** The same with what the controller has decided since. */
  PartitionView with(PartitionState newer) {
    return new PartitionView(partition, newer, brokerEpoch, rack, topic, peers);
  }

  /** No more can be asked for than there are replicas, before and after a reassignment. */
  int effectiveMinInsync() {
    return Math.min(topic.minInsyncReplicas(), state.replicationFactor());
  }
}
