package io.tidemark.group;

import io.tidemark.group.GroupEffect.Append;
import io.tidemark.group.GroupEffect.DeleteBefore;
import io.tidemark.group.GroupEffect.Read;
import io.tidemark.group.GroupEffect.Reply;
import io.tidemark.group.GroupRecord.CoordinatorStarted;
import io.tidemark.group.GroupRecord.GroupChanged;
import io.tidemark.group.GroupRecord.GroupExpired;
import io.tidemark.group.GroupRecord.GroupIdle;
import io.tidemark.group.GroupRecord.OffsetsCommitted;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.GroupRequest;
import io.tidemark.protocol.GroupResponse;
import io.tidemark.protocol.GroupResponse.Failed;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Coordinates the groups of one partition of the internal topic, in one leader epoch, as a pure
 * core. It begins by writing a record of its own: when that is committed, all that earlier
 * coordinators have written is, and it reads everything up to there before it answers anything.
 *
 * <p>Legal transitions: starting (its record is on its way) → loading (it reads) → active →
 * stopped; stopped from any. Whatever is not known to be committed ends in stopped: the next
 * coordinator, perhaps on the same node, finds out by reading.
 *
 * <p>Invariant: no answer leaves before all that it tells of is committed.
 */
public final class GroupCoordinator {
  private static final long NANOS_PER_MS = 1_000_000;

  /** Versions of assignments rise also from one coordinator to the next: each starts above. */
  private static final int VERSION_BITS = 20;

  private static final int MAX_RECORDS = 1_000;

  private enum Phase {
    STARTING,
    LOADING,
    ACTIVE,
    STOPPED
  }

  /**
   * A record as it was read.
   *
   * @param batchEpoch the leader epoch in which its batch was written
   */
  public record StoredRecord(long offset, int batchEpoch, GroupRecord record) {}

  private record Waiting(long after, long token, GroupResponse response) {}

  private final int epoch;
  private final GroupSettings settings;
  private final Groups groups;
  private Phase phase = Phase.STARTING;
  private long marker = -1;

  /** A record is made when its turn comes: it tells of all changes up to then. */
  private final Deque<Supplier<GroupRecord>> unwritten = new ArrayDeque<>();

  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private List<GroupRecord> inFlight = List.of();
  private int inFlightCount;
  private long retryAt = Long.MAX_VALUE;

  /** How many were ever put into {@link #unwritten}, and how many of those are committed. */
  private long enqueued;

  private long committed;
  private final LogRewrite rewrite;

  /**
   * @param epoch the leader epoch of the partition
   */
  public GroupCoordinator(int epoch, GroupSettings settings) {
    this.epoch = epoch;
    this.settings = settings;
    this.groups = new Groups(epoch, settings, this::write);
    this.rewrite = new LogRewrite(settings.rewriteBytes());
  }

  public List<GroupEffect> start() {
    List<GroupEffect> out = new ArrayList<>();
    inFlight = List.of(new CoordinatorStarted(epoch));
    out.add(new Append(inFlight));
    return out;
  }

  public int epoch() {
    return epoch;
  }

  /** Whether all that it has written so far is its first record. */
  public boolean isStarting() {
    return phase == Phase.STARTING;
  }

  /** What the last append wrote is committed, in this epoch, from this offset on. */
  public List<GroupEffect> appended(long baseOffset, long now) {
    List<GroupEffect> out = new ArrayList<>();
    if (phase == Phase.STARTING) {
      phase = Phase.LOADING;
      marker = baseOffset;
      inFlight = List.of();
      out.add(new Read(-1));
    } else if (phase == Phase.ACTIVE) {
      committed += inFlightCount;
      for (GroupRecord record : inFlight) {
        rewrite.written(record);
      }
      inFlight = List.of();
      rewrite
          .appended(baseOffset, groups.ids())
          .ifPresent(offset -> out.add(new DeleteBefore(offset)));
      while (!waiting.isEmpty() && waiting.peek().after() <= committed) {
        Waiting due = waiting.poll();
        out.add(new Reply(due.token(), due.response()));
      }
      append(out);
    }
    return out;
  }

  /** Nothing was written, since too few replicas are in sync; it is offered again after a while. */
  public void appendRefused(long now) {
    retryAt = now + settings.retryBackoffMs() * NANOS_PER_MS;
  }

