package io.tidemark.group;

import io.tidemark.group.MemberEffect.CommitFailed;
import io.tidemark.group.MemberEffect.Committed;
import io.tidemark.group.MemberEffect.FindCoordinator;
import io.tidemark.group.MemberEffect.Left;
import io.tidemark.group.MemberEffect.Lost;
import io.tidemark.group.MemberEffect.Refused;
import io.tidemark.group.MemberEffect.Revoke;
import io.tidemark.group.MemberEffect.Send;
import io.tidemark.group.MemberEffect.Start;
import io.tidemark.protocol.CommittedOffset;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.GroupRequest.CommitOffsets;
import io.tidemark.protocol.GroupRequest.Heartbeat;
import io.tidemark.protocol.GroupRequest.Leave;
import io.tidemark.protocol.GroupResponse;
import io.tidemark.protocol.GroupResponse.Assigned;
import io.tidemark.protocol.GroupResponse.AssignedPartition;
import io.tidemark.protocol.GroupResponse.Failed;
import io.tidemark.protocol.PartitionId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A consumer's part in its group, as a pure core: joins, keeps in touch, takes over what it is
 * given, gives up what it is to lose after that is read and committed, and commits.
 *
 * <p>Legal transitions: joining (generation 0) → member → joining again when the coordinator does
 * not know it any more; leaving from any, and then left.
 *
 * <p>Invariants: one heartbeat and one commit are outstanding at most. What a heartbeat does not
 * name as held is read no more, and nothing of it will be committed from here.
 */
public final class GroupMember {
  private static final long NANOS_PER_MS = 1_000_000;
  private static final long LONGEST_ANSWER_NANOS = 2_000 * NANOS_PER_MS;
  private static final long BACK_OFF_NANOS = 100 * NANOS_PER_MS;
  private static final long LOOK_UP_NANOS = 200 * NANOS_PER_MS;
  private static final long GOODBYE_NANOS = 3_000 * NANOS_PER_MS;

  private static final class Reading {
    private boolean revoked;
    private long releaseAt = Long.MAX_VALUE;

    /** Behind the last record that was handed on; −1 while reading, or when nothing is awaited. */
    private long end = -1;

    private boolean stopped;
  }

  private final MemberSettings settings;
  private final Map<PartitionId, Reading> held = new LinkedHashMap<>();
  private final PendingCommits commits = new PendingCommits();
  private int coordinator = -1;
  private int coordinatorEpoch = -1;
  private long lookUpAt;
  private int generation = Heartbeat.JOIN;
  private long version;
  private long nextRequest = 1;
  private long heartbeatId;
  private long heartbeatAt;
  private long commitId;
  private long commitAt;
  private long commitSequence;

  /** What the last commit was answered with; empty when it was taken. */
  private String lastRefusal = "";

  private boolean leaving;
  private long goodbyeId;
  private long leaveAt = Long.MAX_VALUE;
  private boolean left;

  public GroupMember(MemberSettings settings) {
    this.settings = settings;
  }

  /** 0 while it is not a member. */
  public int generation() {
    return generation;
  }

  /** What it holds, and has not been told to give up. */
  public Set<PartitionId> reading() {
    Set<PartitionId> all = new HashSet<>();
    held.forEach(
        (partition, reading) -> {
          if (!reading.revoked) {
            all.add(partition);
          }
        });
    return all;
  }

  /**
   * @param broker that leads the group's partition, −1 for none
   * @param leaderEpoch in which it does
   */
  public List<MemberEffect> coordinatorFound(int broker, int leaderEpoch, long now) {
    List<MemberEffect> out = new ArrayList<>();
    if (leaderEpoch > coordinatorEpoch) {
      coordinator = broker;
      coordinatorEpoch = leaderEpoch;
      heartbeatId = 0;
      heartbeatAt = now;
      if (commitId != 0) {
        takeBack(out);
      }
      commitAt = now;
    }
    return step(now, out);
  }

  public List<MemberEffect> timePassed(long now) {
    return step(now, new ArrayList<>());
  }

  /** A consumer that chooses its partitions itself has this one until it leaves. */
  public void hold(PartitionId partition) {
    held.putIfAbsent(partition, new Reading());
  }

  /**
   * Where reading of a partition that was to be given up has ended.
   *
   * @param end behind the last record that was handed on; −1 when no commit of it is to be awaited
   */
  public List<MemberEffect> stopped(PartitionId partition, long end, long now) {
    Reading reading = held.get(partition);
    if (reading != null) {
      reading.stopped = true;
      reading.end = end;
    }
    return step(now, new ArrayList<>());
  }

  /**
   * @param token comes back in {@link Committed} or {@link CommitFailed}. What is held no more is
   *     not committed: whoever has it now reads it again
   */
  public List<MemberEffect> commit(long token, List<CommittedOffset> offsets, long now) {
    List<MemberEffect> out = new ArrayList<>();
    List<CommittedOffset> own = new ArrayList<>();
    for (CommittedOffset offset : offsets) {
      if (settings.isAlone() || held.containsKey(offset.partition())) {
        own.add(offset);
      }
    }
    if (!commits.add(token, own, now + settings.commitTimeoutMs() * NANOS_PER_MS)) {
      out.add(new Committed(token));
    }
    return step(now, out);
  }

