package io.tidemark.journal;

/**
 * A distribution of durations in buckets, eight for each doubling: a percentile is at most an
 * eighth above the true value.
 */
public final class Latencies {
  private static final int STEPS_BITS = 3;
  private static final int STEPS = 1 << STEPS_BITS;

  /** The first bucket of a doubling per step of the exponent; the values below 8 ns are exact. */
  static final int BUCKETS = (Long.SIZE - STEPS_BITS) * STEPS;

  private final long[] counts;
  private final long sumNanos;
  private final long maxNanos;
  private final long count;

  Latencies(long[] counts, long sumNanos, long maxNanos) {
    this.counts = counts;
    this.sumNanos = sumNanos;
    this.maxNanos = maxNanos;
    long all = 0;
    for (long each : counts) {
      all += each;
    }
    this.count = all;
  }

  static int bucketOf(long nanos) {
    if (nanos < STEPS) {
      return (int) Math.max(0, nanos);
    }
    int exponent = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos) - STEPS_BITS;
    return (exponent << STEPS_BITS) + (int) (nanos >>> exponent);
  }

  /** The largest duration that belongs to the bucket. */
  static long upperBound(int bucket) {
    if (bucket < STEPS) {
      return bucket;
    }
    int exponent = (bucket >>> STEPS_BITS) - 1;
    long step = (bucket & (STEPS - 1)) + STEPS;
    return ((step + 1) << exponent) - 1;
  }

  /** How many durations were recorded. */
  public long count() {
    return count;
  }

  /** 0 when there are none. */
  public long meanNanos() {
    return count == 0 ? 0 : sumNanos / count;
  }

  /** 0 when there are none. */
  public long maxNanos() {
    return maxNanos;
  }

  /**
   * What so many of a hundred durations do not exceed; 0 when there are none.
   *
   * @param percentile above 0, up to 100
   */
  public long percentileNanos(double percentile) {
    if (!(percentile > 0 && percentile <= 100)) {
      throw new IllegalArgumentException("percentile " + percentile + "; allowed: above 0 to 100");
    }
    long wanted = (long) Math.ceil(count * percentile / 100);
    long seen = 0;
    for (int bucket = 0; bucket < counts.length; bucket++) {
      seen += counts[bucket];
      if (seen >= wanted && seen > 0) {
        return Math.min(upperBound(bucket), maxNanos);
      }
    }
    return 0;
  }
}
