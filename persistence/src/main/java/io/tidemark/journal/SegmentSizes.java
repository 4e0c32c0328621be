package io.tidemark.journal;

/**
 * How large segment files become.
 *
 * @param initial bytes of a log's first segment; each next one is twice as large
 * @param max bytes of the largest segment, unless a single write needs more
 */
record SegmentSizes(long initial, long max) {
  private static final long SMALLEST_STEP = 64 * 1024;
  private static final long LARGEST_STEP = 2 * 1024 * 1024;

  long next(long last) {
    return last == 0 ? initial : Math.max(initial, Math.min(max, last * 2));
  }

  /** Whether a log whose last segment is of this size is large enough for one ahead. */
  boolean isLarge(long capacity) {
    return capacity >= max / 8;
  }

  /**
   * Bytes that are zeroed ahead of the writes at a time: rarely enough that most writes find their
   * space ready, and few enough that most zeros are overwritten before they ever go to the disk.
   */
  static long step(long capacity) {
    return Math.max(SMALLEST_STEP, Math.min(LARGEST_STEP, capacity / 8));
  }
}
