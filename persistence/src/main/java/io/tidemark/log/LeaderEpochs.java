package io.tidemark.log;

import java.util.ArrayList;
import java.util.List;

/**
 * Where each leader epoch starts in a log: the leader epoch checkpoint (KIP-101, KIP-279).
 *
 * <p>Immutable. Invariant: entries are strictly increasing in both epoch and start offset.
 */
public final class LeaderEpochs {

  /** The first offset that was written in an epoch. */
  public record Entry(int epoch, long startOffset) {}

  /** The answer to "where does this epoch end?"; {@link #UNDEFINED} when it is not known. */
  public record EpochEnd(int epoch, long endOffset) {
    public static final EpochEnd UNDEFINED = new EpochEnd(-1, -1);

    public boolean isDefined() {
      return endOffset >= 0;
    }
  }

  public static final LeaderEpochs EMPTY = new LeaderEpochs(List.of());

  private final List<Entry> entries;

  private LeaderEpochs(List<Entry> entries) {
    this.entries = entries;
  }

  /**
   * @throws IllegalArgumentException when the entries are not strictly increasing
   */
  public static LeaderEpochs of(List<Entry> entries) {
    for (int i = 1; i < entries.size(); i++) {
      Entry before = entries.get(i - 1);
      Entry entry = entries.get(i);
      if (entry.epoch() <= before.epoch() || entry.startOffset() <= before.startOffset()) {
        throw new IllegalArgumentException("leader epochs not increasing: " + entries);
      }
    }
    return new LeaderEpochs(List.copyOf(entries));
  }

  public List<Entry> entries() {
    return entries;
  }

  public boolean isEmpty() {
    return entries.isEmpty();
  }

  /** The latest known epoch, or −1 when none is known. */
  public int latest() {
    return entries.isEmpty() ? -1 : entries.get(entries.size() - 1).epoch();
  }

  /**
   * Notes that {@code epoch} starts at {@code startOffset}. An entry that the new one contradicts
   * (a higher epoch, or a start at or behind it) belongs to a log that was cut or left empty, and
   * goes.
   */
  public LeaderEpochs assign(int epoch, long startOffset) {
    if (!entries.isEmpty()) {
      Entry last = entries.get(entries.size() - 1);
      if (last.epoch() == epoch && startOffset >= last.startOffset()) {
        return this;
      }
    }
    List<Entry> kept = new ArrayList<>(entries.size() + 1);
    for (Entry entry : entries) {
      if (entry.epoch() < epoch && entry.startOffset() < startOffset) {
        kept.add(entry);
      }
    }
    kept.add(new Entry(epoch, startOffset));
    return new LeaderEpochs(List.copyOf(kept));
  }

  /** Drops the epochs that start at or behind the log's new end. */
  public LeaderEpochs truncateFromEnd(long endOffset) {
    if (entries.isEmpty() || entries.get(entries.size() - 1).startOffset() < endOffset) {
      return this;
    }
    return new LeaderEpochs(
        entries.stream().filter(entry -> entry.startOffset() < endOffset).toList());
  }

  /** Moves the epoch that holds the log's new start to it, and drops the ones before. */
  public LeaderEpochs truncateFromStart(long startOffset) {
    List<Entry> kept = new ArrayList<>();
    Entry holder = null;
    for (Entry entry : entries) {
      if (entry.startOffset() <= startOffset) {
        holder = entry;
      } else {
        kept.add(entry);
      }
    }
    if (holder == null) {
      return this;
    }
    kept.add(0, new Entry(holder.epoch(), startOffset));
    return new LeaderEpochs(List.copyOf(kept));
  }

  /**
   * The end of {@code epoch} in this log: the start of the next higher one, or the log's end for
   * the latest. The epoch in the answer is the highest known one that is not above the asked one,
   * which tells the asker where to look next (KIP-279).
   */
  public EpochEnd endOffsetFor(int epoch, long logEndOffset) {
    if (entries.isEmpty() || epoch < 0 || epoch > latest()) {
      return EpochEnd.UNDEFINED;
    }
    if (epoch == latest()) {
      return new EpochEnd(epoch, logEndOffset);
    }
    int known = -1;
    for (Entry entry : entries) {
      if (entry.epoch() > epoch) {
        return new EpochEnd(known < 0 ? epoch : known, entry.startOffset());
      }
      known = entry.epoch();
    }
    throw new IllegalStateException("epoch " + epoch + " not found in " + entries);
  }

  /** The epoch of the record at {@code offset}, or −1 when no epoch is known for it. */
  public int epochAt(long offset) {
    int found = -1;
    for (Entry entry : entries) {
      if (entry.startOffset() > offset) {
        break;
      }
      found = entry.epoch();
    }
    return found;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof LeaderEpochs that && entries.equals(that.entries);
  }

  @Override
  public int hashCode() {
    return entries.hashCode();
  }

  @Override
  public String toString() {
    return entries.toString();
  }
}
