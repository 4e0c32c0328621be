package io.tidemark.quorum;

import io.tidemark.log.LogEvent;
import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogEvent.LeaderEpochStarted;
import io.tidemark.log.LogEvent.Voter;
import io.tidemark.log.LogSnapshot;
import io.tidemark.log.LogState;
import io.tidemark.log.VotersRecord;
import io.tidemark.protocol.EpochEndRequest;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.FetchResponse.CurrentLeader;
import io.tidemark.protocol.FetchSnapshotRequest;
import io.tidemark.protocol.FetchSnapshotResponse;
import io.tidemark.protocol.QuorumMessage.BeginQuorumEpoch;
import io.tidemark.protocol.QuorumMessage.EndQuorumEpoch;
import io.tidemark.record.Compression;
import io.tidemark.record.RecordBatchBuilder;
import io.tidemark.replica.CommitRule;
import io.tidemark.replica.FollowerProgress;
import io.tidemark.replica.LeaderCore;
import io.tidemark.replica.LogWriter;
import io.tidemark.replica.ReplicaEffect.AnswerFetch;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Leads the quorum for one epoch: {@link LeaderCore} by majority, and watches that majority. */
final class LeaderRole {
  private static final int CONTROL_BATCH_BYTES = 128;

  /** Kafka's control record type of a leader change (KIP-595). */
  private static final short LEADER_CHANGE = 2;

  private final int self;
  private final QuorumSettings settings;
  private final LogWriter writer;
  private final LeaderCore core;
  private final VoterChanges changes;
  private final Appends appends;
  private final long since;
  private final Map<Integer, Long> fetchedAt = new HashMap<>();
  private long beginAt = Long.MAX_VALUE;

  LeaderRole(int self, int epoch, Voters voters, QuorumSettings settings, Start from) {
    this.self = self;
    this.settings = settings;
    this.writer = from.writer();
    long end = writer.log().endOffset();
    this.core = new LeaderCore(self, epoch, writer, from.rule(), from.highWatermark());
    long votersAt = writer.log().quorum().voterSets().latestOffset();
    this.changes = new VoterChanges(core, settings, voters, votersAt);
    this.appends = new Appends(epoch, writer, end + 1);
    this.since = from.now();
  }

  record Start(LogWriter writer, CommitRule rule, long highWatermark, long now) {}

  /** The epoch's own first record: with it, what older epochs left becomes committed (Raft §8). */
  void start(Step step) {
    RecordBatchBuilder builder = new RecordBatchBuilder(Compression.NONE, CONTROL_BATCH_BYTES);
    ByteBuffer key = ByteBuffer.allocate(4).putShort((short) 0).putShort(LEADER_CHANGE).flip();
    ByteBuffer value = ByteBuffer.allocate(8).putInt(self).putInt(core.epoch()).flip();
    builder.append(0, key, value, List.of());
    ByteBuffer first = builder.buildControl(core.epochStart(), core.epoch());
    step.replicate(
        out -> {
          core.start(out);
          writer.write(new BatchesAppended(first, core.highWatermark()), out);
        });
  }

  int epoch() {
    return core.epoch();
  }

  long highWatermark() {
    return core.highWatermark();
  }

  long endOffset() {
    return appends.endOffset();
  }

  /** Whether the epoch's own first record is committed. */
  boolean isUsable() {
    return core.highWatermark() > core.epochStart();
  }

  /** Any fetch of this epoch shows that a voter follows, whatever its log looks like. */
  void fetch(long token, FetchRequest request, Step step) {
    if (request.leaderEpoch() == core.epoch()) {
      heard(request.replicaId(), request.directoryId(), step);
    }
    if (needsSnapshot(request)) {
      FetchResponse response = FetchResponse.failed(ErrorCode.SNAPSHOT_NEEDED, self, core.epoch());
      step.replicate(out -> out.add(new AnswerFetch(token, response)));
      return;
    }
    step.replicate(out -> core.fetch(token, request, step.now(), out));
  }

  /**
   * Whether the logs have nothing in common by which they could be compared: the epochs of the
   * records before this log's start are gone with them (KIP-630).
   */
  private boolean needsSnapshot(FetchRequest request) {
    LogState log = writer.log();
    long start = log.startOffset();
    if (start == 0 || checkEpoch(request.leaderEpoch()) != ErrorCode.NONE) {
      return false;
    }
    int before = log.quorum().startEpoch();
    return request.fetchOffset() < start
        || request.lastFetchedEpoch() < before
        || (request.fetchOffset() == start && request.lastFetchedEpoch() != before);
  }

  private ErrorCode checkEpoch(int requestEpoch) {
    if (requestEpoch < core.epoch()) {
      return ErrorCode.FENCED_LEADER_EPOCH;
    }
    return requestEpoch > core.epoch() || !core.isStarted()
        ? ErrorCode.UNKNOWN_LEADER_EPOCH
        : ErrorCode.NONE;
  }

