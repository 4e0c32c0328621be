package io.tidemark.replica;

import io.tidemark.log.LeaderEpochs;
import io.tidemark.log.LogEvent;
import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogEvent.LogRestarted;
import io.tidemark.log.LogEvent.LogTruncated;
import io.tidemark.log.LogState;
import io.tidemark.protocol.EpochEndRequest;
import io.tidemark.protocol.EpochEndResponse;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.PartitionId;
import io.tidemark.record.RecordBatch;
import io.tidemark.replica.ReplicaEffect.Report;
import io.tidemark.replica.ReplicaEffect.SendEpochEnd;
import io.tidemark.replica.ReplicaEffect.SendFetch;
import java.util.List;
import java.util.UUID;

/**
 * Follows one leader through one epoch: fetches from the own log's end, appends what follows it,
 * and cuts what the leader does not have.
 *
 * <p>Invariants: at most one request is outstanding, and only its answer counts. While the log is
 * being written, only what follows an append is fetched, and its answer waits for the disk: so an
 * answer always meets the log that it was asked for.
 */
public final class FollowerCore {

  /**
   * Who follows whom.
   *
   * @param brokerEpoch the own incarnation, −1 in a quorum
   * @param directoryId the own directory in a quorum, null elsewhere
   */
  public record Following(
      PartitionId partition,
      int self,
      long brokerEpoch,
      UUID directoryId,
      int leader,
      int leaderEpoch) {}

  private enum Phase {
    /** A fetch is outstanding. */
    FETCHING,
    /** The fetch offset was out of range; the leader is asked about its log. */
    ASKING,
    /** The log is being written. */
    WRITING,
    /** A pause after a failure, or until this replica may catch up further. */
    BACKING_OFF,
    /** The leader is of a newer epoch than is known here: metadata must come. */
    FENCED
  }

  private final Following who;
  private final ReplicaSettings settings;
  private final LogWriter writer;
  private Phase phase = Phase.BACKING_OFF;
  private long requestId;
  private long deadline;
  private int waitMs;
  private long highWatermark;
  private long leaderHighWatermark;
  private long leaderStart;
  private long badBatches;

  /** Null while this replica is in sync: then it fetches what it can get. */
  private CatchUp catchUp;

  /** Whether the request outstanding is for what follows the append in flight. */
  private boolean fetchingAhead;

  /** Its answer, while the append is still in flight. */
  private FetchResponse fetchedAhead;

  private long aheadDeadline;

  /**
   * @param firstRequestId no request of this replica has had this id or a higher one yet
   */
  public FollowerCore(
      Following who,
      ReplicaSettings settings,
      LogWriter writer,
      long highWatermark,
      long firstRequestId) {
    this.who = who;
    this.settings = settings;
    this.writer = writer;
    this.requestId = firstRequestId;
    this.waitMs = settings.fetchMaxWaitMs();
    this.highWatermark = highWatermark;
    this.leaderHighWatermark = highWatermark;
  }

  public void start(long now, List<ReplicaEffect> out) {
    fetch(now, out);
  }

  /** This replica is in sync, or is not. Whoever is in sync waits for nothing any more. */
  void setInSync(boolean inSync, Throttle throttle, long now) {
    if (!inSync && catchUp == null) {
      catchUp = new CatchUp(throttle);
    } else if (inSync && catchUp != null) {
      end();
      catchUp = null;
      deadline = phase == Phase.BACKING_OFF ? now : deadline;
    }
  }

  /** It follows no more, or pauses: other replicas may have its turn to catch up. */
  void end() {
    if (catchUp != null) {
      catchUp.leave();
    }
  }

  public Following following() {
    return who;
  }

  public long highWatermark() {
    return highWatermark;
  }

  /** Ids below are used up. */
  public long nextRequestId() {
    return requestId + 1;
  }

  /** How many fetched batches were refused. */
  public long badBatches() {
    return badBatches;
  }

  public boolean isAnswerTo(long answeredId) {
    return answeredId == requestId && (phase == Phase.FETCHING || phase == Phase.ASKING);
  }

  public void fetchAnswered(
      long answeredId, FetchResponse response, long now, List<ReplicaEffect> out) {
    if (answeredId == requestId && phase == Phase.FETCHING) {
      answered(response, now, out);
    } else if (answeredId == requestId && phase == Phase.WRITING && fetchingAhead) {
      fetchedAhead = response;
    }
  }

  private void answered(FetchResponse response, long now, List<ReplicaEffect> out) {
    switch (response.error()) {
      case NONE -> {
        if (response.diverging() != null) {
          truncate(response, out);
        } else {
          take(response, now, out);
        }
      }
      case FENCED_LEADER_EPOCH -> fenced();
      case OFFSET_OUT_OF_RANGE -> {
        phase = Phase.ASKING;
        requestId++;
        deadline = now + settings.requestTimeoutMs() * ReplicaSettings.NANOS_PER_MS;
        int epoch = Math.max(0, writer.log().lastEpoch());
        out.add(
            new SendEpochEnd(
                requestId,
                who.leader(),
                new EpochEndRequest(who.partition(), who.leaderEpoch(), epoch)));
      }
      default -> backOff(now);
    }
  }

