package io.tidemark.log;

import java.util.ArrayList;
import java.util.List;

/**
 * Where a log was truncated: its journal only grows, so truncated events stay in it, dead.
 *
 * <p>Immutable. Invariant: strictly increasing in offset and in sequence number, so the first cut
 * behind an event is the lowest one that concerns it.
 */
final class Cuts {

  /** What lies at or above {@code offset} in events before {@code firstLiveSequenceNr} is dead. */
  record Cut(long offset, long firstLiveSequenceNr) {}

  static final Cuts NONE = new Cuts(List.of());

  private final List<Cut> cuts;

  Cuts(List<Cut> cuts) {
    this.cuts = List.copyOf(cuts);
  }

  List<Cut> list() {
    return cuts;
  }

  Cuts add(long offset, long firstLiveSequenceNr) {
    List<Cut> kept = new ArrayList<>(cuts);
    kept.removeIf(cut -> cut.offset() >= offset);
    kept.add(new Cut(offset, firstLiveSequenceNr));
    return new Cuts(kept);
  }

  /** Cuts at or below the log's start only concern events that are not served any more. */
  Cuts truncateFromStart(long startOffset) {
    if (cuts.isEmpty() || cuts.get(0).offset() > startOffset) {
      return this;
    }
    List<Cut> kept = new ArrayList<>(cuts);
    int last = -1;
    for (int i = 0; i < kept.size() && kept.get(i).offset() <= startOffset; i++) {
      last = i;
    }
    // The last of them still tells which older events are dead above the start.
    return new Cuts(kept.subList(last, kept.size()));
  }

  /** Whether a batch that starts at {@code baseOffset} in event {@code sequenceNr} still counts. */
  boolean isLive(long baseOffset, long sequenceNr) {
    for (Cut cut : cuts) {
      if (cut.firstLiveSequenceNr() > sequenceNr) {
        return baseOffset < cut.offset();
      }
    }
    return true;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Cuts that && cuts.equals(that.cuts);
  }

  @Override
  public int hashCode() {
    return cuts.hashCode();
  }
}
