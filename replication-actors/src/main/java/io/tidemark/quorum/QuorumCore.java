package io.tidemark.quorum;

import io.tidemark.log.LogEvent;
import io.tidemark.log.LogEvent.QuorumVote;
import io.tidemark.log.LogEvent.Voter;
import io.tidemark.log.LogState;
import io.tidemark.protocol.EpochEndRequest;
import io.tidemark.protocol.EpochEndResponse;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.FetchResponse.CurrentLeader;
import io.tidemark.protocol.FetchSnapshotRequest;
import io.tidemark.protocol.FetchSnapshotResponse;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.QuorumMessage.HelloRequest;
import io.tidemark.protocol.QuorumMessage.HelloResponse;
import io.tidemark.replica.ReplicaEffect.AnswerEpochEnd;
import io.tidemark.replica.ReplicaEffect.AnswerFetch;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A member of the controller quorum, voter or observer: pull-based Raft (KIP-595, KIP-853, KIP-996)
 * as a function from inputs to effects. {@link QuorumState} lists its states.
 *
 * <p>Invariant: while a promise (epoch, leader, vote, voters) is on its way to the disk, nothing
 * else is heard; it waits, in order, and meets the promise kept.
 */
public final class QuorumCore {
  /** What waits beyond this is dropped, as a network would. */
  private static final int MAX_WAITING = 10_000;

  private final QuorumMember me;
  private final Roles roles;
  private final Elections elections;
  private final Timeouts timeouts;
  private final Snapshots snapshots;
  private final Deque<QuorumInput> waiting = new ArrayDeque<>();
  private final Map<Integer, String> addresses = new HashMap<>();
  private boolean led;
  private int toldLeader = Roles.NOBODY;
  private int toldEpoch = -1;
  private long toldHighWatermark;

  public QuorumCore(QuorumMember me, QuorumSettings settings) {
    this(me, settings, new Roles(me, settings));
  }

  QuorumCore(QuorumMember me, QuorumSettings settings, Roles roles) {
    this.me = me;
    this.roles = roles;
    this.elections = new Elections(me, settings, roles);
    this.timeouts = new Timeouts(me, settings, roles);
    this.snapshots = new Snapshots(settings.snapshotIntervalBytes(), roles);
  }

  /**
   * @param nowNanos a monotonic time, not negative
   * @param entropy anything, different each time: the source of time-outs
   */
  public List<QuorumEffect> on(QuorumInput input, long nowNanos, long entropy) {
    if (roles.state == QuorumState.STOPPED) {
      return List.of();
    }
    Step step = new Step(nowNanos, entropy);
    if (input instanceof QuorumInput.LogRecovered recovered) {
      roles.recovered(recovered.log(), step);
    } else if (input instanceof QuorumInput.LogPersisted persisted) {
      persisted(persisted.log(), step);
    } else if (input instanceof QuorumInput.LogFailed) {
      roles.stop(step);
    } else {
      waiting.add(input);
    }
    hearWaiting(step);
    if (roles.leading != null && roles.leading.isRemoved(step)) {
      roles.resign(step);
    }
    tell(step);
    return step.effects();
  }

  private void hearWaiting(Step step) {
    while (isListening() && !waiting.isEmpty()) {
      hear(waiting.poll(), step);
      if (roles.following != null && roles.following.broken() != null) {
        step.add(new QuorumEffect.Fatal(roles.following.broken()));
        roles.stop(step);
      }
    }
    if (roles.state == QuorumState.STOPPED) {
      waiting.clear();
    }
    while (waiting.size() > MAX_WAITING) {
      waiting.removeLast();
    }
  }

  private boolean isListening() {
    return !roles.promises.isPending() && roles.state != QuorumState.STOPPED;
  }

