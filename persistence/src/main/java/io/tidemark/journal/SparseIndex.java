package io.tidemark.journal;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Where in a segment an entry is: one point per 64 KiB, in rising order. It grows as entries are
 * written or first read in order, and is only a hint of where to begin reading.
 */
final class SparseIndex {
  private static final int SPACING = 64 * 1024;

  private long[] sequenceNrs = new long[4];
  private long[] positions = new long[4];
  private int size;

  /** Notes the entry at the position, when it lies far enough behind the last point. */
  synchronized void note(long sequenceNr, long position) {
    if (size > 0
        && (sequenceNr <= sequenceNrs[size - 1] || position < positions[size - 1] + SPACING)) {
      return;
    }
    if (size == sequenceNrs.length) {
      sequenceNrs = Arrays.copyOf(sequenceNrs, size * 2);
      positions = Arrays.copyOf(positions, size * 2);
    }
    sequenceNrs[size] = sequenceNr;
    positions[size] = position;
    size++;
  }

  /**
   * Forgets the points at the position and behind it.
   *
   * @return whether there were any
   */
  synchronized boolean dropFrom(long position) {
    int before = size;
    while (size > 0 && positions[size - 1] >= position) {
      size--;
    }
    return size < before;
  }

  /** The position of the last point at or before the sequence number, or the given default. */
  synchronized long positionBefore(long sequenceNr, long otherwise) {
    int found = Arrays.binarySearch(sequenceNrs, 0, size, sequenceNr);
    int point = found >= 0 ? found : -found - 2;
    return point < 0 ? otherwise : positions[point];
  }

  /** The points as pairs of sequence number and position, big-endian. */
  synchronized ByteBuffer encode() {
    ByteBuffer bytes = ByteBuffer.allocate(size * 16);
    for (int i = 0; i < size; i++) {
      bytes.putLong(sequenceNrs[i]).putLong(positions[i]);
    }
    return bytes.flip();
  }

  synchronized int size() {
    return size;
  }
}
