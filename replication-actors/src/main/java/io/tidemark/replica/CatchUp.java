package io.tidemark.replica;

/**
 * What a replica that is out of sync may fetch, and when: its node bounds what all of them together
 * receive (KIP-73), and how many of them that are behind fetch at once.
 *
 * <p>The first fetch asks only how far the leader is. A replica that is behind what is committed
 * waits for a turn; without one, what a fetch asks for is small, as there may be many of them.
 */
final class CatchUp {
  static final int WITHOUT_TURN_BYTES = 64 << 10;

  private final Throttle throttle;
  private boolean knowsLeader;
  private boolean hasTurn;

  CatchUp(Throttle throttle) {
    this.throttle = throttle;
  }

  /** When a fetch may go out: now, or when to ask again. */
  long opensAt(boolean isBehind, long now) {
    long open = throttle.fromLeaders().opensAt(now);
    if (open > now) {
      return open;
    }
    if (!isBehind) {
      leave();
      return now;
    }
    long turn = throttle.turns().opensAt(this, now);
    hasTurn = turn <= now;
    return turn;
  }

  /**
   * @param most what a fetch of a replica in sync asks for
   */
  int maxBytes(int most) {
    if (hasTurn) {
      return most;
    }
    return knowsLeader ? Math.min(most, WITHOUT_TURN_BYTES) : 0;
  }

  boolean asksOnlyHowFar() {
    return !hasTurn && !knowsLeader;
  }

  void received(long bytes, long now) {
    knowsLeader = true;
    throttle.fromLeaders().take(bytes, now);
  }

  /** Others may have its turn. */
  void leave() {
    hasTurn = false;
    throttle.turns().leave(this);
  }
}
