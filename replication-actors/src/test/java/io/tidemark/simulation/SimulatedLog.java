package io.tidemark.simulation;

import io.tidemark.log.LogEvent;
import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogEvent.LogRestarted;
import io.tidemark.log.LogState;
import io.tidemark.protocol.PartitionId;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatches;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * One log on a disk: its events, of which the last one may be on its way, and of which only a part
 * may be flushed.
 *
 * <p>Invariant: flushed ≤ written ≤ begun ≤ written + 1. Whoever wrote was told of what is written.
 */
final class SimulatedLog {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final PartitionId partition;
  private final List<LogEvent> events = new ArrayList<>();
  private final List<LogState> states = new ArrayList<>();
  private final List<Stored> batches = new ArrayList<>();
  private int written;
  private int flushed;
  private boolean unchained;

  /** Up to here the log is known to hold what was committed. */
  long verified;

  /** Batches before this one have been looked at. */
  int inspected;

  SimulatedLog(PartitionId partition) {
    this.partition = partition;
    states.add(LogState.EMPTY);
  }

  PartitionId partition() {
    return partition;
  }

  /** What is written. */
  LogState state() {
    return states.get(written);
  }

  List<Stored> batches() {
    return batches;
  }

  void begin(LogEvent event) {
    if (events.size() > written) {
      throw new Violation("log", "two writes at once: " + events.get(written) + ", " + event);
    }
    states.add(state().apply(event));
    events.add(event);
  }

  /** The event in flight is written. */
  LogState complete() {
    written++;
    track(events.get(written - 1), states.get(written - 1).endOffset());
    return state();
  }

  boolean hasUnflushed() {
    return flushed < written;
  }

  void flush() {
    flushed = written;
  }

  void flushNext() {
    flushed = Math.min(flushed + 1, written);
  }

  /** Whether that batch is in what a loss of power leaves. */
  boolean holdsFlushed(Stored batch) {
    Stored found = at(batch.base());
    return found != null && found.isSame(batch) && states.get(flushed).endOffset() >= batch.end();
  }

  /** Whether an event is on its way to the disk. */
  boolean isWriting() {
    return events.size() > written;
  }

  /** The process ends. The event in flight may be in the log afterwards, or not. */
  void abandon(boolean keepInFlight) {
    if (isWriting() && keepInFlight) {
      complete();
    }
    cut(written);
  }

  /**
   * The power fails: what was not flushed is there up to some event.
   *
   * @return whether something is gone that the writer was told of
   */
  boolean losePower(Chance chance) {
    int keep = flushed + chance.below(events.size() - flushed + 1);
    boolean lost = keep < written;
    if (keep > written) {
      complete();
    } else {
      cut(keep);
    }
    cut(written);
    flushed = written;
    return lost;
  }

  private void cut(int keep) {
    if (keep == events.size()) {
      return;
    }
    events.subList(keep, events.size()).clear();
    states.subList(keep + 1, states.size()).clear();
    if (keep < written) {
      written = keep;
      flushed = Math.min(flushed, keep);
      batches.clear();
      for (int i = 0; i < written; i++) {
        track(events.get(i), states.get(i).endOffset());
      }
      shortened();
    }
  }

  private void shortened() {
    verified = Math.min(verified, state().endOffset());
    inspected = Math.min(inspected, batches.size());
  }

  private void track(LogEvent event, long endBefore) {
    if (event instanceof BatchesAppended appended) {
      for (RecordBatch batch : RecordBatches.list(appended.batches())) {
        batches.add(Stored.of(batch, chain(endBefore)));
      }
    } else if (event instanceof LogEvent.LogTruncated truncated) {
      while (!batches.isEmpty() && last().base() >= truncated.endOffset()) {
        batches.remove(batches.size() - 1);
      }
      shortened();
    } else if (event instanceof LogRestarted) {
      batches.clear();
      inspected = 0;
      verified = 0;
    } else if (event instanceof LogEvent.LogStartAdvanced advanced) {
      int gone = 0;
      while (gone < batches.size() && batches.get(gone).end() <= advanced.startOffset()) {
        gone++;
      }
      if (verified < advanced.startOffset()) {
        // What was before the start may be another log's, and is nobody's business any more.
        unchained = true;
      }
      if (gone < batches.size()) {
        batches.subList(0, gone).clear();
        inspected = Math.max(0, inspected - gone);
      }
    }
  }

  private Stored last() {
    return batches.get(batches.size() - 1);
  }

  private long chain(long endBefore) {
    if (unchained) {
      return 0;
    }
    if (batches.isEmpty()) {
      return endBefore == 0 ? Stored.ROOT : 0;
    }
    return last().chain();
  }

  /** The batch that holds the offset; null when none does. */
  Stored at(long offset) {
    int index = indexOf(offset);
    return index < batches.size() && batches.get(index).base() <= offset
        ? batches.get(index)
        : null;
  }

  /** Of the first batch that ends behind the offset. */
  int indexOf(long offset) {
    int low = 0;
    int high = batches.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (batches.get(middle).end() <= offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** As a log is read: whole batches, at least one if there is any. */
  ByteBuffer read(long from, long limit, int maxBytes) {
    int index = indexOf(from);
    if (index == batches.size() || batches.get(index).base() >= limit) {
      return NOTHING;
    }
    List<RecordBatch> found = new ArrayList<>();
    int bytes = 0;
    for (; index < batches.size() && batches.get(index).base() < limit; index++) {
      ByteBuffer batch = batches.get(index).bytes();
      if (bytes > 0 && bytes + batch.remaining() > maxBytes) {
        break;
      }
      found.add(RecordBatch.at(batch, batch.position()));
      bytes += batch.remaining();
    }
    return RecordBatches.join(found);
  }

  @Override
  public String toString() {
    LogState state = state();
    return "[%d, %d) hw %d epochs %s"
        .formatted(state.startOffset(), state.endOffset(), state.highWatermark(), state.epochs());
  }
}