  /**
   * Committed records, in order.
   *
   * @param nextOffset where to go on reading
   */
  public List<GroupEffect> read(List<StoredRecord> records, long nextOffset, long now) {
    List<GroupEffect> out = new ArrayList<>();
    if (phase != Phase.LOADING) {
      return out;
    }
    for (StoredRecord stored : records) {
      boolean counts = stored.record().epoch() == stored.batchEpoch();
      if (counts && stored.offset() < marker) {
        load(stored.record());
      }
    }
    if (nextOffset <= marker) {
      out.add(new Read(nextOffset));
      return out;
    }
    phase = Phase.ACTIVE;
    groups.loaded(marker << VERSION_BITS, now);
    append(out);
    return out;
  }

  private void load(GroupRecord record) {
    rewrite.written(record);
    if (record instanceof GroupChanged changed) {
      groups.load(changed);
    } else if (record instanceof OffsetsCommitted offsets) {
      groups.load(offsets);
    } else if (record instanceof GroupIdle idle) {
      groups.load(idle);
    } else if (record instanceof GroupExpired expired) {
      groups.load(expired);
    }
  }

  /**
   * @param token comes back in the {@link Reply}
   */
  public List<GroupEffect> on(long token, GroupRequest request, long now) {
    List<GroupEffect> out = new ArrayList<>();
    switch (phase) {
      case STOPPED -> out.add(new Reply(token, notCoordinator()));
      case STARTING, LOADING ->
          out.add(
              new Reply(
                  token,
                  new Failed(
                      ErrorCode.COORDINATOR_LOADING,
                      "the group's coordinator is still reading its log; ask again")));
      case ACTIVE -> {
        if (waiting.size() >= settings.maxPendingReplies()) {
          out.add(new Reply(token, overloaded()));
        } else {
          answer(token, groups.on(request, now), out);
        }
      }
    }
    return out;
  }

  private void answer(long token, GroupResponse response, List<GroupEffect> out) {
    if (committed == enqueued) {
      out.add(new Reply(token, response));
    } else {
      waiting.add(new Waiting(enqueued, token, response));
      append(out);
    }
  }

  private GroupResponse overloaded() {
    return new Failed(
        ErrorCode.REQUEST_TIMED_OUT,
        "%d requests wait for the group coordinator's log already; ask again later"
            .formatted(settings.maxPendingReplies()));
  }

  private GroupResponse notCoordinator() {
    return new Failed(
        ErrorCode.NOT_COORDINATOR,
        "this broker coordinates the group no more; ask the leader of its partition of the"
            + " internal topic");
  }

  /** The topics that exist now, by name. */
  public List<GroupEffect> topicsChanged(Map<String, TopicPartitions> topics) {
    List<GroupEffect> out = new ArrayList<>();
    groups.topicsChanged(topics, phase == Phase.ACTIVE);
    append(out);
    return out;
  }

  /**
   * @param timeMs milliseconds since the epoch; a clock that jumps ahead lets offsets expire early,
   *     and does nothing else
   */
  public List<GroupEffect> timePassed(long now, long timeMs) {
    List<GroupEffect> out = new ArrayList<>();
    if (retryAt <= now && !inFlight.isEmpty()) {
      retryAt = Long.MAX_VALUE;
      out.add(new Append(inFlight));
    }
    if (phase == Phase.ACTIVE) {
      groups.timePassed(now, timeMs);
      append(out);
    }
    return out;
  }

  /** Somebody else coordinates, or it is not known what became of the last append. */
  public List<GroupEffect> stop() {
    List<GroupEffect> out = new ArrayList<>();
    phase = Phase.STOPPED;
    waiting.forEach(each -> out.add(new Reply(each.token(), notCoordinator())));
    waiting.clear();
    unwritten.clear();
    inFlight = List.of();
    return out;
  }

  private void write(Supplier<GroupRecord> record) {
    unwritten.add(record);
    enqueued++;
  }

  private void append(List<GroupEffect> out) {
    if (phase != Phase.ACTIVE || !inFlight.isEmpty()) {
      return;
    }
    List<GroupRecord> records = new ArrayList<>();
    int bytes = 0;
    inFlightCount = 0;
    while (!unwritten.isEmpty() && bytes < settings.appendBytes() && records.size() < MAX_RECORDS) {
      GroupRecord record = unwritten.poll().get();
      records.add(record);
      bytes += record.estimatedBytes();
      inFlightCount++;
    }
    while (rewrite.isUnderWay() && bytes < settings.appendBytes() && records.size() < MAX_RECORDS) {
      for (GroupRecord record : groups.wholeState(rewrite.next())) {
        records.add(record);
        bytes += record.estimatedBytes();
      }
    }
    if (!records.isEmpty()) {
      inFlight = records;
      out.add(new Append(records));
    }
  }
}
