package io.tidemark.quorum;

import io.tidemark.log.BatchReader;
import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatches;
import io.tidemark.replica.LogWriter;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** A leader's appends: stamped at once, gathered while the disk is busy, written as one event. */
final class Appends {
  /** One event, and so one message to a follower, holds no more than this. */
  private static final int MAX_EVENT_BYTES = 1 << 20;

  private final int epoch;
  private final LogWriter writer;
  private final Deque<ByteBuffer> gathered = new ArrayDeque<>();
  private long endOffset;

  /**
   * @param endOffset where the first append goes, behind what has been given to the writer already
   */
  Appends(int epoch, LogWriter writer, long endOffset) {
    this.epoch = epoch;
    this.writer = writer;
    this.endOffset = endOffset;
  }

  /** The end of the log with everything appended so far, durable or not. */
  long endOffset() {
    return endOffset;
  }

  void append(ByteBuffer batches, long highWatermark, Step step) {
    ByteBuffer stamped = RecordBatches.stamp(batches, endOffset, epoch);
    List<RecordBatch> all = RecordBatches.list(stamped);
    if (all.isEmpty()) {
      return;
    }
    endOffset = all.get(all.size() - 1).nextOffset();
    gathered.add(stamped);
    flush(highWatermark, step);
  }

  /** Writes what was gathered, unless the disk is busy: then it goes with what comes until then. */
  void flush(long highWatermark, Step step) {
    if (writer.isBusy() || gathered.isEmpty()) {
      return;
    }
    List<ByteBuffer> parts = new ArrayList<>();
    int bytes = 0;
    while (!gathered.isEmpty()
        && (bytes == 0 || bytes + gathered.peek().remaining() <= MAX_EVENT_BYTES)) {
      ByteBuffer part = gathered.poll();
      bytes += part.remaining();
      parts.add(part);
    }
    step.replicate(
        out -> writer.write(new BatchesAppended(BatchReader.concat(parts), highWatermark), out));
  }
}
