package io.tidemark.log;

import java.util.Arrays;

/**
 * A sparse index of a log: where in the journal an offset is, how many bytes lie before it, and how
 * new the records are from one point to the next.
 *
 * <p>Immutable. Invariant: strictly increasing in offset and in sequence number, not falling in
 * position.
 */
final class OffsetIndex {
  /** More points than this are thinned by half: the index stays small however long the log is. */
  static final int MAX_POINTS = 4096;

  /** Older than any record. */
  static final long NO_TIMESTAMP = Long.MIN_VALUE;

  /**
   * Where a span of the log begins; it ends at the next point.
   *
   * @param sequenceNr the event that begins with {@code offset}
   * @param position bytes of live batches before it, counted from the log's first ever
   * @param maxTimestamp no record of the span is newer, as far as it was known when the next point
   *     came; the last point's span still grows
   */
  record Point(long offset, long sequenceNr, long position, long maxTimestamp) {
    private Point endingWith(long timestamp) {
      return new Point(offset, sequenceNr, position, timestamp);
    }
  }

  static final OffsetIndex EMPTY = new OffsetIndex(new Point[0]);

  private final Point[] points;

  OffsetIndex(Point[] points) {
    this.points = points;
  }

  int size() {
    return points.length;
  }

  boolean isEmpty() {
    return points.length == 0;
  }

  Point point(int i) {
    return points[i];
  }

  Point last() {
    return points[points.length - 1];
  }

  /**
   * A new span begins.
   *
   * @param maxTimestampBefore no record of the span that ends here is newer
   */
  OffsetIndex add(long offset, long sequenceNr, long position, long maxTimestampBefore) {
    Point[] base = size() >= MAX_POINTS ? thinned() : points;
    int n = base.length;
    Point[] longer = Arrays.copyOf(base, n + 1);
    if (n > 0) {
      long newest = Math.max(base[n - 1].maxTimestamp(), maxTimestampBefore);
      longer[n - 1] = base[n - 1].endingWith(newest);
    }
    longer[n] = new Point(offset, sequenceNr, position, NO_TIMESTAMP);
    return new OffsetIndex(longer);
  }

  /**
   * Every second point goes; reads scan a little further. The first, where the log starts, stays.
   */
  private Point[] thinned() {
    Point[] kept = new Point[(size() + 1) / 2];
    for (int i = 0; i < kept.length; i++) {
      Point first = points[2 * i];
      boolean pair = 2 * i + 1 < size();
      kept[i] =
          pair
              ? first.endingWith(Math.max(first.maxTimestamp(), points[2 * i + 1].maxTimestamp()))
              : first;
    }
    return kept;
  }

  OffsetIndex truncateFromEnd(long endOffset) {
    int kept = 0;
    while (kept < size() && points[kept].offset() < endOffset) {
      kept++;
    }
    return kept == size() ? this : new OffsetIndex(Arrays.copyOf(points, kept));
  }

  /** Drops the points that are not needed to find {@code startOffset} or anything behind it. */
  OffsetIndex truncateFromStart(long startOffset) {
    int first = Math.max(0, floor(startOffset));
    return first == 0 ? this : new OffsetIndex(Arrays.copyOfRange(points, first, size()));
  }

  /**
   * The sequence number from which to read in order to find {@code offset}, or −1 when the index is
   * empty. Below the first point it is the first point's: the log starts there.
   */
  long sequenceNrFor(long offset) {
    return isEmpty() ? -1 : points[Math.max(0, floor(offset))].sequenceNr();
  }

  /** The last point at or below the offset, −1 when there is none. */
  private int floor(long offset) {
    int low = 0;
    int high = size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (points[middle].offset() <= offset) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof OffsetIndex that && Arrays.equals(points, that.points);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(points);
  }
}