  /** The batches are on their way into the log; whoever has time may see the good ones. */
  private void take(FetchResponse response, long now, List<ReplicaEffect> out) {
    leaderHighWatermark = response.highWatermark();
    leaderStart = response.logStartOffset();
    if (catchUp != null) {
      catchUp.received(response.records().remaining(), now);
    }
    if (advanceStart(out)) {
      return;
    }
    Truncation.Checked checked =
        Truncation.check(writer.log(), response.records(), who.leaderEpoch());
    if (checked.problem() != null) {
      badBatches++;
      out.add(
          new Report(
              true,
              "refused what broker %d sent in epoch %d: %s"
                  .formatted(who.leader(), who.leaderEpoch(), checked.problem())));
    }
    if (checked.good().hasRemaining()) {
      waitMs = settings.fetchMaxWaitMs();
      write(new BatchesAppended(checked.good().slice(), knownCommitted(checked)), out);
      if (checked.problem() == null) {
        fetchAhead(now, out);
      }
    } else if (checked.problem() != null) {
      backOff(now);
    } else {
      // Whoever is behind is answered without records only while the leader throttles it.
      boolean isBehind = missing(writer.log()) > 0;
      boolean news = fetchingAhead || isBehind || clamp(leaderHighWatermark) != highWatermark;
      highWatermark = clamp(leaderHighWatermark);
      waitMs = news ? settings.fetchMaxWaitMs() : Math.min(2 * waitMs, settings.idleWaitMaxMs());
      fetch(now, out);
    }
  }

  private long knownCommitted(Truncation.Checked checked) {
    List<RecordBatch> batches = Truncation.batches(checked.good());
    long end = batches.get(batches.size() - 1).nextOffset();
    return Math.max(writer.log().startOffset(), Math.min(leaderHighWatermark, end));
  }

  /**
   * What the leader has given up is given up here first: it may differ from what the leader had,
   * which cannot tell any more, and its batches may begin before the end of this log.
   */
  private boolean advanceStart(List<ReplicaEffect> out) {
    long start = Math.min(leaderStart, writer.log().endOffset());
    if (start <= writer.log().startOffset()) {
      return false;
    }
    waitMs = settings.fetchMaxWaitMs();
    write(new LogEvent.LogStartAdvanced(start), out);
    return true;
  }

  /** Only cuts: the high watermark in such an answer speaks of a log that is not this one. */
  private void truncate(FetchResponse response, List<ReplicaEffect> out) {
    LogState log = writer.log();
    FetchResponse.Diverging diverging = response.diverging();
    if (diverging.endOffset() <= response.logStartOffset()
        && log.startOffset() < response.logStartOffset()) {
      // A cut there could go through a batch: nothing here is known to be in the leader's log.
      restart(response.logStartOffset(), out);
      return;
    }
    leaderHighWatermark = highWatermark;
    long end = Truncation.cutAt(log, highWatermark, diverging.epoch(), diverging.endOffset());
    reportCut(log, end, out);
    write(new LogTruncated(end), out);
  }

  private void reportCut(LogState log, long end, List<ReplicaEffect> out) {
    if (end == log.endOffset()) {
      return;
    }
    long lost = Math.max(0, highWatermark - end);
    out.add(
        new Report(
            lost > 0,
            "truncating from offset %d to %d to follow broker %d in epoch %d%s"
                .formatted(
                    log.endOffset(),
                    end,
                    who.leader(),
                    who.leaderEpoch(),
                    lost > 0 ? ": " + lost + " records below the high watermark are lost" : "")));
  }

  public void epochEndAnswered(
      long answeredId, EpochEndResponse response, long now, List<ReplicaEffect> out) {
    if (answeredId != requestId || phase != Phase.ASKING) {
      return;
    }
    LogState log = writer.log();
    if (response.error() == ErrorCode.FENCED_LEADER_EPOCH) {
      fenced();
    } else if (response.error() != ErrorCode.NONE) {
      backOff(now);
    } else if (response.logEndOffset() < log.startOffset()) {
      restart(response.logEndOffset(), out);
    } else if (response.logEndOffset() < log.endOffset() && response.endOffset() >= 0) {
      // The leader's end may lie inside a batch of this log; an epoch's end never does.
      leaderHighWatermark = highWatermark;
      long end = Truncation.cutAt(log, highWatermark, response.epoch(), response.endOffset());
      reportCut(log, end, out);
      write(new LogTruncated(end), out);
    } else if (response.logStartOffset() > log.endOffset()) {
      restart(response.logStartOffset(), out);
    } else if (response.endOffset() < 0 && !log.epochs().isEmpty()) {
      // The leader never knew this log's last epoch, so none of its records are the leader's.
      leaderHighWatermark = highWatermark;
      List<LeaderEpochs.Entry> epochs = log.epochs().entries();
      long end = Math.max(log.startOffset(), epochs.get(epochs.size() - 1).startOffset());
      reportCut(log, end, out);
      write(new LogTruncated(end), out);
    } else {
      backOff(now);
    }
  }

