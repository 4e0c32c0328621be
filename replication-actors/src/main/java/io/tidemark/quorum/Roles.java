package io.tidemark.quorum;

import static io.tidemark.quorum.QuorumState.CANDIDATE;
import static io.tidemark.quorum.QuorumState.FOLLOWER;
import static io.tidemark.quorum.QuorumState.FORMING;
import static io.tidemark.quorum.QuorumState.LEADER;
import static io.tidemark.quorum.QuorumState.PROSPECTIVE;
import static io.tidemark.quorum.QuorumState.RESIGNED;
import static io.tidemark.quorum.QuorumState.STOPPED;
import static io.tidemark.quorum.QuorumState.UNATTACHED;

import io.tidemark.log.LogEvent.QuorumVote;
import io.tidemark.log.LogEvent.Voter;
import io.tidemark.log.LogEvent.VotersRecorded;
import io.tidemark.log.LogState;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.QuorumMessage.VoteRequest;
import io.tidemark.replica.CommitRule;
import io.tidemark.replica.FollowerCore.Following;
import io.tidemark.replica.ReplicaEffect;
import java.util.List;
import java.util.function.Consumer;

/**
 * The roles of a quorum member and the ways from one to the next. Each way ends the old role, makes
 * the promise that the new one rests on, and begins it when that is durable.
 */
class Roles {
  static final int NOBODY = -1;

  private final QuorumMember me;
  private final QuorumSettings settings;
  final Promises promises = new Promises();
  QuorumState state = QuorumState.RECOVERING;
  Voters voters = Voters.UNKNOWN;
  Formation formation;
  Ballot ballot;
  LeaderRole leading;
  FollowerRole following;

  /** When the present state acts by itself; a leader and a follower have their own times. */
  long deadline = Long.MAX_VALUE;

  private long highWatermark;
  private long nextRequestId;

  Roles(QuorumMember me, QuorumSettings settings) {
    this.me = me;
    this.settings = settings;
  }

  int epoch() {
    return promises.vote().epoch();
  }

  boolean isVoter() {
    return voters.contains(me.self(), me.directoryId());
  }

  /** Whom this member would send others to: not a leader that it doubts itself. */
  int leaderId() {
    return switch (state) {
      case LEADER -> me.self();
      case FOLLOWER -> promises.vote().leaderId();
      default -> NOBODY;
    };
  }

  /** Never goes back, although a new leader may know less at first. */
  long highWatermark() {
    if (leading != null) {
      highWatermark = Math.max(highWatermark, leading.highWatermark());
    } else if (following != null) {
      highWatermark = Math.max(highWatermark, following.highWatermark());
    }
    return highWatermark;
  }

  void recovered(LogState log, Step step) {
    promises.recovered(log);
    highWatermark = log.highWatermark();
    if (log.voters().isEmpty()) {
      become(FORMING, step);
      formation = new Formation(me);
      deadline = step.now();
      form(formation.ifAllBlank(), step);
    } else {
      resume(step);
    }
  }

  /**
   * A set of voters counts when it is in the log, and no more when it is cut; a leader's own from
   * its append on.
   */
  void votersAreIn(LogState log, Step step) {
    votersAre(leading == null ? new Voters(log.voters()) : leading.voters(), step);
  }

  private void votersAre(Voters newer, Step step) {
    boolean hadLostVote = hasLostVote();
    voters = newer;
    if (hasLostVote() && !hadLostVote) {
      String message =
          "broker %d was a voter with another directory; with this one it has no vote until"
              + " removeVoter(%d) and then addVoter(%d) have been called";
      step.replicate(
          out ->
              out.add(
                  new ReplicaEffect.Report(
                      true, message.formatted(me.self(), me.self(), me.self()))));
    }
  }

  /** A vote is the directory's that has promised it, and is lost with that (KIP-853). */
  private boolean hasLostVote() {
    return voters.contains(me.self()) && !isVoter();
  }

  void form(List<Voter> agreed, Step step) {
    if (!agreed.isEmpty()) {
      promises.record(new VotersRecorded(agreed), step, this::resume);
    }
  }

  /** Where a member with recorded voters goes on after a restart or its formation. */
  private void resume(Step step) {
    LogState log = promises.writer().log();
    votersAre(new Voters(log.voters()), step);
    QuorumVote vote = promises.vote();
    if (log.lastEpoch() > vote.epoch()) {
      unattached(inEpoch(log.lastEpoch()), electionDeadline(step), step, then -> {});
    } else if (vote.leaderId() == me.self()) {
      // It may have told someone of a record that its disk has lost: it never leads that epoch on.
      become(RESIGNED, step);
      deadline = electionDeadline(step);
    } else if (vote.leaderId() != NOBODY) {
      follow(vote.epoch(), vote.leaderId(), step);
    } else {
      unattached(vote, electionDeadline(step), step, then -> {});
    }
  }

