package io.tidemark.journal;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Direct buffers that are used again: an event is serialized into one and written from it. Buffers
 * above 4 MiB, and those that the pool is out of room for, are ordinary heap buffers.
 */
final class WriteBuffers {
  private static final int SMALLEST = 4 * 1024;
  private static final int CLASSES = 11;

  private final List<ArrayDeque<ByteBuffer>> free = new ArrayList<>();
  private final long limit;
  private long allocated;

  /** A pool of at most the given number of bytes. */
  WriteBuffers(long limit) {
    this.limit = limit;
    for (int i = 0; i < CLASSES; i++) {
      free.add(new ArrayDeque<>());
    }
  }

  /** An empty buffer of at least the capacity. */
  synchronized ByteBuffer take(int capacity) {
    for (int i = 0; i < CLASSES; i++) {
      int size = SMALLEST << i;
      if (size >= capacity) {
        ByteBuffer pooled = free.get(i).pollLast();
        if (pooled != null) {
          return pooled.clear();
        }
        if (allocated + size <= limit) {
          allocated += size;
          return ByteBuffer.allocateDirect(size);
        }
        return ByteBuffer.allocate(size);
      }
    }
    return ByteBuffer.allocate(capacity);
  }

  /** The caller must not touch the buffer again. */
  synchronized void giveBack(ByteBuffer buffer) {
    if (buffer.isDirect()) {
      int sizeClass =
          Integer.numberOfTrailingZeros(buffer.capacity())
              - Integer.numberOfTrailingZeros(SMALLEST);
      free.get(sizeClass).addLast(buffer);
    }
  }
}
