package io.tidemark.replica;

import io.tidemark.log.LogEvent;
import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogEvent.LeaderEpochStarted;
import io.tidemark.protocol.DeleteRecordsRequest;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.PartitionState;
import io.tidemark.protocol.ProduceRequest;
import io.tidemark.protocol.ProduceResponse;
import io.tidemark.protocol.ReplicaOffline;
import java.util.List;

/** Leads a partition for one epoch: {@link LeaderCore} with in-sync replicas and writes. */
final class PartitionLeaderCore {
  private final int self;
  private final ReplicaSettings settings;
  private final LogWriter writer;
  private final InSyncReplicas isr;
  private final LeaderCore leader;
  private final LogStart logStart;
  private Produces produces;
  private long nextLagCheck;

  PartitionLeaderCore(
      int self, InSyncReplicas isr, ReplicaSettings settings, LogWriter writer, LeaderStart from) {
    this.self = self;
    this.settings = settings;
    this.writer = writer;
    this.isr = isr;
    PartitionView view = isr.view();
    int epoch = view.state().leaderEpoch();
    this.leader = new LeaderCore(self, epoch, writer, isr, from.highWatermark());
    this.produces = new Produces(self, epoch, settings, writer);
    this.logStart = new LogStart(leader, writer);
    for (int replica : view.state().replicas()) {
      if (replica != self) {
        leader.followers().put(replica, FollowerProgress.at(from.now(), isr.contains(replica)));
      }
    }
    this.nextLagCheck = from.now() + lagCheckNanos();
  }

  /**
   * @param highWatermark what this replica knew of it as a follower
   */
  record LeaderStart(long highWatermark, long now) {}

  void start(List<ReplicaEffect> out) {
    leader.start(out);
  }

  LeaderCore leader() {
    return leader;
  }

  InSyncReplicas inSyncReplicas() {
    return isr;
  }

  long nextRequestId() {
    return isr.nextRequestId();
  }

  void produce(long token, ProduceRequest request, long now, List<ReplicaEffect> out) {
    if (!leader.isStarted()) {
      ProduceResponse response =
          ProduceResponse.failed(
              ErrorCode.LEADER_NOT_AVAILABLE, self, leader.epoch(), "the leader is starting");
      out.add(new ReplicaEffect.AnswerProduce(token, response));
      return;
    }
    produces.produce(token, request, isr, leader.highWatermark(), now, out);
    leader.answerParked(now, out);
  }

  void fetch(long token, FetchRequest request, long now, List<ReplicaEffect> out) {
    if (leader.fetch(token, request, now, out)) {
      isr.maybeExpand(request.replicaId(), leader, now, out);
      produces.advanced(leader.highWatermark(), out);
    }
  }

  void persisted(LogEvent event, long now, List<ReplicaEffect> out) {
    if (event instanceof LeaderEpochStarted started && started.epoch() == leader.epoch()) {
      leader.epochStarted();
    } else if (event instanceof BatchesAppended appended) {
      produces.persisted(appended);
    }
    logStart.persisted(out);
    produces.flush(leader.highWatermark(), out);
    advance(now, out);
  }

  void checkRetention(long wallClockMs, List<ReplicaEffect> out) {
    if (leader.isStarted()) {
      logStart.checkRetention(isr.view().topic(), wallClockMs, out);
    }
  }

  void deleteRecords(long token, DeleteRecordsRequest request, List<ReplicaEffect> out) {
    logStart.delete(token, request, out);
  }

  private void advance(long now, List<ReplicaEffect> out) {
    isr.maybeRecover(leader, now, out);
    leader.advance(now, out);
    produces.advanced(leader.highWatermark(), out);
  }

  /** Metadata of the same leader epoch: what is known of the followers stays. */
  void viewChanged(PartitionView newer, long now, List<ReplicaEffect> out) {
    if (newer.state().partitionEpoch() > isr.view().state().partitionEpoch()) {
      isr.adopt(newer);
    } else if (newer.state().partitionEpoch() == isr.view().state().partitionEpoch()) {
      isr.peersChanged(newer);
    } else {
      return;
    }
    advance(now, out);
  }

  void isrAnswered(
      long requestId, ErrorCode error, PartitionState state, long now, List<ReplicaEffect> out) {
    PartitionState accepted = isr.answered(requestId, error, state, now);
    if (accepted != null && accepted.leaderEpoch() == leader.epoch()) {
      viewChanged(isr.view().with(accepted), now, out);
    } else {
      advance(now, out);
    }
  }

  /** It leaves the in-sync replicas at once; it may come back when it fetches again. */
  void peerOffline(ReplicaOffline peer, long now, List<ReplicaEffect> out) {
    FollowerProgress progress = leader.followers().get(peer.replica());
    boolean known =
        peer.leaderEpoch() == leader.epoch()
            && progress != null
            && (!progress.hasFetched() || progress.brokerEpoch() == peer.brokerEpoch());
    if (known && leader.isStarted()) {
      progress.wentOffline();
      isr.maybeShrink(leader, writer.log().endOffset(), now, out);
    }
  }

  void timePassed(long now, List<ReplicaEffect> out) {
    if (now >= nextLagCheck) {
      nextLagCheck = now + lagCheckNanos();
      isr.maybeShrink(leader, writer.log().endOffset(), now, out);
    }
    isr.timePassed(leader, now, out);
    produces.timePassed(now, out);
    advance(now, out);
  }

  private long lagCheckNanos() {
    return settings.lagTimeMaxMs() * ReplicaSettings.NANOS_PER_MS / 2;
  }

  long nextDeadline(long now) {
    long silence = isr.nextSilence(leader.followers(), writer.log().endOffset(), now);
    return Math.min(
        Math.min(Math.min(nextLagCheck, silence), isr.nextDeadline()),
        Math.min(produces.nextDeadline(), leader.nextDeadline(now)));
  }

  void end(ErrorCode error, String message, List<ReplicaEffect> out) {
    leader.end(error, out);
    logStart.end(error, out);
    produces.end(error, message, out);
  }
}