  /** Gives up everything, then goes. */
  public List<MemberEffect> leave(long now) {
    List<MemberEffect> out = new ArrayList<>();
    if (!leaving) {
      leaving = true;
      leaveAt = now + settings.drainTimeoutMs() * NANOS_PER_MS;
      held.forEach((partition, reading) -> revoke(partition, reading, now, out));
    }
    return step(now, out);
  }

  private void revoke(PartitionId partition, Reading reading, long now, List<MemberEffect> out) {
    if (!reading.revoked) {
      reading.revoked = true;
      reading.releaseAt = now + settings.drainTimeoutMs() * NANOS_PER_MS;
      out.add(new Revoke(partition));
    }
  }

  public List<MemberEffect> answered(long requestId, GroupResponse response, long now) {
    List<MemberEffect> out = new ArrayList<>();
    if (left || requestId == 0) {
      return out;
    }
    if (requestId == heartbeatId) {
      heartbeatId = 0;
      heartbeatAnswered(response, now, out);
    } else if (requestId == commitId) {
      commitId = 0;
      commitAnswered(response, now, out);
    } else if (requestId == goodbyeId) {
      left(out);
    }
    return step(now, out);
  }

  private void heartbeatAnswered(GroupResponse response, long now, List<MemberEffect> out) {
    if (response instanceof Assigned assigned) {
      if (assigned.generation() < generation) {
        // Of a coordinator that does not know of its successor yet.
        retry(ErrorCode.NOT_COORDINATOR, now, out);
        return;
      }
      generation = assigned.generation();
      int pace = assigned.settled() && held.values().stream().noneMatch(it -> it.revoked) ? 1 : 5;
      heartbeatAt = now + settings.heartbeatIntervalMs() * NANOS_PER_MS / pace;
      if (assigned.partitions() != null && assigned.version() > version) {
        version = assigned.version();
        take(assigned.partitions(), now, out);
      }
      return;
    }
    refused((Failed) response, now, out);
  }

  private void take(List<AssignedPartition> partitions, long now, List<MemberEffect> out) {
    Set<PartitionId> wanted = new HashSet<>();
    for (AssignedPartition each : partitions) {
      wanted.add(each.partition());
      if (!held.containsKey(each.partition()) && !leaving) {
        held.put(each.partition(), new Reading());
        commits.begin(each.partition(), each.offset());
        out.add(new Start(each));
      }
    }
    held.forEach(
        (partition, reading) -> {
          if (!wanted.contains(partition)) {
            revoke(partition, reading, now, out);
          }
        });
    heartbeatAt = now;
  }

  private void refused(Failed failure, long now, List<MemberEffect> out) {
    if (failure.error() == ErrorCode.UNKNOWN_MEMBER_ID) {
      loseAll(out);
      heartbeatAt = now;
    } else if (failure.error().isRetriable()) {
      retry(failure.error(), now, out);
    } else {
      failCommits(commits.refused(), failure, out);
      loseAll(out);
      out.add(new Refused(failure.error(), failure.message()));
      left(out);
    }
  }

  private void retry(ErrorCode error, long now, List<MemberEffect> out) {
    if (heartbeatId == 0) {
      heartbeatAt = now + BACK_OFF_NANOS;
    }
    if (commitId == 0) {
      commitAt = now + BACK_OFF_NANOS;
    }
    if (error == ErrorCode.NOT_COORDINATOR) {
      lookUp(now, out);
    }
  }

  /** Others may have it all already. */
  private void loseAll(List<MemberEffect> out) {
    held.keySet().forEach(partition -> out.add(new Lost(partition)));
    held.clear();
    generation = Heartbeat.JOIN;
    version = 0;
    heartbeatId = 0;
    takeBack(out);
  }

  /** The commit under way is to be sent again, but for what is held no more. */
  private void takeBack(List<MemberEffect> out) {
    commitId = 0;
    commits.notCommitted();
    dropUnheld(out);
  }

  private void dropUnheld(List<MemberEffect> out) {
    if (!settings.isAlone()) {
      commits
          .drop(partition -> !held.containsKey(partition))
          .forEach(token -> out.add(new Committed(token)));
    }
  }

  private void commitAnswered(GroupResponse response, long now, List<MemberEffect> out) {
    lastRefusal = response instanceof Failed failure ? failure.message() : "";
    if (response.error() == ErrorCode.NONE) {
      commitAt = now;
      commits.committed().forEach(token -> out.add(new Committed(token)));
      return;
    }
    takeBack(out);
    if (response.error() == ErrorCode.ILLEGAL_GENERATION) {
      commitAt = now + BACK_OFF_NANOS;
      if (heartbeatId == 0) {
        heartbeatAt = now;
      }
    } else if (response.error() == ErrorCode.UNKNOWN_MEMBER_ID && settings.isAlone()) {
      failCommits(commits.refused(), (Failed) response, out);
    } else {
      refused((Failed) response, now, out);
    }
  }

