package io.tidemark.replica;

import io.tidemark.log.LeaderEpochs.EpochEnd;
import io.tidemark.log.LogEvent.LeaderEpochStarted;
import io.tidemark.log.LogState;
import io.tidemark.protocol.EpochEndRequest;
import io.tidemark.protocol.EpochEndResponse;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.FetchResponse.CurrentLeader;
import io.tidemark.protocol.ListOffsetsRequest;
import io.tidemark.protocol.ListOffsetsRequest.Position;
import io.tidemark.protocol.ListOffsetsResponse;
import io.tidemark.protocol.PartitionState;
import io.tidemark.replica.ParkedFetches.Parked;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Leads one epoch of a replicated log, partition or quorum: serves fetches, takes them as the
 * followers' acknowledgements, and moves the high watermark by its {@link CommitRule}.
 *
 * <p>Invariants: the high watermark never goes back; only what is durable here counts; nothing is
 * answered before the epoch's own entry is durable. Followers are shown the append in flight, so
 * that their disks and this one work at the same time; if it fails here, this epoch is over.
 */
public final class LeaderCore {
  private final int self;
  private final int epoch;
  private final LogWriter writer;
  private final CommitRule rule;
  private final long epochStart;
  private final Map<Integer, FollowerProgress> followers = new HashMap<>();
  private final ParkedFetches parked = new ParkedFetches();
  private long highWatermark;
  private boolean started;

  /**
   * @param highWatermark the last known one; what is behind it is decided anew in this epoch
   */
  public LeaderCore(int self, int epoch, LogWriter writer, CommitRule rule, long highWatermark) {
    LogState log = writer.log();
    this.self = self;
    this.epoch = epoch;
    this.writer = writer;
    this.rule = rule;
    this.epochStart = log.endOffset();
    this.highWatermark = Math.max(log.startOffset(), Math.min(highWatermark, log.endOffset()));
  }

  /** Persists the epoch's entry, by which any follower's tail of an older epoch is found out. */
  public void start(List<ReplicaEffect> out) {
    writer.write(new LeaderEpochStarted(epoch, epochStart), out);
  }

  public int epoch() {
    return epoch;
  }

  public long epochStart() {
    return epochStart;
  }

  public long highWatermark() {
    return highWatermark;
  }

  /** Whether the epoch's entry is durable. */
  public boolean isStarted() {
    return started;
  }

  public void epochStarted() {
    started = true;
  }

  public Map<Integer, FollowerProgress> followers() {
    return followers;
  }

  /**
   * A fetch. The checks are in the protocol's order; none of those that fail has an effect on what
   * is known of the follower.
   *
   * @return whether a follower's acknowledgement was taken
   */
  public boolean fetch(long token, FetchRequest request, long now, List<ReplicaEffect> out) {
    LogState log = writer.shown();
    ErrorCode error = checkEpoch(request.leaderEpoch());
    if (error == ErrorCode.NONE && request.isFromReplica()) {
      error =
          isOfOlderIncarnation(request) ? ErrorCode.NOT_LEADER_OR_FOLLOWER : rule.admit(request);
    }
    if (error != ErrorCode.NONE) {
      fail(token, error, out);
      return false;
    }
    if (request.isFromReplica()) {
      endOlder(request.replicaId(), out);
    }
    EpochEnd end = null;
    if (request.lastFetchedEpoch() >= 0) {
      end = log.endOffsetFor(request.lastFetchedEpoch());
      if (!end.isDefined()) {
        fail(token, ErrorCode.OFFSET_OUT_OF_RANGE, out);
        return false;
      }
    }
    if (request.fetchOffset() < log.startOffset()) {
      fail(token, ErrorCode.OFFSET_OUT_OF_RANGE, out);
      return false;
    }
    if (end != null
        && (end.epoch() < request.lastFetchedEpoch() || end.endOffset() < request.fetchOffset())) {
      FetchResponse diverged = head().divergingAt(end.epoch(), end.endOffset());
      out.add(new ReplicaEffect.AnswerFetch(token, diverged));
      return false;
    }
    if (request.fetchOffset() > log.endOffset()) {
      fail(token, ErrorCode.OFFSET_OUT_OF_RANGE, out);
      return false;
    }
    if (request.isFromReplica()) {
      FollowerProgress follower =
          followers.computeIfAbsent(request.replicaId(), id -> FollowerProgress.at(now, false));
      long durable = writer.log().endOffset();
      follower.fetched(request.ackOffset(), request.brokerEpoch(), durable, now);
      follower.fetchedFrom(request.directoryId());
      follower.startsAt(request.logStartOffset());
      advance(now, out);
    } else if (sendCloser(token, request, out)) {
      return false;
    }
    long deadline = now + request.maxWaitMs() * ReplicaSettings.NANOS_PER_MS;
    Parked fetch = new Parked(token, request, deadline, log.bytes());
    boolean answered = request.maxWaitMs() <= 0 || isReady(fetch, now) || !parked.park(fetch);
    if (answered) {
      answer(fetch, now, out);
    }
    return request.isFromReplica();
  }