  /** A piece of the snapshot, which is a sign of life like a fetch. */
  void fetchSnapshot(long token, FetchSnapshotRequest request, Step step) {
    LogSnapshot snapshot = writer.log().snapshot();
    boolean isLatest =
        request.snapshotEnd() == snapshot.endOffset()
            && request.snapshotEpoch() == snapshot.epoch();
    int size = snapshot.content().remaining();
    ErrorCode error = checkEpoch(request.leaderEpoch());
    if (error == ErrorCode.NONE) {
      heard(request.replicaId(), request.directoryId(), step);
      if (size == 0 || (request.snapshotEnd() != FetchSnapshotRequest.LATEST && !isLatest)) {
        error = ErrorCode.SNAPSHOT_NOT_FOUND;
      } else if (request.position() < 0 || request.position() >= size) {
        error = ErrorCode.POSITION_OUT_OF_RANGE;
      }
    }
    if (error != ErrorCode.NONE) {
      step.add(
          new QuorumEffect.AnswerFetchSnapshot(
              token, FetchSnapshotResponse.failed(error, self, core.epoch())));
      return;
    }
    int position = (int) request.position();
    int length = Math.min(size - position, Math.max(1, request.maxBytes()));
    ByteBuffer content = snapshot.content();
    step.add(
        new QuorumEffect.AnswerFetchSnapshot(
            token,
            new FetchSnapshotResponse(
                ErrorCode.NONE,
                new CurrentLeader(self, core.epoch()),
                snapshot.endOffset(),
                snapshot.epoch(),
                snapshot.voters(),
                size,
                position,
                content.slice(content.position() + position, length))));
  }

  private void heard(int replica, UUID directory, Step step) {
    if (voters().contains(replica, directory)) {
      fetchedAt.put(replica, step.now());
    }
  }

  void epochEnd(long token, EpochEndRequest request, Step step) {
    step.replicate(out -> core.epochEnd(token, request, out));
  }

  void append(ByteBuffer batches, Step step) {
    appends.append(batches, core.highWatermark(), step);
  }

  Voters voters() {
    return changes.voters();
  }

  /** The new voters count from here on, committed or not (KIP-853). */
  void changeVoters(long token, VoterChange change, Step step) {
    Voters next = changes.next(token, change, step);
    if (next != null) {
      long offset = appends.endOffset();
      changes.appended(next, offset, token);
      step.add(new QuorumEffect.VotersAppended(offset));
      appends.append(VotersRecord.batch(next.list()), core.highWatermark(), step);
    }
  }

  /**
   * What became of the last change.
   *
   * @return whether this leader is no voter any more and has nothing left to do
   */
  boolean isRemoved(Step step) {
    changes.advanced(step);
    return changes.isCommitted() && !voters().contains(self);
  }

  void persisted(LogEvent event, Step step) {
    if (event instanceof LeaderEpochStarted) {
      core.epochStarted();
      begin(step);
    }
    appends.flush(core.highWatermark(), step);
    step.replicate(out -> core.advance(step.now(), out));
  }

  void timePassed(Step step) {
    if (step.now() >= beginAt) {
      begin(step);
    }
    step.replicate(out -> core.answerParked(step.now(), out));
  }

  /** Voters that do not fetch may not know of this leader. */
  private void begin(Step step) {
    beginAt = step.now() + settings.electionTimeoutNanos() / 2;
    for (Voter voter : voters().without(self)) {
      Long fetched = fetchedAt.get(voter.id());
      if (fetched == null || step.now() - fetched > settings.fetchTimeoutNanos() / 2) {
        step.add(new QuorumEffect.SendBegin(voter.id(), new BeginQuorumEpoch(core.epoch(), self)));
      }
    }
  }

  /** A leader without a majority may have been replaced without knowing it (KIP-595). */
  boolean hasLostMajority(long now) {
    return now >= majorityLapsesAt();
  }

  private long majorityLapsesAt() {
    int needed = voters().majority() - (voters().contains(self) ? 1 : 0);
    if (needed == 0) {
      return Long.MAX_VALUE;
    }
    List<Long> latestFirst =
        voters().without(self).stream()
            .map(voter -> fetchedAt.getOrDefault(voter.id(), since))
            .sorted(Comparator.reverseOrder())
            .toList();
    return latestFirst.get(needed - 1) + settings.fetchTimeoutNanos() * 3 / 2;
  }

  /** The one whose log is longest is the most likely to win. */
  void sendEnd(Step step) {
    List<Integer> successors =
        voters().without(self).stream()
            .sorted(Comparator.comparingLong(this::flushed).reversed())
            .map(Voter::id)
            .toList();
    EndQuorumEpoch message = new EndQuorumEpoch(core.epoch(), self, successors);
    successors.forEach(to -> step.add(new QuorumEffect.SendEnd(to, message)));
  }

  private long flushed(Voter voter) {
    FollowerProgress progress = core.followers().get(voter.id());
    return progress != null && voter.directoryId().equals(progress.directoryId())
        ? progress.endOffset()
        : FollowerProgress.UNKNOWN;
  }

  void end(Step step) {
    step.replicate(out -> core.end(ErrorCode.NOT_LEADER_OR_FOLLOWER, out));
    changes.end(step);
    step.add(new QuorumEffect.LostLeadership(core.epoch()));
  }

  long nextDeadline(long now) {
    return Math.min(Math.min(beginAt, majorityLapsesAt()), core.nextDeadline(now));
  }
}