  static QuorumVote inEpoch(int epoch) {
    return new QuorumVote(epoch, NOBODY, NOBODY, null);
  }

  /** T + rand(T) (Raft §5.2). Nobody competes with a sole voter, and an observer only asks. */
  long electionDeadline(Step step) {
    long timeout = settings.electionTimeoutNanos();
    boolean alone = !isVoter() || voters.list().size() == 1;
    return alone ? step.now() : step.now() + timeout + step.random(timeout);
  }

  void unattached(QuorumVote vote, long standAt, Step step, Consumer<Step> then) {
    become(UNATTACHED, step);
    deadline = standAt;
    promises.keep(vote, step, then);
  }

  /** Asks for pre-votes, in the epoch that it is in already (KIP-996). */
  void prospective(Step step) {
    become(PROSPECTIVE, step);
    canvass(step);
    if (ballot.isWon()) {
      candidate(step);
    } else {
      requestVotes(true, step);
    }
  }

  void candidate(Step step) {
    become(CANDIDATE, step);
    QuorumVote own = new QuorumVote(epoch() + 1, NOBODY, me.self(), me.directoryId());
    promises.keep(
        own,
        step,
        then -> {
          canvass(then);
          if (ballot.isWon()) {
            lead(then);
          } else {
            requestVotes(false, then);
          }
        });
  }

  private void canvass(Step step) {
    ballot = new Ballot(voters, me.self());
    deadline = electionDeadline(step);
  }

  private void requestVotes(boolean preVote, Step step) {
    LogState log = promises.writer().log();
    for (Voter voter : voters.without(me.self())) {
      VoteRequest request =
          new VoteRequest(
              epoch(),
              me.self(),
              me.directoryId(),
              voter.id(),
              voter.directoryId(),
              log.lastEpoch(),
              log.endOffset(),
              preVote);
      step.add(new QuorumEffect.SendVote(voter.id(), request));
    }
  }

  void lead(Step step) {
    become(LEADER, step);
    promises.keep(
        new QuorumVote(epoch(), me.self(), me.self(), me.directoryId()),
        step,
        then -> {
          LeaderRole.Start from =
              new LeaderRole.Start(promises.writer(), commitRule(), highWatermark, then.now());
          leading = new LeaderRole(me.self(), epoch(), voters, settings, from);
          leading.start(then);
        });
  }

  /** Of the leadership that begins at the log's end. */
  CommitRule commitRule() {
    return new Majority(me.self(), () -> voters, promises.writer().log().endOffset());
  }

  /** In the epoch that it is in, a member keeps in mind whom it voted for. */
  void follow(int epoch, int leader, Step step) {
    become(FOLLOWER, step);
    QuorumVote vote = epoch == epoch() ? promises.vote() : inEpoch(epoch);
    promises.keep(
        new QuorumVote(epoch, leader, vote.votedFor(), vote.votedDirectory()),
        step,
        then -> {
          Following who =
              new Following(PartitionId.METADATA, me.self(), -1, me.directoryId(), leader, epoch);
          FollowerRole.Start from =
              new FollowerRole.Start(promises.writer(), highWatermark, nextRequestId);
          following = new FollowerRole(who, voters, settings, from);
          following.start(then);
        });
  }

  void resign(Step step) {
    leading.sendEnd(step);
    become(RESIGNED, step);
    deadline = electionDeadline(step);
  }

  /** It is about to stop, and leaves the election to the others. */
  void standDown(Step step) {
    unattached(promises.vote(), electionDeadline(step), step, then -> {});
  }

  void stop(Step step) {
    become(STOPPED, step);
    promises.abandon();
  }

  /** Nobody knows what this member promised in the epoch that it led: it goes on in the next. */
  void afterResigning(Step step) {
    unattached(inEpoch(epoch() + 1), electionDeadline(step), step, then -> {});
  }

  private void become(QuorumState next, Step step) {
    state = state.to(next);
    highWatermark = highWatermark();
    if (leading != null) {
      leading.end(step);
    }
    if (following != null) {
      nextRequestId = following.nextRequestId();
    }
    leading = null;
    following = null;
    ballot = null;
    formation = null;
    deadline = Long.MAX_VALUE;
    promises.dropQueued();
    if (promises.writer() != null) {
      votersAreIn(promises.writer().log(), step);
    }
  }
}
