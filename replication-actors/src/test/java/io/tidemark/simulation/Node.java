package io.tidemark.simulation;

import static io.tidemark.simulation.Simulation.MS;
import static io.tidemark.simulation.Simulation.US;

import io.tidemark.log.LogEvent;
import io.tidemark.log.LogState;
import io.tidemark.protocol.PartitionId;
import io.tidemark.simulation.Scheduler.Kind;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** A machine: its clock, its disk, and the process that runs on it, or does not. */
final class Node {
  final int id;
  final Simulation sim;
  private final Map<PartitionId, SimulatedLog> logs = new LinkedHashMap<>();
  private SimulatedLog metadata = new SimulatedLog(PartitionId.METADATA);
  private UUID directory;
  private QuorumShell quorum;
  private BrokerShell broker;
  private int incarnation;
  private long clockSet;
  private long clockThen;
  private double clockRate = 1;
  long pausedUntil;
  long slowUntil;
  long slowDiskUntil;
  long fullUntil;
  private boolean unclean;
  private boolean lost;

  Node(int id, Simulation sim) {
    this.id = id;
    this.sim = sim;
    this.directory = sim.chance.uuid();
    this.clockThen = sim.chance.below(1_000_000 * MS);
    sim.invariants.newDisk(directory, metadata);
  }

  boolean isUp() {
    return quorum != null;
  }

  int incarnation() {
    return incarnation;
  }

  UUID directory() {
    return directory;
  }

  /** Null while the process is down. */
  QuorumShell quorum() {
    return quorum;
  }

  /** Null while the process is down. */
  BrokerShell broker() {
    return broker;
  }

  SimulatedLog metadata() {
    return metadata;
  }

  /** Null when this node never had the replica, or lost it with its disk. */
  SimulatedLog log(PartitionId partition) {
    return logs.get(partition);
  }

  /** The replicas that are on the disk. */
  Set<PartitionId> stored() {
    return logs.keySet();
  }

  void erase(PartitionId partition) {
    logs.remove(partition);
  }

  SimulatedLog logOrNew(PartitionId partition) {
    return logs.computeIfAbsent(partition, SimulatedLog::new);
  }

  /** Whether acknowledged records may be gone, and nobody has been told so yet. */
  boolean isUnclean() {
    return unclean;
  }

  /** Whether acknowledged records are gone, and the controller does not know yet. */
  boolean hasLost() {
    return lost;
  }

  /** The controller took this incarnation in, knowing of what is lost. */
  void registered(UUID registeredIncarnation) {
    if (broker != null && broker.cores().incarnation().equals(registeredIncarnation)) {
      unclean = false;
      lost = false;
    }
  }

  /** By this node's clock, in nanoseconds. */
  long clock() {
    return clockThen + (long) ((sim.now - clockSet) * clockRate);
  }

  /** When, in virtual time, this node's clock will show that. */
  long worldTime(long deadline) {
    return sim.now + (long) Math.ceil(Math.max(0, deadline - clock()) / clockRate);
  }

  void setClock(long jump, double rate) {
    clockThen = Math.max(0, clock() + jump);
    clockSet = sim.now;
    clockRate = rate;
  }

  /** Done by this process, unless it has ended by then. */
  void after(long delay, Kind kind, Object what, Runnable action) {
    after(delay, kind, what, action, () -> true);
  }

  /** Done by this process, unless it has ended, or it is not wanted any more. */
  void after(long delay, Kind kind, Object what, Runnable action, BooleanSupplier wanted) {
    int mine = incarnation;
    sim.scheduler.add(
        sim.now + delay,
        kind,
        id,
        what,
        () -> {
          if (pausedUntil > sim.now) {
            after(pausedUntil - sim.now, kind, what, action, wanted);
          } else {
            action.run();
          }
        },
        () -> isUp() && incarnation == mine && wanted.getAsBoolean());
  }

  /** Writes one event; {@code failed} when the disk does not take it. */
  void persist(SimulatedLog log, LogEvent event, Consumer<LogState> done, Runnable failed) {
    log.begin(event);
    if (sim.rules.tellsEarly(this, log, event)) {
      LogState state = log.complete();
      after(US, Kind.LOCAL, event, () -> done.accept(state));
      after(diskDelay(), Kind.DISK, event, log::flushNext);
      return;
    }
    after(
        diskDelay(),
        Kind.DISK,
        event,
        () -> {
          if (fullUntil > sim.now) {
            sim.coverage.count("write-failed");
            failed.run();
          } else {
            LogState state = log.complete();
            if (log == metadata || sim.shape.eachCommit()) {
              log.flush();
            } else if (sim.chance.happens(0.3)) {
              after(sim.chance.below(200 * MS), Kind.DISK, "flush", log::flush);
            }
            done.accept(state);
          }
        });
  }

  private long diskDelay() {
    long delay = 100 * US + sim.chance.below(1_000 * US);
    return slowDiskUntil > sim.now ? delay + sim.chance.below(120 * MS) : delay;
  }

  /** What is recovered is forced first: it counts again from now on. */
  void start() {
    logs.values().forEach(SimulatedLog::flush);
    metadata.flush();
    incarnation++;
    quorum = new QuorumShell(this);
    broker = new BrokerShell(this, !unclean);
    quorum.start();
    broker.start();
  }

  void restartQuorum() {
    quorum = new QuorumShell(this);
    quorum.start();
  }

  /** The process ends; what it wrote is in the machine's memory still. */
  void crash() {
    end();
    for (SimulatedLog log : logs.values()) {
      crashed(log);
    }
    crashed(metadata);
  }

  private void crashed(SimulatedLog log) {
    if (sim.rules.tellsEarly(this, log, null)) {
      log.losePower(sim.chance);
    } else {
      log.abandon(sim.chance.happens(0.5));
    }
  }

  /** What was not flushed is gone, up to some event of each log. */
  void losePower() {
    end();
    for (SimulatedLog log : logs.values()) {
      if (log.isWriting()) {
        sim.coverage.count("torn-tail");
      }
      boolean lostHere = log.losePower(sim.chance);
      if (lostHere && !sim.rules.tellsEarly(this, log, null)) {
        lost = true;
        sim.coverage.count("unflushed-tail-lost");
      }
    }
    metadata.losePower(sim.chance);
    unclean |= !sim.shape.eachCommit();
  }

  private void end() {
    if (isUp()) {
      incarnation++;
      quorum = null;
      broker = null;
      sim.invariants.ended(this);
    }
  }

  /** Of a node that is down. */
  void wipe() {
    logs.clear();
    metadata = new SimulatedLog(PartitionId.METADATA);
    directory = sim.chance.uuid();
    unclean = true;
    lost = true;
    sim.invariants.newDisk(directory, metadata);
  }

  /** The log failed under a process that lives on: what the disk really holds is found out. */
  void recover(SimulatedLog log) {
    log.abandon(sim.chance.happens(0.5));
    log.flush();
  }

  @Override
  public String toString() {
    return "node " + id;
  }
}
