package io.tidemark.replica;

import io.tidemark.protocol.ControllerRequest.AlterPartition;
import io.tidemark.protocol.ControllerRequest.IsrMember;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.PartitionState;
import io.tidemark.replica.PartitionView.Peer;
import io.tidemark.replica.ReplicaEffect.ProposeIsr;
import io.tidemark.replica.ReplicaEffect.Report;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The commit rule of a partition: what every in-sync replica has is committed (KIP-497, KIP-903).
 *
 * <p>Invariant: the maximal ISR, for which the high watermark waits, holds every replica that the
 * controller may believe to be in sync, whatever became of the proposal under way.
 */
class InSyncReplicas implements CommitRule {
  private final int self;
  private final int leaderEpoch;
  private final ReplicaSettings settings;
  private final TokenBucket throttle;
  private PartitionView view;
  private Set<Integer> committed;
  private Set<Integer> proposed;
  private long requestId;
  private boolean unanswered;
  private long retryAt;

  /**
   * @param throttle of what is sent to replicas out of sync
   */
  InSyncReplicas(
      int self,
      PartitionView view,
      ReplicaSettings settings,
      TokenBucket throttle,
      long firstRequestId) {
    this.self = self;
    this.throttle = throttle;
    this.leaderEpoch = view.state().leaderEpoch();
    this.settings = settings;
    this.requestId = firstRequestId;
    adopt(view);
  }

  /** Newer metadata decides what became of a proposal. */
  void adopt(PartitionView newer) {
    view = newer;
    committed = new LinkedHashSet<>(newer.state().isr());
    proposed = null;
    unanswered = false;
    retryAt = 0;
  }

  /** The same partition state, but other brokers: who is eligible may have changed. */
  void peersChanged(PartitionView newer) {
    view = newer;
  }

  PartitionView view() {
    return view;
  }

  boolean hasMinInsync() {
    return committed.size() >= view.effectiveMinInsync();
  }

  int size() {
    return committed.size();
  }

  boolean contains(int replica) {
    return committed.contains(replica);
  }

  long nextRequestId() {
    return requestId + 1;
  }

  @Override
  public ErrorCode admit(FetchRequest request) {
    Peer peer = view.peers().get(request.replicaId());
    if (peer == null || !view.state().replicas().contains(request.replicaId())) {
      return ErrorCode.UNKNOWN_LEADER_EPOCH;
    }
    return request.brokerEpoch() < peer.brokerEpoch()
        ? ErrorCode.NOT_LEADER_OR_FOLLOWER
        : ErrorCode.NONE;
  }

  @Override
  public long committed(long endOffset, Map<Integer, FollowerProgress> followers, long now) {
    if (!hasMinInsync()) {
      return NONE;
    }
    long lowest = endOffset;
    for (int replica : view.state().replicas()) {
      if (replica == self) {
        continue;
      }
      FollowerProgress progress = followers.get(replica);
      if (isInMaximalIsr(replica)) {
        if (progress == null || !progress.hasFetched()) {
          return NONE;
        }
        lowest = Math.min(lowest, progress.endOffset());
      } else if (progress != null && waitsFor(replica, progress, endOffset, now)) {
        lowest = Math.min(lowest, progress.endOffset());
      }
    }
    return lowest;
  }

  boolean isInMaximalIsr(int replica) {
    return committed.contains(replica) || (proposed != null && proposed.contains(replica));
  }

  /** Whether a proposal is under way, answered or not. */
  boolean isPending() {
    return proposed != null;
  }

  /**
   * Waiting for one that is about to join keeps the high watermark from running away from it. One
   * that does not fetch, as it waits for others on its node or is gone, is not waited for.
   */
  @Override
  public boolean waitsFor(int replica, FollowerProgress progress, long endOffset, long now) {
    return progress.hasFetched()
        && isEligible(replica, progress)
        && progress.isCaughtUp(endOffset, now, lagNanos())
        && progress.hasFetchedWithin(silenceNanos(), now);
  }

  /** When the first of those that are about to join has been silent for too long. */
  long nextSilence(Map<Integer, FollowerProgress> followers, long endOffset, long now) {
    long next = Long.MAX_VALUE;
    for (int replica : view.state().replicas()) {
      FollowerProgress progress = followers.get(replica);
      boolean holdsUp =
          progress != null
              && !isInMaximalIsr(replica)
              && progress.endOffset() < endOffset
              && waitsFor(replica, progress, endOffset, now);
      if (holdsUp) {
        next = Math.min(next, progress.lastFetchNanos() + silenceNanos() + 1);
      }
    }
    return next;
  }

  private long silenceNanos() {
    return settings.requestTimeoutMs() * ReplicaSettings.NANOS_PER_MS;
  }

  private boolean isEligible(int replica, FollowerProgress progress) {
    Peer peer = view.peers().get(replica);
    return peer != null && peer.eligible() && peer.brokerEpoch() == progress.brokerEpoch();
  }

  @Override
  public TokenBucket throttleOf(int replica) {
    return committed.contains(replica) ? null : throttle;
  }

