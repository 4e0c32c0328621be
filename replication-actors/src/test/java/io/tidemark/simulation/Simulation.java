package io.tidemark.simulation;

import io.tidemark.controller.SimMetadata;
import io.tidemark.protocol.PartitionId;
import io.tidemark.simulation.Scheduler.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A whole cluster and its clients in virtual time. The seed decides everything: trouble for so many
 * steps as the profile says, then a healed world in which all has to come to rest.
 *
 * <p>After every step the {@link Invariants} look at what it changed.
 */
final class Simulation {
  static final long US = 1_000;
  static final long MS = 1_000_000;

  /** Healing takes this much virtual time at most. */
  static final long PATIENCE = 60_000 * MS;

  final Profile profile;
  final Rules rules;
  final Shape shape;
  final Chance chance;
  final Scheduler scheduler = new Scheduler();
  final Trace trace;
  final Coverage coverage;
  final Covering covering;
  final Network network;
  final SimMetadata metadata = new SimMetadata();
  final Invariants invariants;
  final Faults faults;
  final Clients clients;
  private final List<Node> nodes = new ArrayList<>();
  long now;

  /**
   * What one simulation is made from.
   *
   * @param faults which of the seed's faults happen
   * @param live sees each step as it is made; null for nobody
   */
  record Setup(
      long seed, Profile profile, Mutant mutant, FaultFilter faults, Consumer<String> live) {}

  /** Which of the planned faults happen. */
  @FunctionalInterface
  interface FaultFilter {
    FaultFilter ALL = index -> true;

    boolean keeps(int index);
  }

  Simulation(Setup setup, Coverage coverage) {
    Chance seeds = new Chance(Chance.mix(setup.seed()));
    this.profile = setup.profile();
    this.coverage = coverage;
    this.rules = setup.mutant().rules();
    this.shape = Shape.of(profile, new Chance(seeds.next()));
    this.chance = new Chance(seeds.next());
    this.trace = new Trace(setup.live());
    this.covering = new Covering(this);
    this.network = new Network(this, new Chance(seeds.next()), shape.nodes() + 1);
    this.invariants = new Invariants(this);
    this.faults = new Faults(this, new Chance(seeds.next()), setup.faults());
    for (int id = 1; id <= shape.nodes(); id++) {
      nodes.add(new Node(id, this));
    }
    this.clients = new Clients(this, new Chance(seeds.next()));
  }

  List<Node> nodes() {
    return nodes;
  }

  Node node(int id) {
    return nodes.get(id - 1);
  }

  /** The replica that a message to it reaches: null when none does. */
  ReplicaShell replicaAt(int broker, PartitionId partition) {
    BrokerShell shell = node(broker).broker();
    if (shell == null) {
      return null;
    }
    ReplicaShell replica = faults.misdirected(shell, partition);
    return replica == null || replica.isStopped() ? null : replica;
  }

  long pausedUntil(int end) {
    return end == 0 ? 0 : node(end).pausedUntil;
  }

  /** What a slow node adds to each of its messages. */
  long slowness(int end, Chance delays) {
    return end == 0 || node(end).slowUntil <= now ? 0 : delays.below(60 * MS);
  }

  /**
   * @throws Violation when an invariant does not hold
   */
  void run() {
    nodes.forEach(Node::start);
    clients.start();
    while (trace.steps() < profile.steps) {
      faults.due(trace.steps());
      step();
    }
    faults.heal();
    comesToRest();
    clients.probe();
    comesToRest();
    invariants.atRest();
    clients.checkReceipts();
  }

  private void comesToRest() {
    Liveness liveness = new Liveness(this);
    long end = now + PATIENCE;
    while (!liveness.isReached()) {
      if (now > end) {
        throw new Violation("15", "not at rest after healing: " + liveness.missing());
      }
      step();
    }
  }

  private void step() {
    Event event = scheduler.poll();
    if (event == null) {
      throw new Violation("15", "nothing will ever happen again");
    }
    now = event.at();
    trace.add(event);
    try {
      event.action().run();
    } catch (Violation violation) {
      throw violation;
    } catch (RuntimeException | AssertionError e) {
      throw new Violation("core", "it threw " + e, e);
    }
  }
}
