package io.tidemark.replica;

import io.tidemark.log.LogEvent;
import io.tidemark.log.LogEvent.HighWatermarkCheckpointed;
import io.tidemark.log.LogEvent.LogTruncated;
import io.tidemark.log.LogState;
import io.tidemark.protocol.DeleteRecordsRequest;
import io.tidemark.protocol.DeleteRecordsResponse;
import io.tidemark.protocol.EpochEndRequest;
import io.tidemark.protocol.EpochEndResponse;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.FetchResponse.CurrentLeader;
import io.tidemark.protocol.ListOffsetsRequest;
import io.tidemark.protocol.ListOffsetsResponse;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import io.tidemark.protocol.ProduceRequest;
import io.tidemark.protocol.ProduceResponse;
import io.tidemark.protocol.ReplicaOffline;
import io.tidemark.replica.FollowerCore.Following;
import io.tidemark.replica.PartitionLeaderCore.LeaderStart;
import io.tidemark.replica.ReplicaEffect.AnswerDeleteRecords;
import io.tidemark.replica.ReplicaEffect.AnswerEpochEnd;
import io.tidemark.replica.ReplicaEffect.AnswerFetch;
import io.tidemark.replica.ReplicaEffect.AnswerListOffsets;
import io.tidemark.replica.ReplicaEffect.AnswerProduce;
import java.util.ArrayList;
import java.util.List;

/**
 * One replica of a partition: leads or follows as the metadata says, on one log.
 *
 * <p>Legal roles: none → leader | follower | none, at each newer leader epoch; any → ended, for
 * good, when the log fails or the replica is removed: whoever restarts it recovers what the disk
 * holds.
 *
 * <p>Invariant: a role begins only when no write of the one before is under way.
 */
public class ReplicaCore {
  private static final long CHECKPOINT_INTERVAL_NANOS = 1_000 * ReplicaSettings.NANOS_PER_MS;

  private final int self;
  private final PartitionId partition;
  private final ReplicaSettings settings;
  private final Throttle throttle;
  private LogWriter writer;
  private PartitionView view;
  private PartitionLeaderCore leading;
  private FollowerCore following;
  private ParkedReaders readers;
  private boolean roleIsDue;
  private boolean ended;
  private long highWatermark;
  private long nextRequestId;
  private long nextCheckpoint;
  private long truncatedRecords;
  private long refusedBatches;

  /**
   * @param throttle shared by all replicas of the node
   */
  public ReplicaCore(int self, PartitionId partition, ReplicaSettings settings, Throttle throttle) {
    this.self = self;
    this.throttle = throttle;
    this.partition = partition;
    this.settings = settings;
  }

