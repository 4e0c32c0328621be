package io.tidemark.controller;

import io.tidemark.protocol.PartitionState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * A partition's replicas, and what a reassignment makes of them (KIP-455). While one is under way
 * the old replicas stay next to the new ones, so that nothing is lost if it never ends.
 *
 * @param replicas the wanted ones in the wanted order, then those being removed
 * @param adding those of the wanted ones that are new
 */
record Assignment(List<Integer> replicas, List<Integer> adding, List<Integer> removing) {

  static Assignment of(PartitionState state) {
    return new Assignment(state.replicas(), state.adding(), state.removing());
  }

  private boolean isUnderWay() {
    return !adding.isEmpty() || !removing.isEmpty();
  }

  /** What is wanted: the replicas once the reassignment is complete. */
  List<Integer> target() {
    return without(replicas, removing);
  }

  /** The replicas from before the reassignment. */
  List<Integer> original() {
    return without(replicas, adding);
  }

  /** A reassignment to these replicas; it takes the place of the one under way. */
  Assignment to(List<Integer> target) {
    List<Integer> original = original();
    List<Integer> leaving = without(original, target);
    List<Integer> all = new ArrayList<>(target);
    all.addAll(leaving);
    return new Assignment(all, without(target, original), leaving);
  }

  /** Complete when every wanted replica is in sync, not only as many as there were before. */
  Assignment completedBy(Collection<Integer> isr) {
    return isUnderWay() && isr.containsAll(target())
        ? new Assignment(target(), List.of(), List.of())
        : this;
  }

  /** See {@link PartitionState#replicationFactor}. */
  int replicationFactor() {
    return replicas.size() - Math.max(adding.size(), removing.size());
  }

  private static List<Integer> without(List<Integer> all, List<Integer> some) {
    return all.stream().filter(id -> !some.contains(id)).toList();
  }
}
