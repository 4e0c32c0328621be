package io.tidemark.simulation;

import static io.tidemark.simulation.Simulation.US;

import io.tidemark.simulation.Scheduler.Kind;

/** A core's deadline, by its node's clock. */
final class Alarm {
  private static final long SOONEST = 100 * US;

  private final Node node;
  private final Object what;
  private final Runnable action;
  private long due = Long.MAX_VALUE;

  Alarm(Node node, Object what, Runnable action) {
    this.node = node;
    this.what = what;
    this.action = action;
  }

  void set(long deadline) {
    if (deadline == Long.MAX_VALUE) {
      return;
    }
    long at = Math.max(node.sim.now + SOONEST, node.worldTime(deadline));
    if (at >= due && due > node.sim.now) {
      return;
    }
    due = at;
    node.after(
        at - node.sim.now,
        Kind.TIMER,
        what,
        () -> {
          due = Long.MAX_VALUE;
          action.run();
        },
        () -> due == at);
  }
}