  private static void failCommits(List<Long> tokens, Failed failure, List<MemberEffect> out) {
    tokens.forEach(token -> out.add(new CommitFailed(token, failure.error(), failure.message())));
  }

  /** All that is due, in the order in which one thing makes way for the next. */
  private List<MemberEffect> step(long now, List<MemberEffect> out) {
    if (left) {
      return out;
    }
    failCommits(
        commits.overdue(now),
        new Failed(
            ErrorCode.REQUEST_TIMED_OUT,
            "the group's coordinator did not take it within %d ms: %s"
                .formatted(settings.commitTimeoutMs(), trouble())),
        out);
    giveUpUnanswered(now, out);
    release(now, out);
    if (coordinator < 0) {
      lookUp(now, out);
    }
    sendCommit(now, out);
    sendHeartbeat(now, out);
    sayGoodbye(now, out);
    return out;
  }

  private String trouble() {
    if (coordinator < 0) {
      return "none is known; check that the brokers run and can be reached";
    }
    return lastRefusal.isEmpty()
        ? "broker %d does not answer".formatted(coordinator)
        : "broker %d says %s".formatted(coordinator, lastRefusal);
  }

  private void giveUpUnanswered(long now, List<MemberEffect> out) {
    boolean unanswered = false;
    if (heartbeatId != 0 && now >= heartbeatAt) {
      heartbeatId = 0;
      unanswered = true;
    }
    if (commitId != 0 && now >= commitAt) {
      takeBack(out);
      unanswered = true;
    }
    if (unanswered) {
      lookUp(now, out);
    }
  }

  private void release(long now, List<MemberEffect> out) {
    Set<PartitionId> free = new HashSet<>();
    held.forEach(
        (partition, reading) -> {
          boolean isDone = reading.end <= commits.committedUpTo(partition);
          if (reading.stopped && (isDone || now >= reading.releaseAt)) {
            free.add(partition);
          }
        });
    if (!free.isEmpty()) {
      held.keySet().removeAll(free);
      dropUnheld(out);
      if (heartbeatId == 0) {
        heartbeatAt = now;
      }
    }
  }

  /** A lost heartbeat must not cost the session. */
  private long answerNanos() {
    return Math.min(LONGEST_ANSWER_NANOS, settings.sessionTimeoutMs() * NANOS_PER_MS / 3);
  }

  private void lookUp(long now, List<MemberEffect> out) {
    if (now >= lookUpAt) {
      lookUpAt = now + LOOK_UP_NANOS;
      out.add(new FindCoordinator());
    }
  }

  private void sendCommit(long now, List<MemberEffect> out) {
    boolean may = settings.isAlone() || generation != Heartbeat.JOIN;
    if (may && coordinator >= 0 && commitId == 0 && commits.hasNext() && now >= commitAt) {
      commitId = nextRequest++;
      commitAt = now + answerNanos();
      out.add(
          new Send(
              commitId,
              coordinator,
              new CommitOffsets(
                  settings.groupId(),
                  settings.memberId(),
                  generation,
                  version,
                  ++commitSequence,
                  commits.send())));
    }
  }

  private void sendHeartbeat(long now, List<MemberEffect> out) {
    boolean wanted = !settings.isAlone() && goodbyeId == 0 && !(leaving && held.isEmpty());
    if (wanted && coordinator >= 0 && heartbeatId == 0 && now >= heartbeatAt) {
      heartbeatId = nextRequest++;
      heartbeatAt = now + answerNanos();
      out.add(
          new Send(
              heartbeatId,
              coordinator,
              new Heartbeat(
                  settings.groupId(),
                  settings.memberId(),
                  generation,
                  version,
                  List.copyOf(held.keySet()),
                  settings.topics(),
                  settings.sessionTimeoutMs())));
    }
  }

  private void sayGoodbye(long now, List<MemberEffect> out) {
    boolean isDone = commits.isIdle() || now >= leaveAt;
    if (!leaving || !held.isEmpty() || !isDone) {
      return;
    }
    boolean isUnknown = settings.isAlone() || coordinator < 0;
    if (isUnknown || (goodbyeId != 0 && now >= leaveAt)) {
      left(out);
    } else if (goodbyeId == 0) {
      goodbyeId = nextRequest++;
      leaveAt = now + GOODBYE_NANOS;
      out.add(new Send(goodbyeId, coordinator, new Leave(settings.groupId(), settings.memberId())));
    }
  }

  private void left(List<MemberEffect> out) {
    left = true;
    failCommits(
        commits.refused(),
        new Failed(ErrorCode.REQUEST_TIMED_OUT, "the consumer ended before it was committed"),
        out);
    out.add(new Left());
  }
}