  /** Of several, the one that is furthest. */
  @Override
  public int closerReplica(FetchRequest request, Map<Integer, FollowerProgress> followers) {
    String rack = request.rack();
    if (rack.isEmpty() || rack.equals(view.rack())) {
      return -1;
    }
    int closest = -1;
    for (int replica : view.state().replicas()) {
      FollowerProgress progress = followers.get(replica);
      boolean serves =
          replica != self
              && committed.contains(replica)
              && progress != null
              && progress.holds(request.fetchOffset())
              && isEligible(replica, progress)
              && view.peers().get(replica).rack().equals(rack);
      if (serves && (closest < 0 || progress.endOffset() > followers.get(closest).endOffset())) {
        closest = replica;
      }
    }
    return closest;
  }

  @Override
  public long tellIntervalNanos() {
    return ReplicaSettings.HW_TELL_INTERVAL_NANOS;
  }

  /** A follower that has all that is committed, and all of the epochs before this one, may join. */
  void maybeExpand(int replica, LeaderCore leader, long now, List<ReplicaEffect> out) {
    FollowerProgress progress = leader.followers().get(replica);
    boolean joins =
        proposed == null
            && now >= retryAt
            && progress != null
            && !committed.contains(replica)
            && progress.hasFetched()
            && progress.endOffset() >= leader.highWatermark()
            && progress.endOffset() >= joinsFrom(leader)
            && isEligible(replica, progress);
    if (joins) {
      Set<Integer> larger = new LinkedHashSet<>(committed);
      larger.add(replica);
      propose(larger, leader, now, out);
    }
  }

  /** An older leader may have committed all up to where this epoch starts. */
  long joinsFrom(LeaderCore leader) {
    return leader.epochStart();
  }

  /** Followers that have not kept up leave, so that writes can go on without them. */
  void maybeShrink(LeaderCore leader, long endOffset, long now, List<ReplicaEffect> out) {
    if (proposed != null || now < retryAt) {
      return;
    }
    Set<Integer> kept = new LinkedHashSet<>(committed);
    kept.removeIf(
        replica -> {
          FollowerProgress progress = leader.followers().get(replica);
          return replica != self
              && (progress == null || !progress.isCaughtUp(endOffset, now, lagNanos()));
        });
    if (kept.size() < committed.size()) {
      Set<Integer> lagging = new HashSet<>(committed);
      lagging.removeAll(kept);
      out.add(
          new Report(
              true,
              "brokers %s are offline, have started anew or have not kept up for %d ms, and leave the in-sync replicas"
                  .formatted(lagging, settings.lagTimeMaxMs())));
      propose(kept, leader, now, out);
    }
  }

  /**
   * The leader of an unclean election has recovered when its epoch is in its log: from there on all
   * followers find out what of theirs is not the partition's any more (KIP-704).
   */
  void maybeRecover(LeaderCore leader, long now, List<ReplicaEffect> out) {
    if (view.state().recovering() && leader.isStarted() && proposed == null && now >= retryAt) {
      propose(committed, leader, now, out);
    }
  }

  private void propose(Set<Integer> isr, LeaderCore leader, long now, List<ReplicaEffect> out) {
    proposed = isr;
    send(leader, now, out);
  }

  private void send(LeaderCore leader, long now, List<ReplicaEffect> out) {
    List<IsrMember> members = new ArrayList<>();
    for (int replica : proposed) {
      FollowerProgress progress = leader.followers().get(replica);
      long fetchedAs =
          progress != null && progress.hasFetched()
              ? progress.brokerEpoch()
              : brokerEpochOf(replica);
      members.add(new IsrMember(replica, replica == self ? view.brokerEpoch() : fetchedAs));
    }
    requestId++;
    unanswered = true;
    retryAt = now + settings.requestTimeoutMs() * ReplicaSettings.NANOS_PER_MS;
    out.add(
        new ProposeIsr(
            requestId,
            new AlterPartition(
                view.partition(),
                self,
                view.brokerEpoch(),
                leaderEpoch,
                view.state().partitionEpoch(),
                members,
                false)));
  }

  private long brokerEpochOf(int replica) {
    Peer peer = view.peers().get(replica);
    return peer == null ? -1 : peer.brokerEpoch();
  }

  /**
   * The controller's answer. Only a definite refusal of a member takes the proposal back; after any
   * other failure the controller may have accepted it, and metadata will tell.
   *
   * @return the partition's new state, null when there is none to adopt
   */
  PartitionState answered(long answeredId, ErrorCode error, PartitionState state, long now) {
    if (answeredId != requestId || proposed == null || !unanswered) {
      return null;
    }
    unanswered = false;
    retryAt = now + settings.retryBackoffMs() * ReplicaSettings.NANOS_PER_MS;
    return switch (error) {
      case NONE -> state;
      case INELIGIBLE_REPLICA -> {
        proposed = null;
        yield null;
      }
      case FENCED_LEADER_EPOCH,
          INVALID_UPDATE_VERSION,
          INVALID_REQUEST,
          STALE_BROKER_EPOCH,
          UNKNOWN_TOPIC_ID -> {
        retryAt = Long.MAX_VALUE;
        yield null;
      }
      default -> null;
    };
  }

  /** Asks again when an answer was lost or said nothing definite. */
  void timePassed(LeaderCore leader, long now, List<ReplicaEffect> out) {
    if (proposed != null && now >= retryAt) {
      send(leader, now, out);
    }
  }

  long nextDeadline() {
    return proposed == null ? Long.MAX_VALUE : retryAt;
  }

  private long lagNanos() {
    return settings.lagTimeMaxMs() * ReplicaSettings.NANOS_PER_MS;
  }
}
