package io.tidemark.replica;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which of a node's replicas that are behind fetch now. Hundreds of them at once would ask for more
 * than a connection and a heap can hold; a few at a time fill the disk and the network as well, and
 * the first are in sync early.
 *
 * <p>They take turns in the order in which they asked. A turn that has lasted for {@link
 * #TURN_NANOS} ends when others wait, so that a replica that never catches up does not keep the
 * others out. Whoever stops asking without a word loses its turn or its place after {@link
 * #LEASE_NANOS}.
 *
 * <p>One for all replicas of a node, whose actors are on different threads; the time is passed in,
 * and is the same clock for all of them.
 */
public final class CatchUpTurns {
  /** So many answers of 1 MiB, and as many asked for ahead, are on their way to a node at once. */
  static final int AT_ONCE = 8;

  static final long TURN_NANOS = 5_000_000_000L;

  /** Longer than a fetch may take until it is given up. */
  static final long LEASE_NANOS = 10_000_000_000L;

  private static final long PAUSE_NANOS = 20_000_000;
  private static final long PAUSE_MAX_NANOS = 1_000_000_000;

  /** When a turn began, and when its holder last said that it goes on. */
  private record Turn(long since, long seen) {}

  private final int atOnce;
  private final Map<Object, Turn> holders = new LinkedHashMap<>();

  /** In order, and when each last asked. */
  private final Map<Object, Long> waiting = new LinkedHashMap<>();

  /**
   * @param atOnce how many replicas may have a turn at once, at least 1
   */
  public CatchUpTurns(int atOnce) {
    this.atOnce = atOnce;
  }

  /**
   * Asks for a turn, or to go on with it.
   *
   * @param who the same each time; told apart by identity
   * @return {@code now} when it has a turn, or else when to ask again
   */
  synchronized long opensAt(Object who, long now) {
    holders.values().removeIf(turn -> now - turn.seen() > LEASE_NANOS);
    waiting.values().removeIf(asked -> now - asked > LEASE_NANOS);
    Turn held = holders.remove(who);
    boolean isOver = held != null && now - held.since() >= TURN_NANOS && !waiting.isEmpty();
    if (held != null && !isOver) {
      holders.put(who, new Turn(held.since(), now));
      return now;
    }
    waiting.put(who, now);
    int place = placeOf(who);
    if (place < atOnce - holders.size()) {
      waiting.remove(who);
      holders.put(who, new Turn(now, now));
      return now;
    }
    // Turns come up at most so many at a time: whoever is further back asks less often.
    return now + Math.min(PAUSE_MAX_NANOS, PAUSE_NANOS * (1 + place / atOnce));
  }

  /** Its turn is over, or it does not wait for one any more. */
  synchronized void leave(Object who) {
    holders.remove(who);
    waiting.remove(who);
  }

  private int placeOf(Object who) {
    int place = 0;
    Iterator<Object> others = waiting.keySet().iterator();
    while (others.next() != who) {
      place++;
    }
    return place;
  }
}
