package io.tidemark.replica;

import io.tidemark.log.BatchReader;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Stamped batches that wait for the disk, in order: what came meanwhile goes as one event. */
public final class GatheredBatches {
  /** One event, and so one message to a follower, holds no more than this, or a single batch. */
  private static final int MAX_EVENT_BYTES = 1 << 20;

  private final Deque<ByteBuffer> waiting = new ArrayDeque<>();

  public void add(ByteBuffer batches) {
    waiting.add(batches);
  }

  public boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** What goes into the next event. */
  public ByteBuffer take() {
    List<ByteBuffer> parts = new ArrayList<>();
    int bytes = 0;
    while (!waiting.isEmpty()
        && (bytes == 0 || bytes + waiting.peek().remaining() <= MAX_EVENT_BYTES)) {
      ByteBuffer part = waiting.poll();
      bytes += part.remaining();
      parts.add(part);
    }
    return BatchReader.concat(parts);
  }

  void clear() {
    waiting.clear();
  }
}
