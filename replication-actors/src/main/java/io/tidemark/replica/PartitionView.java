package io.tidemark.replica;

import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import java.util.Map;

/**
 * What the metadata says about one partition, as far as its replica needs it.
 *
 * @param brokerEpoch this broker's incarnation
 * @param minInsyncReplicas the topic's setting
 * @param maxBatchBytes the largest batch that may be produced
 * @param peers by broker id: every other broker in the assignment
 */
public record PartitionView(
    PartitionId partition,
    PartitionState state,
    long brokerEpoch,
    int minInsyncReplicas,
    int maxBatchBytes,
    Map<Integer, Peer> peers) {

  public PartitionView {
    peers = Map.copyOf(peers);
  }

  /**
   * @param brokerEpoch its incarnation
   * @param eligible whether it may be in the ISR: neither fenced nor shutting down
   */
  public record Peer(long brokerEpoch, boolean eligible) {}

  /** No more can be asked for than there are replicas. */
  int effectiveMinInsync() {
    return Math.min(minInsyncReplicas, state.replicas().size());
  }
}
