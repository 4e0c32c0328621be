package io.tidemark.cli.bench;

import java.util.Arrays;

/** For each partition, the longest time without an acknowledgement, in nanoseconds. Thread-safe. */
final class Gaps {
  private final long[] last;
  private final long[] longest;

  Gaps(int partitions, long now) {
    this.last = new long[partitions];
    this.longest = new long[partitions];
    Arrays.fill(last, now);
  }

  synchronized void acknowledged(int partition, long now) {
    longest[partition] = Math.max(longest[partition], now - last[partition]);
    last[partition] = now;
  }

  /** Forgets what is over; a gap that is open now counts from its own beginning. */
  synchronized void begin() {
    Arrays.fill(longest, 0);
  }

  /** The longest of any partition since {@link #begin}, one that is still open included. */
  synchronized long longest(long now) {
    return Math.max(Arrays.stream(longest).max().orElse(0), open(now));
  }

  /** The longest that is still open. */
  synchronized long open(long now) {
    return now - Arrays.stream(last).min().orElse(now);
  }
}
