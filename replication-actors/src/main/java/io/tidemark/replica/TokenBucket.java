package io.tidemark.replica;

/**
 * How many bytes may pass: so many a second, and a second's worth at once. What has passed already
 * is charged afterwards, so it may be in debt; nothing passes until that is paid.
 *
 * <p>One for all replicas of a node, whose actors are on different threads; the time is passed in,
 * and is the same clock for all of them.
 */
public final class TokenBucket {
  private static final double NANOS_PER_SECOND = 1e9;

  private final long bytesPerSecond;
  private double tokens;
  private long filledAt;
  private boolean filled;

  /**
   * @param bytesPerSecond 0 for no limit
   */
  public TokenBucket(long bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
  }

  /** Charges bytes that have passed. */
  synchronized void take(long bytes, long now) {
    if (bytesPerSecond > 0) {
      fill(now);
      tokens -= bytes;
    }
  }

  /** When something may pass: now, or later. */
  synchronized long opensAt(long now) {
    if (bytesPerSecond == 0) {
      return now;
    }
    fill(now);
    return tokens > 0 ? now : now + 1 + (long) (-tokens / bytesPerSecond * NANOS_PER_SECOND);
  }

  /** A clock that goes back fills nothing. */
  private void fill(long now) {
    double gained =
        filled ? (now - filledAt) * (bytesPerSecond / NANOS_PER_SECOND) : bytesPerSecond;
    if (gained > 0) {
      tokens = Math.min(bytesPerSecond, tokens + gained);
      filledAt = now;
      filled = true;
    }
  }
}
