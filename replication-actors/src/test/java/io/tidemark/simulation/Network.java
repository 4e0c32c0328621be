package io.tidemark.simulation;

import static io.tidemark.simulation.Simulation.MS;
import static io.tidemark.simulation.Simulation.US;

import io.tidemark.simulation.Scheduler.Kind;

/**
 * Carries messages in order, as a connection does; but some it loses, doubles or delays past later
 * ones, in a storm most, and it is cut now and then, in one or both directions.
 */
final class Network {
  private static final double ECHO = 0.5;

  private final Simulation sim;
  private final Chance chance;
  private final long[][] cutUntil;
  private final long[][] lastArrival;
  private double drop;
  private double duplicate;
  private double late;
  private long stormUntil;
  private double stormDrop;
  private double stormDuplicate;
  private long stormDelay;

  /**
   * @param ends how many may talk: the nodes, and end 0 for all clients
   */
  Network(Simulation sim, Chance chance, int ends) {
    this.sim = sim;
    this.chance = chance;
    this.cutUntil = new long[ends][ends];
    this.lastArrival = new long[ends][ends];
    this.drop = sim.profile.drop;
    this.duplicate = sim.profile.duplicate;
    this.late = sim.profile.late;
  }

  void cut(int from, int to, long nanos) {
    cutUntil[from][to] = sim.now + nanos;
  }

  /** From the other nodes, in both directions. */
  void isolate(int node, long nanos) {
    for (int other = 1; other < cutUntil.length; other++) {
      if (other != node) {
        cut(node, other, nanos);
        cut(other, node, nanos);
      }
    }
  }

  void storm(double dropped, double duplicated, long delay, long nanos) {
    stormUntil = sim.now + nanos;
    stormDrop = dropped;
    stormDuplicate = duplicated;
    stormDelay = delay;
  }

  void heal() {
    for (long[] row : cutUntil) {
      java.util.Arrays.fill(row, 0);
    }
    drop = 0;
    duplicate = 0;
    late = 0;
    stormUntil = 0;
  }

  private boolean isCut(int from, int to) {
    return cutUntil[from][to] > sim.now;
  }

  /**
   * @param what shown in the trace
   * @param delivery done at the receiver when the message arrives, if it does
   */
  void send(int from, int to, Object what, Runnable delivery) {
    boolean storm = stormUntil > sim.now;
    if (isCut(from, to)) {
      sim.coverage.count("message-cut");
      return;
    }
    if (chance.happens(storm ? stormDrop + drop : drop)) {
      sim.coverage.count("message-dropped");
      return;
    }
    transmit(from, to, what, delivery, storm);
    if (chance.happens(storm ? stormDuplicate + duplicate : duplicate)) {
      sim.coverage.count("message-duplicated");
      transmit(from, to, what, delivery, storm);
    }
  }

  /** Delivers a copy of what was sent before, as connections that were mended may do. */
  void echo(int from, int to, Object what, Runnable delivery) {
    if (chance.happens(drop > 0 ? ECHO : 0) && !isCut(from, to)) {
      sim.coverage.count("message-echoed");
      arrive(sim.now + 5 * MS + chance.below(500 * MS), from, to, what, delivery);
    }
  }

  private void transmit(int from, int to, Object what, Runnable delivery, boolean storm) {
    long delay = 50 * US + chance.below(1_500 * US);
    if (storm) {
      delay += chance.below(stormDelay);
    }
    delay += sim.slowness(from, chance) + sim.slowness(to, chance);
    if (chance.happens(late)) {
      sim.coverage.count("message-late");
      delay += chance.below(chance.happens(0.5) ? 300 * MS : 4_000 * MS);
    } else if (!storm) {
      delay = Math.max(delay, lastArrival[from][to] - sim.now);
      lastArrival[from][to] = sim.now + delay;
    }
    arrive(sim.now + delay, from, to, what, delivery);
  }

  private void arrive(long at, int from, int to, Object what, Runnable delivery) {
    sim.scheduler.add(
        at,
        Kind.DELIVERY,
        to,
        what,
        () -> {
          long resumes = sim.pausedUntil(to);
          if (isCut(from, to)) {
            sim.coverage.count("message-cut");
          } else if (resumes > sim.now) {
            arrive(resumes, from, to, what, delivery);
          } else {
            delivery.run();
          }
        });
  }
}
