package io.tidemark.groupkill;

import io.tidemark.groupkill.GroupLedger.Session;
import io.tidemark.groupkill.MemberEvent.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * Holds what a group's members have told against what is promised: each acknowledged record is
 * consumed, none is passed over, each reader of a partition goes from offset to offset, begins
 * nowhere below what was committed when it was assigned, and repeats only what a member had read
 * that was killed or had lost the partition; one that has not heard yet that it has lost it may
 * read what the next one reads.
 */
final class GroupCheck {
  /** What lies between the member's own clock and ours for a revocation. */
  private static final long MARGIN_NANOS = 1_000_000_000;

  private static final int MAX_VIOLATIONS = 20;

  /** What one member has read of one partition, from its assignment on. */
  private static final class Run {
    private final Session session;
    private final int partition;
    private final long assignedAt;
    private final long first;
    private long last;
    private long committed = -1;
    private long releasedAt;
    private boolean lost;

    Run(Session session, int partition, Hold hold, long first) {
      this.session = session;
      this.partition = partition;
      this.assignedAt = hold.assignedAt;
      this.releasedAt = hold.releasedAt;
      this.lost = hold.lost;
      this.first = first;
      this.last = first;
    }

    /** Whether it had no chance to commit all that it has read. */
    boolean isBroken() {
      return lost || session.wasKilled();
    }

    @Override
    public String toString() {
      return "%s read %d to %d of partition %d".formatted(session.name, first, last, partition);
    }
  }

  /** A member's hold on a partition. */
  private static final class Hold {
    private boolean assigned;
    private long assignedAt;
    private long releasedAt;
    private boolean lost;

    /** Of this assignment, null before its first record: that may come behind its end. */
    private Run run;

    private Run previous;
  }

  private record Read(long nanos, long offset, int number, Run run) {}

  private record Commit(long nanos, long next) {}

  private final Map<Integer, List<Read>> reads = new TreeMap<>();
  private final Map<Integer, List<Commit>> commits = new HashMap<>();
  private final List<Run> runs = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();
  private long consumed;
  private long repeated;

  GroupCheck(List<Session> sessions, Map<Integer, NavigableMap<Long, Integer>> acknowledged) {
    sessions.forEach(this::follow);
    reads.values().forEach(all -> all.sort(Comparator.comparingLong(Read::nanos)));
    reads.forEach(
        (partition, all) ->
            checkPartition(partition, all, acknowledged.getOrDefault(partition, new TreeMap<>())));
    acknowledged.forEach(this::checkAcknowledged);
    runs.forEach(this::checkStart);
    runs.forEach(this::checkEnd);
  }

  /** None when all is as promised. */
  List<String> violations() {
    return violations;
  }

  /** Records that were handed to members, repetitions too. */
  long consumed() {
    return consumed;
  }

  long repeated() {
    return repeated;
  }

  private void violated(String format, Object... arguments) {
    if (violations.size() < MAX_VIOLATIONS) {
      violations.add(format.formatted(arguments));
    }
  }

  private void follow(Session session) {
    Map<Integer, Hold> holds = new HashMap<>();
    boolean ended = session.wasKilled();
    for (MemberEvent event : session.events) {
      ended |= event.kind() == Kind.LEFT;
      if (event.partition() >= 0) {
        follow(session, event, holds.computeIfAbsent(event.partition(), key -> new Hold()));
      }
    }
    if (!ended) {
      violated("%s neither left nor was killed", session.name);
    }
  }

  private void follow(Session session, MemberEvent event, Hold hold) {
    switch (event.kind()) {
      case ASSIGNED -> {
        hold.assigned = true;
        hold.assignedAt = event.nanos();
        hold.releasedAt = Long.MAX_VALUE;
        hold.lost = false;
        hold.previous = hold.run;
        hold.run = null;
      }
      case REVOKED -> {
        hold.releasedAt = event.nanos() + MemberMain.DRAIN_TIMEOUT.toNanos() - MARGIN_NANOS;
        if (hold.run != null) {
          hold.run.releasedAt = hold.releasedAt;
        }
      }
      case LOST -> {
        hold.lost = true;
        if (hold.run != null) {
          hold.run.lost = true;
        }
      }
      case CONSUMED -> consumed(session, event, hold);
      case COMMITTED -> committed(event, hold.run == null ? hold.previous : hold.run);
      default -> {}
    }
  }

