package io.tidemark.simulation;

import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;

/** What is to happen, in the order of virtual time; at the same time, in the order of planning. */
final class Scheduler {

  /** What kind of thing happens, for the trace. */
  enum Kind {
    DELIVERY,
    TIMER,
    DISK,
    LOCAL,
    CLIENT,
    FAULT
  }

  /**
   * @param at nanoseconds of virtual time
   * @param node where it happens, 0 for the world outside of the nodes
   * @param what shown in the trace
   * @param wanted whether it still is to happen when its time has come; null for always
   */
  record Event(
      long at,
      long order,
      Kind kind,
      int node,
      Object what,
      Runnable action,
      BooleanSupplier wanted)
      implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
    }
  }

  private final PriorityQueue<Event> events = new PriorityQueue<>(256);
  private long order;

  void add(long at, Kind kind, int node, Object what, Runnable action) {
    add(at, kind, node, what, action, null);
  }

  void add(long at, Kind kind, int node, Object what, Runnable action, BooleanSupplier wanted) {
    events.add(new Event(at, order++, kind, node, what, action, wanted));
  }

  /** The next event; null when nothing will ever happen again. */
  Event poll() {
    Event next = events.poll();
    while (next != null && next.wanted() != null && !next.wanted().getAsBoolean()) {
      next = events.poll();
    }
    return next;
  }
}
