package io.tidemark.protocol;

import java.util.List;

/**
 * What the controller decided about one partition.
 *
 * @param replicas the assignment, the preferred leader first
 * @param isr the in-sync replicas
 * @param elr the eligible leader replicas (KIP-966): they left the ISR while it was at or below min
 *     ISR, so they hold all that was committed
 * @param leader −1 when there is none
 * @param leaderEpoch bumped when the leader is (re)written
 * @param partitionEpoch bumped at every change
 * @param recovering whether the leader was elected uncleanly and has not recovered yet
 */
public record PartitionState(
    List<Integer> replicas,
    List<Integer> isr,
    List<Integer> elr,
    int leader,
    int leaderEpoch,
    int partitionEpoch,
    boolean recovering) {

  public static final int NO_LEADER = -1;

  public PartitionState {
    replicas = List.copyOf(replicas);
    isr = List.copyOf(isr);
    elr = List.copyOf(elr);
  }
}
