package io.tidemark.controller;

import io.tidemark.protocol.PartitionState;
import java.util.Collection;
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

  /** The live replicas of a partition that may lead although nobody complete is left alive. */
  List<Integer> uncleanCandidates(PartitionState state) {
    boolean wanted = config.uncleanLeaderElection() && state.leader() == PartitionState.NO_LEADER;
    return wanted ? inOrder(state.replicas(), this::eligible) : List.of();
  }

  /**
   * Its history is the partition's from now on, whatever it lacks: nobody else is in sync or
   * eligible until it has recovered (KIP-704, KIP-966).
   */
  PartitionState electUncleanly(PartitionState state, int leader) {
    return led(state, leader, List.of(leader), List.of(), true);
  }

  /** The first live member of the ISR in assignment order leads, where another one does now. */
  Optional<PartitionState> preferFirst(PartitionState state) {
    Optional<Integer> first =
        state.replicas().stream()
            .filter(id -> state.isr().contains(id) && eligible(id))
            .findFirst();
    return first
        .filter(id -> state.leader() != PartitionState.NO_LEADER && id != state.leader())
        .map(id -> led(state, id, state.isr(), state.elr(), state.recovering()));
  }

  private static PartitionState led(
      PartitionState state, int leader, List<Integer> isr, List<Integer> elr, boolean recovering) {
    return new PartitionState(
        state.replicas(),
        isr,
        elr,
        leader,
        state.leaderEpoch() + 1,
        state.partitionEpoch() + 1,
        recovering,
        state.adding(),
        state.removing());
  }

  /** Other replicas are wanted, by a request that is checked already. */
  public Optional<PartitionState> reassign(PartitionState state, Assignment wanted) {
    return settle(state, wanted, Set.copyOf(state.isr()), Set.of(), state.recovering());
  }

  private Optional<PartitionState> settle(
      PartitionState before, Set<Integer> isr, Set<Integer> lost, boolean recovering) {
    return settle(before, Assignment.of(before), isr, lost, recovering);
  }

  /**
   * Whoever is removed is in neither ISR nor ELR, and leads no more. The leader epoch ends with it:
   * a replica that has not heard of its removal still fetches, and if it is wanted again it could
   * join the ISR, only to delete its data when it hears of the removal at last.
   */
  private Optional<PartitionState> settle(
      PartitionState before,
      Assignment wanted,
      Set<Integer> isr,
      Set<Integer> lost,
      boolean recovering) {
    Set<Integer> complete = new HashSet<>(before.elr());
    complete.addAll(before.isr());
    complete.removeAll(lost);
    Outcome chosen = choose(before.leader(), wanted.replicas(), isr, complete);
    Assignment next = wanted.completedBy(chosen.isr());
    List<Integer> replicas = next.replicas();
    Outcome outcome =
        next == wanted ? chosen : choose(chosen.leader(), replicas, chosen.isr(), complete);
    List<Integer> elr =
        outcome.isr().size() >= config.minIsr(next.replicationFactor())
            ? List.of()
            : inOrder(replicas, id -> complete.contains(id) && !outcome.isr().contains(id));
    boolean sameEpoch =
        outcome.leader() == before.leader() && replicas.containsAll(before.replicas());
    PartitionState after =
        new PartitionState(
            replicas,
            outcome.isr(),
            elr,
            outcome.leader(),
            before.leaderEpoch() + (sameEpoch ? 0 : 1),
            before.partitionEpoch() + 1,
            recovering,
            next.adding(),
            next.removing());
    return changed(before, after) ? Optional.of(after) : Optional.empty();
  }

  private Outcome choose(
      int present, List<Integer> replicas, Collection<Integer> inSync, Set<Integer> complete) {
    List<Integer> isr = inOrder(replicas, inSync::contains);
    boolean leads = isr.contains(present);
    if (leads && eligible(present)) {
      return new Outcome(present, isr);
    }
    Optional<Integer> next = isr.stream().filter(this::eligible).findFirst();
    if (next.isPresent()) {
      return new Outcome(next.get(), isr);
    }
    Optional<Integer> eligibleReplica =
        replicas.stream().filter(complete::contains).filter(this::eligible).findFirst();
    if (eligibleReplica.isPresent()) {
      return new Outcome(eligibleReplica.get(), List.of(eligibleReplica.get()));
    }
    boolean stays = leads && !brokers.get(present).fenced();
    return new Outcome(stays ? present : PartitionState.NO_LEADER, isr);
  }

  private boolean eligible(int brokerId) {
    Broker broker = brokers.get(brokerId);
    return broker != null && broker.eligible();
  }

  private static List<Integer> inOrder(List<Integer> replicas, IntPredicate wanted) {
    return replicas.stream().filter(wanted::test).toList();
  }

  private static boolean changed(PartitionState before, PartitionState after) {
    return before.leader() != after.leader()
        || before.recovering() != after.recovering()
        || !before.replicas().equals(after.replicas())
        || !before.adding().equals(after.adding())
        || !before.removing().equals(after.removing())
        || !Set.copyOf(before.isr()).equals(Set.copyOf(after.isr()))
        || !Set.copyOf(before.elr()).equals(Set.copyOf(after.elr()));
  }

  private record Outcome(int leader, List<Integer> isr) {}
}
