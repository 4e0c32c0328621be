package io.tidemark.replica;

import io.tidemark.record.RecordBatches;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Batches that wait for the disk, in order: what came meanwhile goes as one event. They are stamped
 * on their way into it, so that they are copied once, and lie in one array from then on.
 */
public final class GatheredBatches {
  /** One event, and so one message to a follower, holds no more than this, or a single batch. */
  private static final int MAX_EVENT_BYTES = 1 << 20;

  private record Waiting(ByteBuffer batches, long baseOffset) {}

  private final int leaderEpoch;
  private final Deque<Waiting> waiting = new ArrayDeque<>();

  public GatheredBatches(int leaderEpoch) {
    this.leaderEpoch = leaderEpoch;
  }

  /**
   * @param batches valid ones, which nobody changes; they are only read
   * @param baseOffset of the first of them
   */
  public void add(ByteBuffer batches, long baseOffset) {
    waiting.add(new Waiting(batches, baseOffset));
  }

  public boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** What goes into the next event. */
  public ByteBuffer take() {
    List<Waiting> parts = new ArrayList<>();
    int bytes = 0;
    while (!waiting.isEmpty()
        && (bytes == 0 || bytes + waiting.peek().batches().remaining() <= MAX_EVENT_BYTES)) {
      Waiting part = waiting.poll();
      bytes += part.batches().remaining();
      parts.add(part);
    }
    ByteBuffer event = ByteBuffer.allocate(bytes);
    for (Waiting part : parts) {
      RecordBatches.stamp(part.batches(), part.baseOffset(), leaderEpoch, event);
    }
    return event.flip();
  }

  void clear() {
    waiting.clear();
  }
}