  private void consumed(Session session, MemberEvent event, Hold hold) {
    long offset = event.offset();
    Run run = hold.run;
    if (run == null && isLeftOver(offset, hold.previous)) {
      run = hold.previous;
    } else if (run == null) {
      if (!hold.assigned) {
        violated("%s was not assigned what it consumed: %s", session.name, event);
      }
      run = new Run(session, event.partition(), hold, offset);
      hold.run = run;
      runs.add(run);
    } else if (offset != run.last + 1) {
      violated("%s, then %d", run, offset);
    }
    run.last = offset;
    consumed++;
    reads
        .computeIfAbsent(event.partition(), key -> new ArrayList<>())
        .add(new Read(event.nanos(), offset, event.number(), run));
  }

  /** What was in the stream when the partition was lost comes out of it when it is back. */
  private static boolean isLeftOver(long offset, Run previous) {
    return previous != null && previous.lost && offset == previous.last + 1;
  }

  /** A member hears of a commit's end also when it was given up since the partition was gone. */
  private void committed(MemberEvent event, Run run) {
    boolean holds =
        run != null
            && !run.lost
            && event.nanos() < run.releasedAt
            && event.offset() >= run.first
            && event.offset() <= run.last;
    if (holds) {
      run.committed = Math.max(run.committed, event.offset());
      commits
          .computeIfAbsent(event.partition(), key -> new ArrayList<>())
          .add(new Commit(event.nanos(), event.offset() + 1));
    }
  }

  /** In the order of time. */
  private void checkPartition(
      int partition, List<Read> all, NavigableMap<Long, Integer> acknowledged) {
    Map<Long, Run> readers = new HashMap<>();
    long high = 0;
    for (Read read : all) {
      long offset = read.offset();
      if (offset > high) {
        violated("nobody had read %d of partition %d when %s", high, partition, read.run());
      }
      Run before = readers.put(offset, read.run());
      if (before != null) {
        repeated++;
      }
      if (before != null && !before.isBroken() && !isStale(read.run(), before)) {
        violated("%d was read again: %s, then %s", offset, before, read.run());
      }
      Integer number = acknowledged.get(offset);
      if (number == null || number != read.number()) {
        violated(
            "%s, with %d at %d; acknowledged is %s", read.run(), read.number(), offset, number);
      }
      high = Math.max(high, offset + 1);
    }
  }

  /** It does not know yet that the partition was given to another one. */
  private static boolean isStale(Run run, Run other) {
    return run.isBroken() && run.assignedAt < other.assignedAt;
  }

  private void checkAcknowledged(int partition, NavigableMap<Long, Integer> acknowledged) {
    List<Read> all = reads.getOrDefault(partition, List.of());
    Set<Long> found = new HashSet<>();
    all.forEach(read -> found.add(read.offset()));
    int before = -1;
    for (Map.Entry<Long, Integer> record : acknowledged.entrySet()) {
      if (!found.contains(record.getKey())) {
        violated(
            "%d of partition %d is acknowledged, and was not consumed", record.getKey(), partition);
      }
      if (record.getValue() <= before) {
        violated("%d of partition %d is not in the order of writing", record.getKey(), partition);
      }
      before = record.getValue();
    }
  }

  private void checkStart(Run run) {
    long committed =
        commits.getOrDefault(run.partition, List.of()).stream()
            .filter(commit -> commit.nanos() < run.assignedAt)
            .mapToLong(Commit::next)
            .max()
            .orElse(0);
    if (run.first < committed) {
      violated("%s, although all below %d was committed before", run, committed);
    }
  }

  private void checkEnd(Run run) {
    if (!run.isBroken() && run.committed < run.last) {
      violated("%s, and committed no more than %d", run, run.committed);
    }
  }
}
