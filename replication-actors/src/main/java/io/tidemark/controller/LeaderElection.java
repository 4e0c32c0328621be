package io.tidemark.controller;

import io.tidemark.protocol.PartitionState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * How one partition's leader, ISR and ELR follow from which brokers live (KIP-497, KIP-966).
 *
 * <p>Invariants of each result, when they held before: ISR and ELR are subsets of the replicas and
 * disjoint; the ELR is empty when the ISR has min ISR members; there is no leader or it is in the
 * ISR. A member of ISR or ELR holds all that was committed: an ISR below min ISR commits nothing,
 * so whoever leaves it then still has everything.
 */
public final class LeaderElection {
  private final Map<Integer, Broker> brokers;
  private final TopicConfig config;

  /**
   * @param brokers as they are after the change that asks for an election
   */
  public LeaderElection(Map<Integer, Broker> brokers, TopicConfig config) {
    this.brokers = brokers;
    this.config = config;
  }

  /** The first state of a new partition: whoever lives is in sync, since there is nothing yet. */
  public PartitionState create(List<Integer> replicas) {
    List<Integer> isr = replicas.stream().filter(this::eligible).toList();
    int leader = isr.isEmpty() ? PartitionState.NO_LEADER : isr.get(0);
    return new PartitionState(replicas, isr, List.of(), leader, 0, 0, false);
  }

  /** A leader where there is none, or one that stays where the present one shuts down. */
  public Optional<PartitionState> elect(PartitionState state) {
    return settle(state, Set.copyOf(state.isr()), Set.of(), state.recovering());
  }

  /**
   * Brokers were fenced.
   *
   * @param clean whether they keep all that they acknowledged; if not they leave the ELR, too
   */
  public Optional<PartitionState> leave(PartitionState state, Set<Integer> leaving, boolean clean) {
    Set<Integer> isr = new HashSet<>(state.isr());
    isr.removeAll(leaving);
    return settle(state, isr, clean ? Set.of() : leaving, state.recovering());
  }

  /**
   * A broker shuts down: it leaves the ISR where another member that can lead stays. The last
   * member stays until it is fenced, so that the partition works until its process ends.
   */
  public Optional<PartitionState> handOver(PartitionState state, int brokerId) {
    Set<Integer> isr = new HashSet<>(state.isr());
    isr.remove(brokerId);
    if (isr.stream().noneMatch(this::eligible)) {
      return elect(state);
    }
    return settle(state, isr, Set.of(), state.recovering());
  }

  /** The leader's proposal, checked already. */
  public Optional<PartitionState> alter(
      PartitionState state, Set<Integer> isr, boolean recovering) {
    return settle(state, isr, Set.of(), recovering);
  }

  private Optional<PartitionState> settle(
      PartitionState before, Set<Integer> isr, Set<Integer> lost, boolean recovering) {
    Set<Integer> complete = new HashSet<>(before.elr());
    complete.addAll(before.isr());
    complete.removeAll(lost);
    Outcome outcome = choose(before, inOrder(before, isr::contains), complete);
    List<Integer> elr =
        outcome.unclean() || outcome.isr().size() >= config.minIsr(before.replicas().size())
            ? List.of()
            : inOrder(before, id -> complete.contains(id) && !outcome.isr().contains(id));
    boolean rewritten = outcome.leader() != before.leader();
    PartitionState after =
        new PartitionState(
            before.replicas(),
            outcome.isr(),
            elr,
            outcome.leader(),
            before.leaderEpoch() + (rewritten ? 1 : 0),
            before.partitionEpoch() + 1,
            outcome.unclean() || recovering);
    return changed(before, after) ? Optional.of(after) : Optional.empty();
  }

  private Outcome choose(PartitionState before, List<Integer> isr, Set<Integer> complete) {
    int present = before.leader();
    boolean leads = isr.contains(present);
    if (leads && eligible(present)) {
      return new Outcome(present, isr, false);
    }
    Optional<Integer> inSync = isr.stream().filter(this::eligible).findFirst();
    if (inSync.isPresent()) {
      return new Outcome(inSync.get(), isr, false);
    }
    Optional<Integer> eligibleReplica = firstLive(before, complete::contains);
    if (eligibleReplica.isPresent()) {
      return new Outcome(eligibleReplica.get(), List.of(eligibleReplica.get()), false);
    }
    if (leads && !brokers.get(present).fenced()) {
      return new Outcome(present, isr, false);
    }
    Optional<Integer> any =
        config.uncleanLeaderElection() ? firstLive(before, id -> true) : Optional.empty();
    return any.map(id -> new Outcome(id, List.of(id), true))
        .orElseGet(() -> new Outcome(PartitionState.NO_LEADER, isr, false));
  }

  private Optional<Integer> firstLive(PartitionState state, IntPredicate wanted) {
    return state.replicas().stream().filter(wanted::test).filter(this::eligible).findFirst();
  }

  private boolean eligible(int brokerId) {
    Broker broker = brokers.get(brokerId);
    return broker != null && broker.eligible();
  }

  private static List<Integer> inOrder(PartitionState state, IntPredicate wanted) {
    List<Integer> ordered = new ArrayList<>(state.replicas());
    ordered.removeIf(id -> !wanted.test(id));
    return ordered;
  }

  private static boolean changed(PartitionState before, PartitionState after) {
    return before.leader() != after.leader()
        || before.recovering() != after.recovering()
        || !Set.copyOf(before.isr()).equals(Set.copyOf(after.isr()))
        || !Set.copyOf(before.elr()).equals(Set.copyOf(after.elr()));
  }

  /**
   * @param unclean nobody else is complete any more: its history is the partition's from now on
   */
  private record Outcome(int leader, List<Integer> isr, boolean unclean) {}
}
