package io.tidemark.replica;

import io.tidemark.log.LeaderEpochs.EpochEnd;
import io.tidemark.log.LogState;
import io.tidemark.record.CorruptRecordException;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatches;
import java.nio.ByteBuffer;
import java.util.List;

/** How a follower's log is brought in line with its leader's. */
final class Truncation {
  private Truncation() {}

  /**
   * Where to cut a log that left the leader's. The answer may leave more to be cut: the next fetch,
   * with the epoch that is then the last, finds out (KIP-279).
   *
   * @param leaderEpoch the highest epoch of the leader's log that is not above the one asked for
   * @param leaderEnd where that epoch ends in the leader's log
   */
  static long cutAt(LogState log, long highWatermark, int leaderEpoch, long leaderEnd) {
    if (log.epochs().isEmpty()) {
      return highWatermark;
    }
    EpochEnd own = log.endOffsetFor(leaderEpoch);
    if (!own.isDefined()) {
      return clamp(log, leaderEnd);
    }
    if (own.epoch() != leaderEpoch) {
      return clamp(log, own.endOffset());
    }
    return clamp(log, Math.min(own.endOffset(), leaderEnd));
  }

  private static long clamp(LogState log, long offset) {
    return Math.max(log.startOffset(), Math.min(offset, log.endOffset()));
  }

  /**
   * @param good the batches that may be appended
   * @param problem why the one behind them may not, null when all are good
   */
  record Checked(ByteBuffer good, String problem) {}

  /** The batches that follow the log, up to the first that does not. */
  static Checked check(LogState log, ByteBuffer records, int ownEpoch) {
    ByteBuffer rest = records.duplicate();
    long expected = log.endOffset();
    boolean empty = log.isEmpty();
    int good = rest.position();
    String problem = null;
    while (problem == null && good < rest.limit()) {
      try {
        RecordBatch batch = RecordBatch.at(rest, good);
        problem = problemOf(batch, log, expected, empty, ownEpoch);
        if (problem == null) {
          expected = batch.nextOffset();
          empty = false;
          good += batch.sizeInBytes();
        }
      } catch (CorruptRecordException e) {
        problem = e.getMessage();
      }
    }
    return new Checked(rest.limit(good), problem);
  }

  /**
   * What is wrong with its place in the log, null when nothing is.
   *
   * @throws CorruptRecordException when it is damaged in itself
   */
  private static String problemOf(
      RecordBatch batch, LogState log, long expected, boolean empty, int ownEpoch) {
    boolean holdsStart =
        empty && batch.baseOffset() <= log.startOffset() && log.startOffset() <= batch.lastOffset();
    if (batch.baseOffset() != expected && !holdsStart) {
      return "batch at offset " + batch.baseOffset() + " where " + expected + " is next";
    }
    if (batch.leaderEpoch() > ownEpoch) {
      return "batch of epoch " + batch.leaderEpoch() + " from a leader of epoch " + ownEpoch;
    }
    if (batch.recordCount() != batch.lastOffsetDelta() + 1) {
      return "batch at offset " + batch.baseOffset() + " has a gap";
    }
    batch.validate();
    return null;
  }

  /** The batches in {@code good}; nothing when it is empty. */
  static List<RecordBatch> batches(ByteBuffer good) {
    return RecordBatches.list(good.duplicate());
  }
}