  /**
   * @param now a monotonic time in nanoseconds, not negative
   */
  public List<ReplicaEffect> on(ReplicaInput input, long now) {
    List<ReplicaEffect> out = new ArrayList<>();
    if (input instanceof ReplicaInput.FetchArrived fetch) {
      fetch(fetch.token(), fetch.request(), now, out);
    } else if (input instanceof ReplicaInput.ProduceArrived produce) {
      produce(produce.token(), produce.request(), now, out);
    } else if (input instanceof ReplicaInput.LogPersisted persisted) {
      persisted(persisted.log(), now, out);
    } else if (input instanceof ReplicaInput.FetchAnswered answer) {
      if (following != null) {
        following.fetchAnswered(answer.requestId(), answer.response(), now, out);
      }
    } else if (input instanceof ReplicaInput.EpochEndArrived ask) {
      epochEnd(ask.token(), ask.request(), out);
    } else if (input instanceof ReplicaInput.EpochEndAnswered answer) {
      if (following != null) {
        following.epochEndAnswered(answer.requestId(), answer.response(), now, out);
      }
    } else if (input instanceof ReplicaInput.ListOffsetsArrived ask) {
      listOffsets(ask.token(), ask.request(), out);
    } else if (input instanceof ReplicaInput.PeerOffline peer) {
      if (isLed(peer.message().partition())) {
        leading.peerOffline(peer.message(), now, out);
      }
    } else if (input instanceof ReplicaInput.RecordsSent sent) {
      throttle.toFollowers().take(sent.bytes(), now);
    } else if (input instanceof ReplicaInput.DeleteRecordsArrived ask) {
      deleteRecords(ask.token(), ask.request(), out);
    } else if (input instanceof ReplicaInput.CheckRetention check) {
      if (leading != null) {
        leading.checkRetention(check.wallClockMs(), out);
      }
    } else if (input instanceof ReplicaInput.IsrAnswered answer) {
      if (leading != null) {
        leading.isrAnswered(answer.requestId(), answer.error(), answer.state(), now, out);
      }
    } else if (input instanceof ReplicaInput.ViewChanged changed) {
      viewChanged(changed.view(), now, out);
    } else if (input instanceof ReplicaInput.LogRecovered recovered) {
      recovered(recovered.log(), now, out);
    } else if (input instanceof ReplicaInput.LogFailed) {
      tellOffline(out);
      end("the leader's disk failed: whether the record was written is not known", out);
    } else if (input instanceof ReplicaInput.Removed) {
      end("the partition has moved: whether the record was written is not known", out);
    } else if (input instanceof ReplicaInput.TimePassed) {
      timePassed(now, out);
    }
    afterwards(now, out);
    return out;
  }

  /** What readers of a follower wait for is its high watermark. */
  private void afterwards(long now, List<ReplicaEffect> out) {
    if (leading != null) {
      highWatermark = leading.leader().highWatermark();
    } else if (following != null) {
      highWatermark = following.highWatermark();
      readers.answer(head(), highWatermark, writer.log(), now, out);
    }
  }

  private void recovered(LogState log, long now, List<ReplicaEffect> out) {
    writer = new LogWriter(log);
    highWatermark = log.highWatermark();
    nextCheckpoint = now + CHECKPOINT_INTERVAL_NANOS;
    if (view != null) {
      takeRole(now, out);
    }
  }

  private void persisted(LogState log, long now, List<ReplicaEffect> out) {
    long endBefore = writer.log().endOffset();
    LogEvent event = writer.persisted(log, out);
    if (event instanceof LogTruncated) {
      truncatedRecords += endBefore - log.endOffset();
    }
    if (roleIsDue) {
      if (!writer.isBusy()) {
        takeRole(now, out);
      }
    } else if (leading != null) {
      leading.persisted(event, now, out);
    } else if (following != null) {
      following.persisted(now, out);
    }
    nextCheckpoint = now + CHECKPOINT_INTERVAL_NANOS;
  }

  private void end(String message, List<ReplicaEffect> out) {
    endRole(ErrorCode.NOT_LEADER_OR_FOLLOWER, message, out);
    ended = true;
  }

  /** Metadata of an older partition epoch is old news; of the same leader epoch, no new role. */
  private void viewChanged(PartitionView newer, long now, List<ReplicaEffect> out) {
    PartitionView older = view;
    if (ended
        || (older != null && newer.state().partitionEpoch() < older.state().partitionEpoch())) {
      return;
    }
    view = newer;
    if (writer == null) {
      return;
    }
    boolean sameRole =
        older != null
            && newer.state().leaderEpoch() == older.state().leaderEpoch()
            && newer.brokerEpoch() == older.brokerEpoch();
    if (!sameRole) {
      endRole(
          ErrorCode.NOT_LEADER_OR_FOLLOWER,
          "leadership moved: whether the record was written is not known",
          out);
      writer.dropQueued();
      takeRole(now, out);
    } else if (leading != null) {
      leading.viewChanged(newer, now, out);
    } else if (following != null) {
      throttleFollower(now);
    }
  }