  private void hear(QuorumInput input, Step step) {
    if (input instanceof QuorumInput.FetchArrived fetch) {
      fetchArrived(fetch.token(), fetch.request(), step);
    } else if (input instanceof QuorumInput.FetchAnswered answer) {
      fetchAnswered(answer.requestId(), answer.response(), step);
    } else if (input instanceof QuorumInput.EpochEndArrived ask) {
      epochEndArrived(ask.token(), ask.request(), step);
    } else if (input instanceof QuorumInput.EpochEndAnswered answer) {
      if (roles.following != null) {
        roles.following.epochEndAnswered(answer.requestId(), answer.response(), step);
      }
    } else if (input instanceof QuorumInput.FetchSnapshotArrived fetch) {
      fetchSnapshotArrived(fetch.token(), fetch.request(), step);
    } else if (input instanceof QuorumInput.FetchSnapshotAnswered answer) {
      fetchSnapshotAnswered(answer.requestId(), answer.response(), step);
    } else if (input instanceof QuorumInput.SnapshotMade made) {
      snapshots.made(made, step);
    } else if (input instanceof QuorumInput.VoteArrived vote) {
      elections.voteArrived(vote.token(), vote.request(), step);
    } else if (input instanceof QuorumInput.VoteAnswered answer) {
      elections.voteAnswered(answer.response(), step);
    } else if (input instanceof QuorumInput.BeginArrived begin) {
      elections.beginArrived(begin.message(), step);
    } else if (input instanceof QuorumInput.EndArrived end) {
      elections.endArrived(end.message(), step);
    } else if (input instanceof QuorumInput.HelloArrived hello) {
      helloArrived(hello.token(), hello.request(), step);
    } else if (input instanceof QuorumInput.HelloAnswered answer) {
      helloAnswered(answer.response(), step);
    } else if (input instanceof QuorumInput.AppendRequested append) {
      if (roles.leading != null && roles.leading.epoch() == append.epoch()) {
        roles.leading.append(append.batches(), step);
      }
    } else if (input instanceof QuorumInput.VoterChangeRequested request) {
      voterChangeRequested(request.token(), request.change(), step);
    } else if (input instanceof QuorumInput.Suspected suspected) {
      elections.suspected(suspected.voterId(), step);
    } else if (input instanceof QuorumInput.ResignRequested) {
      timeouts.retire(step);
    } else if (input instanceof QuorumInput.TimePassed) {
      timeouts.timePassed(step);
    }
  }

  private void voterChangeRequested(long token, VoterChange change, Step step) {
    if (roles.leading == null) {
      step.add(
          new QuorumEffect.AnswerVoterChange(
              token,
              ErrorCode.NOT_CONTROLLER,
              "this member does not lead the quorum; nothing was done, ask its leader"));
      return;
    }
    roles.leading.changeVoters(token, change, step);
    roles.votersAreIn(log(), step);
  }

  private void persisted(LogState log, Step step) {
    roles.votersAreIn(log, step);
    LogEvent event = roles.promises.persisted(log, step);
    if (event != null && roles.leading != null) {
      roles.leading.persisted(event, step);
    } else if (event != null && roles.following != null) {
      roles.following.persisted(event, step);
    }
  }

  private void fetchArrived(long token, FetchRequest request, Step step) {
    if (roles.leading != null) {
      roles.leading.fetch(token, request, step);
      return;
    }
    ErrorCode error = checkAsNonLeader(request.partition(), request.leaderEpoch());
    FetchResponse response = FetchResponse.failed(error, leaderId(), epoch());
    step.replicate(out -> out.add(new AnswerFetch(token, response)));
  }

  private void fetchAnswered(long requestId, FetchResponse response, Step step) {
    if (!moved(response.currentLeader(), step) && roles.following != null) {
      roles.following.fetchAnswered(requestId, response, step);
    }
  }

  /** An answer of a newer epoch is worth more than what it answers. */
  private boolean moved(CurrentLeader current, Step step) {
    return current.leaderEpoch() > epoch()
        && elections.heard(current.leaderEpoch(), current.leaderId(), step);
  }

  private void fetchSnapshotArrived(long token, FetchSnapshotRequest request, Step step) {
    if (roles.leading != null) {
      roles.leading.fetchSnapshot(token, request, step);
      return;
    }
    ErrorCode error = checkAsNonLeader(PartitionId.METADATA, request.leaderEpoch());
    step.add(
        new QuorumEffect.AnswerFetchSnapshot(
            token, FetchSnapshotResponse.failed(error, leaderId(), epoch())));
  }

  private void fetchSnapshotAnswered(long requestId, FetchSnapshotResponse response, Step step) {
    if (!moved(response.currentLeader(), step) && roles.following != null) {
      roles.following.snapshotAnswered(requestId, response, step);
    }
  }

