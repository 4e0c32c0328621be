package io.tidemark.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What an onlooker knows of one log: all that was ever committed, and which batches ever were. */
final class Ghost {
  private final List<Stored> committed = new ArrayList<>();
  private final Map<Long, Long> chains = new HashMap<>();
  private final Map<Long, Stored> newest = new HashMap<>();
  private long end;
  private long deletedTo;

  /** The highest high watermark that ever was. */
  long end() {
    return end;
  }

  /** A log that starts there has been seen: what is before it is deleted. */
  void deletedTo(long offset) {
    deletedTo = Math.max(deletedTo, offset);
  }

  boolean isAnyDeleted() {
    return deletedTo > 0;
  }

  List<Stored> committed() {
    return committed;
  }

  /** Takes what this log holds up to there as committed. */
  void commit(SimulatedLog log, long highWatermark) {
    verify(log, end, "1", log.partition());
    for (int index = log.indexOf(end); index < log.batches().size(); index++) {
      Stored batch = log.batches().get(index);
      if (batch.end() > highWatermark) {
        break;
      }
      if (batch.base() > end) {
        throw new Violation("3", "nothing is at offset " + end + ", and it is committed: " + log);
      }
      inOrder(batch);
      committed.add(batch);
      end = batch.end();
    }
    if (end < highWatermark) {
      throw new Violation(
          "7", "committed up to %d, but the log is %s".formatted(highWatermark, log));
    }
    log.verified = end;
  }

  private void inOrder(Stored batch) {
    if (batch.producerId() < 0) {
      return;
    }
    long identity = batch.producerId() << 16 | batch.producerEpoch();
    Stored last = newest.put(identity, batch);
    if (last == null || last.end() <= deletedTo) {
      // Whoever never had the deleted records knows nothing of their producers.
      return;
    }
    long expected = last.lastSequence() + 1;
    if (batch.firstSequence() != expected) {
      throw new Violation(
          "14",
          "producer %d wrote sequence %d at offset %d, where %d is next"
              .formatted(batch.producerId(), batch.firstSequence(), batch.base(), expected));
    }
  }

  /** The end of what was written in older epochs than this one. */
  long endBefore(int epoch) {
    int index = committed.size();
    while (index > 0 && committed.get(index - 1).epoch() >= epoch) {
      index--;
    }
    return index == 0 ? 0 : committed.get(index - 1).end();
  }

  /** The committed batch that holds the offset; null when there is none. */
  Stored at(long offset) {
    int index = indexOf(offset);
    return index < committed.size() && committed.get(index).base() <= offset
        ? committed.get(index)
        : null;
  }

  private int indexOf(long offset) {
    int low = 0;
    int high = committed.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (committed.get(middle).end() <= offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The log has to hold what was committed below that offset, as far as its own start lets it. */
  void verify(SimulatedLog log, long limit, String invariant, Object holder) {
    long to = Math.min(limit, end);
    long from = Math.max(log.verified, log.state().startOffset());
    if (from >= to) {
      return;
    }
    int index = log.indexOf(from);
    for (int i = indexOf(from); i < committed.size() && committed.get(i).base() < to; i++) {
      Stored expected = committed.get(i);
      Stored found = index < log.batches().size() ? log.batches().get(index++) : null;
      if (found == null || !found.isSame(expected)) {
        throw new Violation(
            invariant,
            "%s holds %s where %s is committed; its log is %s"
                .formatted(holder, found == null ? "nothing" : found, expected, log));
      }
    }
    log.verified = to;
  }

  /** The same offset in the same epoch has the same log before it, wherever it is. */
  void inspect(SimulatedLog log, Object holder) {
    for (; log.inspected < log.batches().size(); log.inspected++) {
      Stored batch = log.batches().get(log.inspected);
      if (batch.end() <= log.state().startOffset()) {
        continue;
      }
      int known = log.state().epochs().epochAt(Math.max(batch.base(), log.state().startOffset()));
      if (known != batch.epoch()) {
        throw new Violation(
            "12", "%s has %s, its epochs say %d: %s".formatted(holder, batch, known, log));
      }
      if (batch.chain() == 0) {
        continue;
      }
      Long before = chains.putIfAbsent(batch.base() << 20 | batch.epoch(), batch.chain());
      if (before != null && before != batch.chain()) {
        throw new Violation(
            "4", "%s has another log up to %s than others have".formatted(holder, batch));
      }
    }
  }
}