  private boolean sendCloser(long token, FetchRequest request, List<ReplicaEffect> out) {
    int closer = rule.closerReplica(request, followers);
    if (closer >= 0) {
      out.add(new ReplicaEffect.AnswerFetch(token, head().preferring(closer)));
    }
    return closer >= 0;
  }

  /** The disk may have lost since then what this fetch would acknowledge (KIP-903). */
  private boolean isOfOlderIncarnation(FetchRequest request) {
    FollowerProgress known = followers.get(request.replicaId());
    return known != null && request.brokerEpoch() < known.brokerEpoch();
  }

  /** Nothing stays unanswered: if the older fetch is the one in use, its follower asks again. */
  private void endOlder(int follower, List<ReplicaEffect> out) {
    Parked older = parked.takeOlder(follower);
    if (older != null) {
      out.add(new ReplicaEffect.AnswerFetch(older.token(), head()));
    }
  }

  /** The log's end, the in-sync replicas or an acknowledgement changed: who can be told of it? */
  public void advance(long now, List<ReplicaEffect> out) {
    long durable = writer.log().endOffset();
    // A majority of followers may have on their disks what this one still writes.
    long committed = Math.min(durable, rule.committed(durable, followers, now));
    if (committed > highWatermark) {
      highWatermark = committed;
    }
    answerParked(now, out);
  }

  /** Answers those whose data, news or time-out has come. */
  public void answerParked(long now, List<ReplicaEffect> out) {
    for (Parked fetch : parked.take(p -> isReady(p, now) || p.deadlineNanos() - now <= 0)) {
      answer(fetch, now, out);
    }
  }

  private boolean isReady(Parked fetch, long now) {
    FetchRequest request = fetch.request();
    LogState log = writer.shown();
    if (mayRead(request, now)) {
      long waitedFor = log.bytes() - fetch.bytesWhenParked();
      return waitedFor == 0 || waitedFor >= request.minBytes();
    }
    return hasNews(request) && tellAt(request, now) - now <= 0;
  }

  /** A follower that cannot get at newer records may still learn that its own are committed. */
  private boolean hasNews(FetchRequest request) {
    return request.isFromReplica()
        && request.highWatermark() < Math.min(highWatermark, request.fetchOffset());
  }

  private long tellAt(FetchRequest request, long now) {
    return followers.get(request.replicaId()).mayTellAt(rule.tellIntervalNanos(), now);
  }

  private long limitFor(FetchRequest request) {
    if (!request.isFromReplica()) {
      return highWatermark;
    }
    boolean inSync = throttleOf(request) == null;
    return (inSync ? writer.shown() : writer.log()).endOffset();
  }

  /** What a throttled follower may not be sent does not end its wait either. */
  private boolean mayRead(FetchRequest request, long now) {
    boolean wantsRecords = request.maxBytes() > 0;
    return wantsRecords
        && request.fetchOffset() < limitFor(request)
        && maySendAt(request, now) <= now;
  }

  private long maySendAt(FetchRequest request, long now) {
    TokenBucket throttle = throttleOf(request);
    if (throttle == null) {
      return now;
    }
    FollowerProgress progress = followers.get(request.replicaId());
    long end = writer.log().endOffset();
    return rule.waitsFor(request.replicaId(), progress, end, now) ? now : throttle.opensAt(now);
  }

  private TokenBucket throttleOf(FetchRequest request) {
    return request.isFromReplica() ? rule.throttleOf(request.replicaId()) : null;
  }

