package io.tidemark.quorum;

import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatches;
import io.tidemark.replica.GatheredBatches;
import io.tidemark.replica.LogWriter;
import java.nio.ByteBuffer;
import java.util.List;

/** A leader's appends: gathered while the disk is busy, then stamped and written as one event. */
final class Appends {
  private final LogWriter writer;
  private final GatheredBatches gathered;
  private long endOffset;

  /**
   * @param endOffset where the first append goes, behind what has been given to the writer already
   */
  Appends(int epoch, LogWriter writer, long endOffset) {
    this.writer = writer;
    this.gathered = new GatheredBatches(epoch);
    this.endOffset = endOffset;
  }

  /** The end of the log with everything appended so far, durable or not. */
  long endOffset() {
    return endOffset;
  }

  void append(ByteBuffer batches, long highWatermark, Step step) {
    List<RecordBatch> all = RecordBatches.list(batches.duplicate());
    if (all.isEmpty()) {
      return;
    }
    gathered.add(batches, endOffset);
    for (RecordBatch batch : all) {
      endOffset += batch.lastOffsetDelta() + 1L;
    }
    flush(highWatermark, step);
  }

  /** Writes what was gathered, unless the disk is busy: then it goes with what comes until then. */
  void flush(long highWatermark, Step step) {
    if (writer.isBusy() || gathered.isEmpty()) {
      return;
    }
    ByteBuffer event = gathered.take();
    step.replicate(out -> writer.write(new BatchesAppended(event, highWatermark), out));
  }
}