  /** Only replicas out of sync are throttled, on either side. */
  private void throttleFollower(long now) {
    following.setInSync(view.state().isr().contains(self), throttle, now);
  }

  /** Its actor ends without a word: other replicas may have its turn to catch up. */
  public void close() {
    if (following != null) {
      following.end();
    }
  }

  private void tellOffline(List<ReplicaEffect> out) {
    if (following != null) {
      out.add(
          new ReplicaEffect.TellOffline(
              leaderId(), new ReplicaOffline(partition, self, view.brokerEpoch(), leaderEpoch())));
    }
  }

  private void endRole(ErrorCode error, String message, List<ReplicaEffect> out) {
    if (leading != null) {
      nextRequestId = Math.max(nextRequestId, leading.nextRequestId());
      leading.end(error, message, out);
    }
    if (following != null) {
      nextRequestId = Math.max(nextRequestId, following.nextRequestId());
      refusedBatches += following.badBatches();
      following.end();
      readers.end(FetchResponse.failed(error, leaderId(), leaderEpoch()), out);
    }
    leading = null;
    following = null;
  }

  private void takeRole(long now, List<ReplicaEffect> out) {
    roleIsDue = writer.isBusy();
    if (roleIsDue) {
      return;
    }
    LogState log = writer.log();
    highWatermark = Math.max(log.startOffset(), Math.min(highWatermark, log.endOffset()));
    PartitionState state = view.state();
    if (state.leader() == self) {
      leading =
          new PartitionLeaderCore(
              self,
              inSyncReplicas(view, nextRequestId),
              settings,
              writer,
              new LeaderStart(highWatermark, now));
      leading.start(out);
      report("leads from offset " + log.endOffset(), out);
    } else if (state.leader() != PartitionState.NO_LEADER) {
      Following who =
          new Following(
              partition, self, view.brokerEpoch(), null, state.leader(), state.leaderEpoch());
      following = new FollowerCore(who, settings, writer, highWatermark, nextRequestId);
      throttleFollower(now);
      readers = new ParkedReaders();
      following.start(now, out);
      report("follows broker " + state.leader() + " from offset " + log.endOffset(), out);
    }
  }

  /** The rule by which this replica will commit as a leader. */
  InSyncReplicas inSyncReplicas(PartitionView led, long firstRequestId) {
    return new InSyncReplicas(self, led, settings, throttle.toFollowers(), firstRequestId);
  }

  private static void report(String message, List<ReplicaEffect> out) {
    out.add(new ReplicaEffect.Report(false, message));
  }

  private void fetch(long token, FetchRequest request, long now, List<ReplicaEffect> out) {
    if (isLed(request.partition())) {
      leading.fetch(token, request, now, out);
      return;
    }
    ErrorCode error = checkAsNonLeader(request.partition(), request.leaderEpoch());
    if (error == ErrorCode.NOT_LEADER_OR_FOLLOWER
        && following != null
        && !request.isFromReplica()) {
      readers.fetch(token, request, head(), highWatermark, writer.log(), now, out);
      return;
    }
    out.add(new AnswerFetch(token, FetchResponse.failed(error, leaderId(), leaderEpoch())));
  }

  private FetchResponse head() {
    return FetchResponse.of(highWatermark, writer.log().startOffset(), leaderId(), leaderEpoch());
  }

  private void produce(long token, ProduceRequest request, long now, List<ReplicaEffect> out) {
    if (isLed(request.partition())) {
      leading.produce(token, request, now, out);
    } else {
      ErrorCode error = checkAsNonLeader(request.partition(), -1);
      String message = "broker " + self + " does not lead this partition; nothing was written";
      out.add(
          new AnswerProduce(
              token, ProduceResponse.failed(error, leaderId(), leaderEpoch(), message)));
    }
  }