  /** The two logs have no offset in common. */
  private void restart(long offset, List<ReplicaEffect> out) {
    leaderHighWatermark = offset;
    LogState log = writer.log();
    out.add(
        new Report(
            true,
            "restarting at offset %d to follow broker %d: this log of [%d, %d) has none of its"
                .formatted(offset, who.leader(), log.startOffset(), log.endOffset())));
    write(new LogRestarted(offset), out);
  }

  private void write(LogEvent event, List<ReplicaEffect> out) {
    phase = Phase.WRITING;
    fetchingAhead = false;
    deadline = Long.MAX_VALUE;
    writer.write(event, out);
  }

  /** The log holds what was written: now it counts, and the next fetch acknowledges it. */
  public void persisted(long now, List<ReplicaEffect> out) {
    highWatermark = clamp(leaderHighWatermark);
    if (phase != Phase.WRITING || writer.isBusy()) {
      return;
    }
    if (!fetchingAhead) {
      fetch(now, out);
      return;
    }
    phase = Phase.FETCHING;
    deadline = aheadDeadline;
    FetchResponse response = fetchedAhead;
    fetchedAhead = null;
    if (response != null) {
      answered(response, now, out);
    }
  }

  /**
   * Whoever is behind what is committed fetches on while the disk takes the last answer, so that
   * network and disk are busy at once. An in-sync replica never is behind it, and says with its
   * next fetch that all it has is durable. The answer is there already, so nothing is waited for.
   */
  private void fetchAhead(long now, List<ReplicaEffect> out) {
    LogState shown = writer.shown();
    if (shown != writer.log() && missing(shown) > 0 && mayFetchAt(shown, now) <= now) {
      fetchingAhead = true;
      aheadDeadline = send(shown, 0, now, out);
    }
  }

  private long clamp(long hw) {
    return Math.max(writer.log().startOffset(), Math.min(hw, writer.log().endOffset()));
  }

  /** A request that is not answered in time is given up, and a pause has its end. */
  public void timePassed(long now, List<ReplicaEffect> out) {
    if (now < deadline) {
      return;
    }
    if (phase == Phase.FETCHING || phase == Phase.ASKING) {
      waitMs = settings.fetchMaxWaitMs();
      end();
    }
    fetch(now, out);
  }

  public long nextDeadline() {
    return deadline;
  }

  private void fenced() {
    end();
    phase = Phase.FENCED;
    deadline = Long.MAX_VALUE;
  }

  private void backOff(long now) {
    end();
    phase = Phase.BACKING_OFF;
    deadline = now + settings.retryBackoffMs() * ReplicaSettings.NANOS_PER_MS;
  }

  private void fetch(long now, List<ReplicaEffect> out) {
    fetchingAhead = false;
    long opensAt = mayFetchAt(writer.log(), now);
    if (opensAt > now) {
      phase = Phase.BACKING_OFF;
      deadline = opensAt;
      return;
    }
    phase = Phase.FETCHING;
    deadline = send(writer.log(), asksOnlyHowFar() ? 0 : waitMs, now, out);
  }

  private long mayFetchAt(LogState shown, long now) {
    return catchUp == null ? now : catchUp.opensAt(missing(shown), now);
  }

  private boolean asksOnlyHowFar() {
    return catchUp != null && catchUp.asksOnlyHowFar();
  }

  /** How many committed records the log lacks. */
  private long missing(LogState shown) {
    return leaderHighWatermark - shown.endOffset();
  }

  /** Returns when the answer counts as lost. */
  private long send(LogState shown, int maxWaitMs, long now, List<ReplicaEffect> out) {
    requestId++;
    out.add(
        new SendFetch(
            requestId,
            who.leader(),
            new FetchRequest(
                who.self(),
                who.brokerEpoch(),
                who.directoryId(),
                maxWaitMs,
                settings.fetchMinBytes(),
                who.partition(),
                who.leaderEpoch(),
                shown.endOffset(),
                writer.log().endOffset(),
                shown.lastEpoch(),
                writer.log().startOffset(),
                asksOnlyHowFar() ? 0 : settings.fetchMaxBytes(),
                highWatermark,
                "")));
    return now + (maxWaitMs + settings.requestTimeoutMs()) * ReplicaSettings.NANOS_PER_MS;
  }
}
