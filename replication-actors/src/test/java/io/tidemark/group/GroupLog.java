package io.tidemark.group;

import static io.tidemark.group.GroupSimulation.MS;
import static io.tidemark.group.GroupSimulation.check;

import io.tidemark.group.GroupCoordinator.StoredRecord;
import java.util.ArrayList;
import java.util.List;

/**
 * The partition of the internal topic: what is not committed may be cut when its leader changes.
 */
final class GroupLog {
  private final GroupSimulation sim;
  private final List<StoredRecord> records = new ArrayList<>();
  private long start;
  private long committed;

  /** Until then too few replicas are in sync. */
  long refusing;

  GroupLog(GroupSimulation sim) {
    this.sim = sim;
  }

  private long end() {
    return start + records.size();
  }

  void append(GroupSimulation.Coordinator coordinator, List<GroupRecord> added) {
    if (coordinator.broker != sim.leader) {
      sim.after(MS, coordinator::stop);
      return;
    }
    if (sim.now < refusing) {
      sim.count("append-refused");
      sim.after(MS, coordinator::refused);
      return;
    }
    long base = end();
    int batchEpoch = sim.epoch;
    for (GroupRecord record : added) {
      GroupRecord stored = GroupRecordCodec.decode(GroupRecordCodec.encode(record));
      records.add(new StoredRecord(end(), batchEpoch, stored));
    }
    long last = end();
    sim.after((1 + sim.random.nextInt(40)) * MS, () -> commit(coordinator, base, last, batchEpoch));
  }

  private void commit(
      GroupSimulation.Coordinator coordinator, long base, long last, int batchEpoch) {
    if (batchEpoch != sim.epoch) {
      coordinator.stop();
      return;
    }
    if (sim.random.nextInt(20) == 0) {
      // It takes too long: committed later, and not told.
      sim.after(200 * MS, () -> commitUpTo(last, batchEpoch));
      sim.unknown(coordinator);
      return;
    }
    commitUpTo(last, batchEpoch);
    if (batchEpoch == coordinator.core.epoch()) {
      coordinator.appended(base);
    } else {
      sim.count("append-of-older-epoch");
      coordinator.stop();
    }
  }

  private void commitUpTo(long last, int batchEpoch) {
    if (batchEpoch == sim.epoch) {
      advance(last);
    }
  }

  private void advance(long to) {
    while (committed < to) {
      StoredRecord next = records.get((int) (committed - start));
      committed++;
      sim.ghost.committed(next);
    }
  }

  /** The new leader has some of what was not committed, and commits it. */
  void failOver() {
    long kept = committed + sim.random.nextInt((int) (end() - committed) + 1);
    if (kept < end()) {
      sim.count("records-cut");
      records.subList((int) (kept - start), records.size()).clear();
    }
    advance(kept);
  }

  void deleteBefore(long offset) {
    check(offset <= committed, "the log is to start at %d, above %d", offset, committed);
    if (offset > start) {
      records.subList(0, (int) (offset - start)).clear();
      start = offset;
    }
  }

  /** Committed ones only. */
  List<StoredRecord> read(long from, int most) {
    long first = Math.max(from, start);
    long last = Math.min(committed, first + most);
    return first >= last
        ? List.of()
        : List.copyOf(records.subList((int) (first - start), (int) (last - start)));
  }
}