  private void epochEnd(long token, EpochEndRequest request, List<ReplicaEffect> out) {
    if (isLed(request.partition())) {
      leading.leader().epochEnd(token, request, out);
    } else {
      ErrorCode error = checkAsNonLeader(request.partition(), request.leaderEpoch());
      out.add(new AnswerEpochEnd(token, EpochEndResponse.failed(error)));
    }
  }

  private void listOffsets(long token, ListOffsetsRequest request, List<ReplicaEffect> out) {
    if (isLed(request.partition())) {
      leading.leader().listOffsets(token, request, out);
    } else {
      ErrorCode error = checkAsNonLeader(request.partition(), request.leaderEpoch());
      out.add(new AnswerListOffsets(token, ListOffsetsResponse.failed(error, currentLeader())));
    }
  }

  private void deleteRecords(long token, DeleteRecordsRequest request, List<ReplicaEffect> out) {
    if (isLed(request.partition())) {
      leading.deleteRecords(token, request, out);
    } else {
      ErrorCode error = checkAsNonLeader(request.partition(), request.leaderEpoch());
      out.add(new AnswerDeleteRecords(token, DeleteRecordsResponse.failed(error, currentLeader())));
    }
  }

  private CurrentLeader currentLeader() {
    return new CurrentLeader(leaderId(), leaderEpoch());
  }

  /** Another creation of the topic is another partition, whatever its name. */
  private boolean isLed(PartitionId asked) {
    return leading != null && asked.equals(partition);
  }

  /** Epoch before role: an asker that knows more than this replica is told to wait for it. */
  private ErrorCode checkAsNonLeader(PartitionId asked, int requestEpoch) {
    if (!asked.equals(partition)) {
      return ErrorCode.UNKNOWN_TOPIC_ID;
    }
    if (requestEpoch >= 0 && requestEpoch < leaderEpoch()) {
      return ErrorCode.FENCED_LEADER_EPOCH;
    }
    return requestEpoch > leaderEpoch()
        ? ErrorCode.UNKNOWN_LEADER_EPOCH
        : ErrorCode.NOT_LEADER_OR_FOLLOWER;
  }

  private void timePassed(long now, List<ReplicaEffect> out) {
    if (leading != null) {
      leading.timePassed(now, out);
    } else if (following != null) {
      following.timePassed(now, out);
    }
    if (isCheckpointDue() && now >= nextCheckpoint && !writer.isBusy()) {
      writer.write(new HighWatermarkCheckpointed(highWatermark), out);
    }
  }

  private boolean isCheckpointDue() {
    return (leading != null || following != null) && highWatermark != writer.log().highWatermark();
  }

  /** When {@link ReplicaInput.TimePassed} is due, in the time of {@code now}. */
  public long nextDeadline(long now) {
    long next = Long.MAX_VALUE;
    if (leading != null) {
      next = leading.nextDeadline(now);
    } else if (following != null) {
      next = Math.min(following.nextDeadline(), readers.nextDeadline());
    }
    return isCheckpointDue() && !writer.isBusy() ? Math.min(next, nextCheckpoint) : next;
  }

  public boolean isLeader() {
    return leading != null && leading.leader().isStarted();
  }

  /** Null while this replica does not lead. */
  PartitionLeaderCore leading() {
    return leading;
  }

  /** The durable log; null until it has been recovered. */
  public LogState log() {
    return writer == null ? null : writer.log();
  }

  public long highWatermark() {
    return highWatermark;
  }

  /** What was cut since the start, to follow leaders. */
  public long truncatedRecords() {
    return truncatedRecords;
  }

  /** Fetched batches that were refused since the start: damaged, or in the wrong place. */
  public long refusedBatches() {
    return refusedBatches + (following == null ? 0 : following.badBatches());
  }

  /** −1 until metadata has come. */
  public int leaderEpoch() {
    return view == null ? -1 : view.state().leaderEpoch();
  }

  public int leaderId() {
    return view == null ? PartitionState.NO_LEADER : view.state().leader();
  }
}