  private void epochEndArrived(long token, EpochEndRequest request, Step step) {
    if (roles.leading != null) {
      roles.leading.epochEnd(token, request, step);
      return;
    }
    ErrorCode error = checkAsNonLeader(request.partition(), request.leaderEpoch());
    step.replicate(out -> out.add(new AnswerEpochEnd(token, EpochEndResponse.failed(error))));
  }

  /** Epoch before role, as in part 1 of the protocol. */
  private ErrorCode checkAsNonLeader(PartitionId asked, int requestEpoch) {
    if (!asked.equals(PartitionId.METADATA)) {
      return ErrorCode.UNKNOWN_TOPIC_ID;
    }
    if (requestEpoch >= 0 && requestEpoch < epoch()) {
      return ErrorCode.FENCED_LEADER_EPOCH;
    }
    return requestEpoch > epoch()
        ? ErrorCode.UNKNOWN_LEADER_EPOCH
        : ErrorCode.NOT_LEADER_OR_FOLLOWER;
  }

  private void helloArrived(long token, HelloRequest request, Step step) {
    learnAddress(request.id(), request.directoryId(), request.address());
    boolean blank = voters().isEmpty() && roles.promises.vote().equals(QuorumVote.NONE);
    step.add(
        new QuorumEffect.AnswerHello(
            token,
            new HelloResponse(
                me.self(), me.directoryId(), me.address(), blank, voters(), leaderId(), epoch())));
  }

  private void helloAnswered(HelloResponse response, Step step) {
    learnAddress(response.id(), response.directoryId(), response.address());
    response.voters().forEach(voter -> addresses.putIfAbsent(voter.id(), voter.address()));
    if (roles.formation != null) {
      roles.form(roles.formation.answered(response), step);
    } else {
      elections.heard(response.epoch(), response.leaderId(), step);
    }
  }

  /** A voter may have moved; nobody else may claim to be it. */
  private void learnAddress(int id, UUID directory, String address) {
    if (!roles.voters.contains(id) || roles.voters.contains(id, directory)) {
      addresses.put(id, address);
    }
  }

  /** What changed for those who use the log. */
  private void tell(Step step) {
    if (roles.promises.isPending()) {
      return;
    }
    if (toldLeader != leaderId() || toldEpoch != epoch()) {
      toldLeader = leaderId();
      toldEpoch = epoch();
      step.add(new QuorumEffect.LeaderKnown(toldLeader, toldEpoch));
    }
    LogState log = log();
    if (log.snapshot().endOffset() > toldHighWatermark) {
      toldHighWatermark = log.snapshot().endOffset();
      step.add(new QuorumEffect.SnapshotLoaded(log.snapshot()));
    }
    if (roles.highWatermark() > toldHighWatermark) {
      toldHighWatermark = roles.highWatermark();
      step.add(new QuorumEffect.HighWatermarkMoved(toldHighWatermark));
    }
    snapshots.askWhenDue(step);
    boolean usable = roles.leading != null && roles.leading.isUsable();
    if (usable && !led) {
      step.add(new QuorumEffect.Led(roles.leading.epoch(), roles.leading.endOffset()));
    }
    led = usable;
  }

  /** When {@link QuorumInput.TimePassed} is due, in the time of {@code now}. */
  public long nextDeadline(long now) {
    if (!isListening()) {
      return Long.MAX_VALUE;
    }
    return timeouts.nextDeadline(now);
  }

  /** −1 when none is known. */
  public int leaderId() {
    return roles.leaderId();
  }

  public int epoch() {
    return roles.epoch();
  }

  /** Whether this member leads, and a record of its epoch is committed. */
  public boolean isLeader() {
    return roles.leading != null && roles.leading.isUsable();
  }

  /** The durable log; null until it has been recovered. */
  public LogState log() {
    return roles.promises.writer() == null ? null : roles.promises.writer().log();
  }

  public long highWatermark() {
    return roles.highWatermark();
  }

  /** Empty until the quorum has formed, as far as this member knows. */
  public List<Voter> voters() {
    return roles.voters.list();
  }

  /** Where a member is reached: as it said last, or as it was recorded; null when not known. */
  public String addressOf(int id) {
    String said = addresses.get(id);
    if (said != null) {
      return said;
    }
    return voters().stream()
        .filter(voter -> voter.id() == id)
        .map(Voter::address)
        .findFirst()
        .orElse(null);
  }
}
