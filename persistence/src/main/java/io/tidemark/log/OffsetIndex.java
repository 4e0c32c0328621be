package io.tidemark.log;

import java.util.Arrays;

/**
 * A sparse index from log offsets to the sequence numbers of the events that hold them.
 *
 * <p>Immutable. Invariant: strictly increasing in offset and in sequence number.
 */
final class OffsetIndex {
  /** More points than this are thinned by half: the index stays small however long the log is. */
  static final int MAX_POINTS = 4096;

  static final OffsetIndex EMPTY = new OffsetIndex(new long[0], new long[0]);

  private final long[] offsets;
  private final long[] sequenceNrs;

  OffsetIndex(long[] offsets, long[] sequenceNrs) {
    this.offsets = offsets;
    this.sequenceNrs = sequenceNrs;
  }

  int size() {
    return offsets.length;
  }

  long offset(int i) {
    return offsets[i];
  }

  long sequenceNr(int i) {
    return sequenceNrs[i];
  }

  OffsetIndex add(long offset, long sequenceNr) {
    OffsetIndex base = size() >= MAX_POINTS ? thinned() : this;
    int n = base.size();
    long[] newOffsets = Arrays.copyOf(base.offsets, n + 1);
    long[] newSequenceNrs = Arrays.copyOf(base.sequenceNrs, n + 1);
    newOffsets[n] = offset;
    newSequenceNrs[n] = sequenceNr;
    return new OffsetIndex(newOffsets, newSequenceNrs);
  }

  /**
   * Every second point goes; reads scan a little further. The first, where the log starts, stays.
   */
  private OffsetIndex thinned() {
    int kept = (size() + 1) / 2;
    long[] newOffsets = new long[kept];
    long[] newSequenceNrs = new long[kept];
    for (int i = 0; i < kept; i++) {
      newOffsets[i] = offsets[2 * i];
      newSequenceNrs[i] = sequenceNrs[2 * i];
    }
    return new OffsetIndex(newOffsets, newSequenceNrs);
  }

  OffsetIndex truncateFromEnd(long endOffset) {
    int kept = 0;
    while (kept < size() && offsets[kept] < endOffset) {
      kept++;
    }
    return kept == size()
        ? this
        : new OffsetIndex(Arrays.copyOf(offsets, kept), Arrays.copyOf(sequenceNrs, kept));
  }

  /** Drops the points that are not needed to find {@code startOffset} or anything behind it. */
  OffsetIndex truncateFromStart(long startOffset) {
    int first = Math.max(0, floor(startOffset));
    return first == 0
        ? this
        : new OffsetIndex(
            Arrays.copyOfRange(offsets, first, size()),
            Arrays.copyOfRange(sequenceNrs, first, size()));
  }

  /**
   * The sequence number from which to read in order to find {@code offset}, or −1 when the index is
   * empty. Below the first point it is the first point's: the log starts there.
   */
  long sequenceNrFor(long offset) {
    if (size() == 0) {
      return -1;
    }
    return sequenceNrs[Math.max(0, floor(offset))];
  }

  private int floor(long offset) {
    int found = Arrays.binarySearch(offsets, offset);
    return found >= 0 ? found : -found - 2;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof OffsetIndex that
        && Arrays.equals(offsets, that.offsets)
        && Arrays.equals(sequenceNrs, that.sequenceNrs);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(offsets) * 31 + Arrays.hashCode(sequenceNrs);
  }
}