  private void answer(Parked fetch, long now, List<ReplicaEffect> out) {
    FetchRequest request = fetch.request();
    if (mayRead(request, now) && request.fetchOffset() >= writer.log().endOffset()) {
      ByteBuffer records = writer.inFlight(request.fetchOffset(), request.maxBytes());
      out.add(new ReplicaEffect.AnswerFetch(fetch.token(), head().withRecords(records)));
      return;
    }
    if (mayRead(request, now)) {
      out.add(
          new ReplicaEffect.ReadAndAnswer(
              fetch.token(),
              head(),
              request.fetchOffset(),
              Math.min(limitFor(request), writer.log().endOffset()),
              request.maxBytes(),
              writer.log(),
              throttleOf(request) != null));
      return;
    }
    if (request.isFromReplica()) {
      followers.get(request.replicaId()).told(now);
    }
    out.add(new ReplicaEffect.AnswerFetch(fetch.token(), head()));
  }

  /** Leadership is over: whoever waits looks for the new leader. */
  public void end(ErrorCode error, List<ReplicaEffect> out) {
    FetchResponse over = FetchResponse.failed(error, PartitionState.NO_LEADER, epoch);
    for (Parked fetch : parked.take(p -> true)) {
      out.add(new ReplicaEffect.AnswerFetch(fetch.token(), over));
    }
  }

  public void epochEnd(long token, EpochEndRequest request, List<ReplicaEffect> out) {
    LogState log = writer.shown();
    ErrorCode error = checkEpoch(request.leaderEpoch());
    EpochEnd end = log.endOffsetFor(request.epoch());
    EpochEndResponse response =
        error != ErrorCode.NONE
            ? EpochEndResponse.failed(error)
            : new EpochEndResponse(
                error, end.epoch(), end.endOffset(), log.startOffset(), log.endOffset());
    out.add(new ReplicaEffect.AnswerEpochEnd(token, response));
  }

  /**
   * Until the high watermark has reached this epoch, records that were committed before may lie
   * above it, so the latest offset cannot be told (KIP-207).
   */
  public void listOffsets(long token, ListOffsetsRequest request, List<ReplicaEffect> out) {
    ErrorCode error = checkEpoch(request.leaderEpoch());
    boolean knowsLatest = highWatermark >= epochStart;
    if (error == ErrorCode.NONE && request.position() == Position.LATEST && !knowsLatest) {
      error = ErrorCode.OFFSET_NOT_AVAILABLE;
    }
    if (error == ErrorCode.NONE && request.position() == Position.AT_TIME) {
      // When no record below the high watermark is new enough, one above it may be committed.
      ListOffsetsResponse notFound =
          knowsLatest
              ? ListOffsetsResponse.of(-1, currentLeader())
              : ListOffsetsResponse.failed(ErrorCode.OFFSET_NOT_AVAILABLE, currentLeader());
      out.add(
          new ReplicaEffect.FindAndAnswer(
              token, notFound, request.timestamp(), highWatermark, writer.log()));
      return;
    }
    boolean earliest = request.position() == Position.EARLIEST;
    long offset = earliest ? writer.log().startOffset() : highWatermark;
    out.add(
        new ReplicaEffect.AnswerListOffsets(
            token,
            error == ErrorCode.NONE
                ? ListOffsetsResponse.of(offset, currentLeader())
                : ListOffsetsResponse.failed(error, currentLeader())));
  }

  CurrentLeader currentLeader() {
    return new CurrentLeader(self, epoch);
  }

  /** −1 is a reader that does not know any epoch. */
  ErrorCode checkEpoch(int requestEpoch) {
    if (requestEpoch >= 0 && requestEpoch < epoch) {
      return ErrorCode.FENCED_LEADER_EPOCH;
    }
    if (requestEpoch > epoch || !started) {
      return ErrorCode.UNKNOWN_LEADER_EPOCH;
    }
    return ErrorCode.NONE;
  }

  /** When something is due although nothing arrives. */
  public long nextDeadline(long now) {
    long next = parked.nextDeadline();
    for (Parked fetch : parked.ofReplicas()) {
      if (hasNews(fetch.request())) {
        next = Math.min(next, tellAt(fetch.request(), now));
      }
      long maySendAt = maySendAt(fetch.request(), now);
      if (maySendAt > now && fetch.request().fetchOffset() < limitFor(fetch.request())) {
        next = Math.min(next, maySendAt);
      }
    }
    return next;
  }

  private FetchResponse head() {
    return FetchResponse.of(highWatermark, writer.log().startOffset(), self, epoch);
  }

  private void fail(long token, ErrorCode error, List<ReplicaEffect> out) {
    out.add(new ReplicaEffect.AnswerFetch(token, FetchResponse.failed(error, self, epoch)));
  }
}
