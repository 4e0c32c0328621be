package io.tidemark.protocol;

import java.util.List;

/**
 * What the controller decided about one partition.
 *
 * @param replicas the assignment, the preferred leader first; during a reassignment the wanted
 *     replicas, then those that will be removed
 * @param isr the in-sync replicas
 * @param elr the eligible leader replicas (KIP-966): they left the ISR while it was at or below min
 *     ISR, so they hold all that was committed
 * @param leader −1 when there is none
 * @param leaderEpoch bumped when the leader is (re)written
 * @param partitionEpoch bumped at every change
 * @param recovering whether the leader was elected uncleanly and has not recovered yet
 * @param adding replicas that a reassignment under way adds (KIP-455)
 * @param removing replicas that it will remove
 */
public record PartitionState(
    List<Integer> replicas,
    List<Integer> isr,
    List<Integer> elr,
    int leader,
    int leaderEpoch,
    int partitionEpoch,
    boolean recovering,
    List<Integer> adding,
    List<Integer> removing) {

  public static final int NO_LEADER = -1;

  public PartitionState {
    replicas = List.copyOf(replicas);
    isr = List.copyOf(isr);
    elr = List.copyOf(elr);
    adding = List.copyOf(adding);
    removing = List.copyOf(removing);
  }

  /** A partition that is not being reassigned. */
  public PartitionState(
      List<Integer> replicas,
      List<Integer> isr,
      List<Integer> elr,
      int leader,
      int leaderEpoch,
      int partitionEpoch,
      boolean recovering) {
    this(replicas, isr, elr, leader, leaderEpoch, partitionEpoch, recovering, List.of(), List.of());
  }

  /**
   * How many replicas are meant: a reassignment asks for no more of them in sync than there were
   * before it and will be after it.
   */
  public int replicationFactor() {
    return replicas.size() - Math.max(adding.size(), removing.size());
  }
}
