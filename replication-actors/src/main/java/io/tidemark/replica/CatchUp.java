package io.tidemark.replica;

/**
 * When a replica that is out of sync may fetch: its node bounds what all of them together receive
 * (KIP-73), and how many of them that are behind fetch at once.
 *
 * <p>The first fetch asks only how far the leader is. A replica that is behind what is committed
 * waits for a turn, until it has all of it once. From then on nothing holds it up: its leader's
 * high watermark waits for it to join the in-sync replicas.
 */
final class CatchUp {
  /** Whoever lacks no more than this does not wait behind those that lack everything. */
  static final long NEAR_RECORDS = 1_000;

  private final Throttle throttle;
  private boolean knowsLeader;
  private boolean hasCaughtUp;

  /** Where it waits or has a turn; null otherwise. */
  private CatchUpTurns turns;

  CatchUp(Throttle throttle) {
    this.throttle = throttle;
  }

  /**
   * When a fetch may go out: now, or when to ask again, which keeps the place in the queue.
   *
   * @param missing how many committed records are not here, as far as is known
   */
  long opensAt(long missing, long now) {
    if (knowsLeader && missing <= 0) {
      leave();
      hasCaughtUp = true;
    }
    if (hasCaughtUp) {
      return now;
    }
    long opensAt = throttle.fromLeaders().opensAt(now);
    if (knowsLeader) {
      opensAt = Math.max(opensAt, turnAt(missing, now));
    }
    return Math.min(opensAt, now + CatchUpTurns.LEASE_NANOS / 2);
  }

  private long turnAt(long missing, long now) {
    if (turns == null) {
      turns = missing <= NEAR_RECORDS ? throttle.nearTurns() : throttle.turns();
    }
    return turns.opensAt(this, now);
  }

  /** Whether the next fetch is for no records. */
  boolean asksOnlyHowFar() {
    return !knowsLeader;
  }

  void received(long bytes, long now) {
    knowsLeader = true;
    throttle.fromLeaders().take(bytes, now);
  }

  /** Others may have its turn. */
  void leave() {
    if (turns != null) {
      turns.leave(this);
      turns = null;
    }
  }
}
