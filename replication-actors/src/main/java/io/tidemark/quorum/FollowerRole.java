package io.tidemark.quorum;

import io.tidemark.log.LogEvent;
import io.tidemark.log.LogEvent.LogRestarted;
import io.tidemark.log.LogEvent.LogTruncated;
import io.tidemark.log.LogEvent.SnapshotInstalled;
import io.tidemark.log.LogSnapshot;
import io.tidemark.protocol.EpochEndResponse;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.FetchSnapshotResponse;
import io.tidemark.replica.FollowerCore;
import io.tidemark.replica.FollowerCore.Following;
import io.tidemark.replica.LogWriter;
import io.tidemark.replica.ReplicaEffect;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Follows one leader through one epoch, and doubts it when its answers stay away. */
final class FollowerRole {
  private final FollowerCore core;
  private final Voters voters;
  private final QuorumSettings settings;
  private final LogWriter writer;
  private final long committed;
  private long doubtAt;
  private boolean fetched;
  private boolean suspected;

  /** Null unless the leader's snapshot is being fetched; the log rests meanwhile. */
  private SnapshotFetch snapshot;

  private String broken;

  FollowerRole(Following who, Voters voters, QuorumSettings settings, Start from) {
    this.core =
        new FollowerCore(
            who, settings.replication(), from.writer(), from.committed(), from.firstRequestId());
    this.voters = voters;
    this.settings = settings;
    this.writer = from.writer();
    this.committed = from.committed();
  }

  /**
   * @param committed what this member has ever known to be committed
   * @param firstRequestId no request of this member has had this id or a higher one yet
   */
  record Start(LogWriter writer, long committed, long firstRequestId) {}

  void start(Step step) {
    renew(step);
    run(step, out -> core.start(step.now(), out));
  }

  int leader() {
    return core.following().leader();
  }

  long highWatermark() {
    return core.highWatermark();
  }

  long nextRequestId() {
    return snapshot == null
        ? core.nextRequestId()
        : Math.max(core.nextRequestId(), snapshot.nextRequestId());
  }

  /** Such a follower knows that its leader lives, and helps nobody to replace it (KIP-996). */
  boolean trustsLeader() {
    return fetched && !suspected;
  }

  /** Why this member cannot go on, null as long as it can. */
  String broken() {
    return broken;
  }

  void fetchAnswered(long requestId, FetchResponse response, Step step) {
    if (snapshot != null) {
      return;
    }
    if (core.isAnswerTo(requestId) && response.error() == ErrorCode.SNAPSHOT_NEEDED) {
      renew(step);
      snapshot = new SnapshotFetch(core.following(), settings, core.nextRequestId());
      snapshot.ask(step);
      return;
    }
    if (core.isAnswerTo(requestId) && response.error() == ErrorCode.NONE) {
      fetched = true;
      renew(step);
    }
    FetchResponse own = withOwnStart(response);
    run(step, out -> core.fetchAnswered(requestId, own, step.now(), out));
  }

  /** A member gives records up for a snapshot of its own, not because the leader has. */
  private FetchResponse withOwnStart(FetchResponse response) {
    return new FetchResponse(
        response.error(),
        response.highWatermark(),
        response.lastStableOffset(),
        writer.log().startOffset(),
        response.diverging(),
        response.currentLeader(),
        response.abortedTransactions(),
        response.preferredReadReplica(),
        response.records());
  }

  void snapshotAnswered(long requestId, FetchSnapshotResponse response, Step step) {
    if (snapshot == null || writer.isBusy() || !snapshot.isAnswerTo(requestId)) {
      return;
    }
    if (response.error() == ErrorCode.NONE) {
      renew(step);
    }
    LogSnapshot whole = snapshot.answered(response, step);
    if (whole == null) {
      return;
    }
    long known = Math.max(committed, core.highWatermark());
    if (whole.endOffset() < known) {
      broken =
          "leader %d of epoch %d wants this log replaced by a %s, but it is committed up to %d"
              .formatted(leader(), core.following().leaderEpoch(), whole, known);
    } else {
      step.replicate(out -> writer.write(new SnapshotInstalled(whole), out));
    }
  }

  void epochEndAnswered(long requestId, EpochEndResponse response, Step step) {
    run(step, out -> core.epochEndAnswered(requestId, response, step.now(), out));
  }

  /** The own disk's slowness is not the leader's silence. */
  void persisted(LogEvent event, Step step) {
    renew(step);
    run(step, out -> core.persisted(step.now(), out));
    if (event instanceof SnapshotInstalled) {
      snapshot = null;
      run(step, out -> core.start(step.now(), out));
    }
  }

  void timePassed(Step step) {
    if (snapshot != null) {
      snapshot.timePassed(step);
      return;
    }
    run(step, out -> core.timePassed(step.now(), out));
  }

  /** The leader is said to be gone. Not taken back by an answer that was still under way. */
  void suspect(long standAt) {
    suspected = true;
    doubtAt = Math.min(doubtAt, standAt);
  }

  /** Whether the leader has been silent for too long, or is said to be gone. */
  boolean doubtsLeader(long now) {
    return now >= doubtAt && !writer.isBusy();
  }

  void doubtLater(long at) {
    doubtAt = at;
  }

  /** The followers of a dead leader take turns within a quarter of the time-out. */
  private void renew(Step step) {
    if (!suspected) {
      long timeout = settings.fetchTimeoutNanos();
      int self = core.following().self();
      doubtAt = step.now() + timeout + voters.turnOf(self, timeout / 4, step);
    }
  }

  long nextDeadline() {
    if (writer.isBusy()) {
      return Long.MAX_VALUE;
    }
    return Math.min(doubtAt, snapshot == null ? core.nextDeadline() : snapshot.nextDeadline());
  }

  /**
   * What was committed is on a majority, so a legitimate leader has it: one that wants it cut here
   * proves that a promise was broken somewhere, and repairing would hide the loss.
   */
  private void run(Step step, Consumer<List<ReplicaEffect>> work) {
    List<ReplicaEffect> out = new ArrayList<>();
    work.accept(out);
    for (ReplicaEffect effect : out) {
      if (effect instanceof ReplicaEffect.Persist persist && breaks(persist.event())) {
        return;
      }
    }
    out.forEach(effect -> step.add(new QuorumEffect.Replicate(effect)));
  }

  private boolean breaks(LogEvent event) {
    long known = Math.max(committed, core.highWatermark());
    if (event instanceof LogTruncated cut && cut.endOffset() < known) {
      broken =
          "leader %d of epoch %d wants this log cut to %d, but it is committed up to %d"
              .formatted(leader(), core.following().leaderEpoch(), cut.endOffset(), known);
    } else if (event instanceof LogRestarted restarted) {
      broken =
          "leader %d of epoch %d has nothing before offset %d, this log ends at %d"
              .formatted(
                  leader(),
                  core.following().leaderEpoch(),
                  restarted.startOffset(),
                  writer.log().endOffset());
    }
    return broken != null;
  }
}
