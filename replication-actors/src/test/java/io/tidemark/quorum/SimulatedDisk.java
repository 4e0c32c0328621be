package io.tidemark.quorum;

import io.tidemark.log.LogEvent;
import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogEvent.LogTruncated;
import io.tidemark.log.LogEvent.SnapshotInstalled;
import io.tidemark.log.LogEvent.SnapshotTaken;
import io.tidemark.log.LogState;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatches;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;

/** A member's disk: what is flushed, and one event that is not. */
final class SimulatedDisk {
  private final TreeMap<Long, RecordBatch> batches = new TreeMap<>();
  private LogState flushed = LogState.EMPTY;
  private LogEvent inFlight;

  LogState state() {
    return flushed;
  }

  void write(LogEvent event) {
    if (inFlight != null) {
      throw new AssertionError("two writes in flight: " + inFlight + ", " + event);
    }
    inFlight = event;
  }

  void flush() {
    flushed = flushed.apply(inFlight);
    if (inFlight instanceof BatchesAppended appended) {
      for (RecordBatch batch : RecordBatches.list(appended.batches().duplicate())) {
        batches.put(batch.baseOffset(), batch);
      }
    } else if (inFlight instanceof LogTruncated cut) {
      batches.tailMap(cut.endOffset(), true).clear();
    } else if (inFlight instanceof SnapshotTaken taken) {
      batches.headMap(taken.startOffset(), false).clear();
    } else if (inFlight instanceof SnapshotInstalled) {
      batches.clear();
    }
    inFlight = null;
  }

  /** What was not flushed may be there after a crash, or not. */
  void crash(Random random) {
    if (inFlight != null && random.nextBoolean()) {
      flush();
    }
    inFlight = null;
  }

  ByteBuffer read(long from, long limit, int maxBytes) {
    List<RecordBatch> found = new ArrayList<>();
    int bytes = 0;
    for (RecordBatch batch : batches.values()) {
      boolean fits = found.isEmpty() || bytes + batch.sizeInBytes() <= maxBytes;
      if (batch.nextOffset() > from && batch.baseOffset() < limit && fits) {
        found.add(batch);
        bytes += batch.sizeInBytes();
      }
    }
    return found.isEmpty() ? ByteBuffer.allocate(0) : RecordBatches.join(found);
  }

  /** What is at that offset, told apart from anything else that may be there; null for nothing. */
  String identity(long offset) {
    var entry = batches.floorEntry(offset);
    if (entry == null || entry.getValue().nextOffset() <= offset) {
      return null;
    }
    RecordBatch batch = entry.getValue();
    return batch.baseOffset() + "/" + batch.leaderEpoch() + "/" + batch.crc();
  }
}
