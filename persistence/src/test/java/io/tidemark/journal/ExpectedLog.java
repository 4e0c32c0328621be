package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** What a log must have, what it may have, and what it must not. */
final class ExpectedLog {
  final String id;

  /** All that was written, in the form of {@link LogFixture#read}; null for a rejected event. */
  final List<String> written = new ArrayList<>();

  private final TreeSet<Long> writeEnds = new TreeSet<>();

  /** Must be there after a kill. */
  long acknowledged;

  /** Must be there after a power loss. */
  long promised;

  /** Must not be there. */
  long deleted;

  /** May be deleted: somebody has tried. */
  long deleting;

  final Map<SnapshotFiles.Key, String> snapshots = new HashMap<>();

  /** Somebody has tried to delete these snapshots. */
  final List<SnapshotFiles.Key> dropping = new ArrayList<>();

  ExpectedLog(String id) {
    this.id = id;
    writeEnds.add(0L);
  }

  long next() {
    return written.size() + 1;
  }

  void wrote(String... payloads) {
    for (String payload : payloads) {
      written.add(next() + "=" + payload);
    }
    writeEnds.add((long) written.size());
  }

  void rejected() {
    written.add(null);
  }

  /** The last entry up to the sequence number, which may be that of a rejected event. */
  long lastEntryAt(long sequenceNr) {
    long last = sequenceNr;
    while (last > 0 && last <= written.size() && written.get((int) last - 1) == null) {
      last--;
    }
    return last;
  }

  /** The log's recovery has found this; from now on it is what there is. */
  void found(long highest, List<String> read, boolean powerLoss, String context) {
    String log = context + " log " + id + ": ";
    long least = Math.max(powerLoss ? promised : acknowledged, deleted);
    least = lastEntryAt(least);
    assertTrue(highest >= least, log + "ends at " + highest + ", must have " + least);
    assertTrue(highest <= written.size(), log + "ends at " + highest + ", is " + written.size());
    assertTrue(writeEnds.contains(highest), log + "ends within a write, at " + highest);
    List<String> there = new ArrayList<>();
    for (long i = 1; i <= highest; i++) {
      if (written.get((int) i - 1) != null) {
        there.add(written.get((int) i - 1));
      }
    }
    int gone = there.size() - read.size();
    assertTrue(gone >= 0, log + read + " but written was " + there);
    assertEquals(there.subList(gone, there.size()), read, log);
    long lastGone = gone == 0 ? 0 : sequenceNr(there.get(gone - 1));
    assertTrue(lastGone <= deleting, log + lastGone + " is gone, deleted up to " + deleting);
    assertTrue(
        read.isEmpty() || sequenceNr(read.get(0)) > deleted, log + "deleted entries are back");
    written.subList((int) highest, written.size()).clear();
    writeEnds.tailSet(highest + 1).clear();
    acknowledged = highest;
    promised = highest;
    deleted = Math.max(deleted, lastGone);
  }

  private static long sequenceNr(String entry) {
    return Long.parseLong(entry.substring(0, entry.indexOf('=')));
  }

  /** The id's snapshots, all of which could be loaded, in place of those that are expected. */
  void foundSnapshots(Map<SnapshotFiles.Key, String> found, long highest, String context) {
    for (Map.Entry<SnapshotFiles.Key, String> each : snapshots.entrySet()) {
      if (!dropping.contains(each.getKey())) {
        assertEquals(each.getValue(), found.get(each.getKey()), context + " snapshot of " + id);
      }
    }
    for (Map.Entry<SnapshotFiles.Key, String> each : found.entrySet()) {
      assertEquals("state " + each.getKey().sequenceNr(), each.getValue(), context);
      assertTrue(each.getKey().sequenceNr() <= highest, context + " snapshot beyond " + highest);
    }
    snapshots.clear();
    snapshots.putAll(found);
    dropping.clear();
  }
}
