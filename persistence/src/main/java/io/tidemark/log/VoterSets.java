package io.tidemark.log;

import io.tidemark.log.LogEvent.Voter;
import io.tidemark.record.RecordBatch;
import java.util.ArrayList;
import java.util.List;

/**
 * The voters of a quorum as its log changes them (KIP-853): a set counts from the moment that its
 * record is in the log, committed or not, and the one before it counts again when that record is
 * cut.
 *
 * @param entries by rising offset; those before what is known to be committed are left out but one
 */
public record VoterSets(List<Entry> entries) {
  static final VoterSets NONE = new VoterSets(List.of());

  /** Of a set that was agreed on at the formation, or learned with a snapshot or from others. */
  static final long BEFORE_THE_LOG = -1;

  /**
   * @param offset of the record that says so
   */
  record Entry(long offset, List<Voter> voters) {
    Entry {
      voters = List.copyOf(voters);
    }
  }

  public VoterSets {
    entries = List.copyOf(entries);
  }

  /** The set that counts now; empty when none is known. */
  public List<Voter> latest() {
    return entries.isEmpty() ? List.of() : entries.get(entries.size() - 1).voters();
  }

  /** The offset of the record that made the latest set, −1 when none did. */
  public long latestOffset() {
    return entries.isEmpty() ? BEFORE_THE_LOG : entries.get(entries.size() - 1).offset();
  }

  /** The set that the records below an offset make. */
  public List<Voter> below(long offset) {
    return truncateFromEnd(offset).latest();
  }

  static VoterSets of(List<Voter> voters) {
    return new VoterSets(List.of(new Entry(BEFORE_THE_LOG, voters)));
  }

  VoterSets append(RecordBatch batch) {
    List<Voter> voters = batch.isControl() ? VotersRecord.read(batch) : List.of();
    if (voters.isEmpty()) {
      return this;
    }
    List<Entry> more = new ArrayList<>(entries);
    more.add(new Entry(batch.baseOffset(), voters));
    return new VoterSets(more);
  }

  VoterSets truncateFromEnd(long endOffset) {
    return latestOffset() < endOffset
        ? this
        : new VoterSets(entries.stream().filter(entry -> entry.offset() < endOffset).toList());
  }

  /** What is committed is not cut any more. */
  VoterSets committed(long highWatermark) {
    int first = 0;
    while (first + 1 < entries.size() && entries.get(first + 1).offset() < highWatermark) {
      first++;
    }
    return first == 0 ? this : new VoterSets(entries.subList(first, entries.size()));
  }
}
