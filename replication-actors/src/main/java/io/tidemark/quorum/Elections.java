package io.tidemark.quorum;

import static io.tidemark.quorum.QuorumState.CANDIDATE;
import static io.tidemark.quorum.QuorumState.FOLLOWER;
import static io.tidemark.quorum.QuorumState.FORMING;
import static io.tidemark.quorum.QuorumState.LEADER;
import static io.tidemark.quorum.QuorumState.PROSPECTIVE;
import static io.tidemark.quorum.QuorumState.UNATTACHED;
import static io.tidemark.quorum.Roles.NOBODY;

import io.tidemark.log.LogEvent.QuorumVote;
import io.tidemark.log.LogState;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.QuorumMessage.BeginQuorumEpoch;
import io.tidemark.protocol.QuorumMessage.EndQuorumEpoch;
import io.tidemark.protocol.QuorumMessage.VoteRequest;
import io.tidemark.protocol.QuorumMessage.VoteResponse;

/** What members say to each other about epochs, votes and leaders, and what follows from it. */
final class Elections {
  /** The part of an election time-out within which those who see a leader die take turns. */
  private static final int SUSPICION_SPREAD = 5;

  private final QuorumMember me;
  private final QuorumSettings settings;
  private final Roles roles;

  Elections(QuorumMember me, QuorumSettings settings, Roles roles) {
    this.me = me;
    this.settings = settings;
    this.roles = roles;
  }

  /** The checks are in the protocol's order; a pre-vote changes nothing here. */
  void voteArrived(long token, VoteRequest request, Step step) {
    if (!concernsMe(request)) {
      answer(token, request, ErrorCode.INCONSISTENT_VOTER_SET, false, step);
    } else if (request.epoch() < roles.epoch()) {
      answer(token, request, ErrorCode.FENCED_LEADER_EPOCH, false, step);
    } else if (request.preVote()) {
      boolean content =
          roles.state == LEADER || (roles.state == FOLLOWER && roles.following.trustsLeader());
      answer(token, request, ErrorCode.NONE, !content && isUpToDate(request), step);
    } else {
      vote(token, request, step);
    }
  }

  /**
   * Whether it is this directory that is asked. Who votes is for the candidate to know: this
   * member's log may not yet hold the record that makes either of them a voter (KIP-853). An empty
   * directory has no log to judge by, and may have voted before it was emptied.
   */
  private boolean concernsMe(VoteRequest request) {
    return roles.state != FORMING
        && request.voter() == me.self()
        && me.directoryId().equals(request.voterDirectory());
  }

  private void vote(long token, VoteRequest request, Step step) {
    QuorumVote own = roles.promises.vote();
    boolean newer = request.epoch() > own.epoch();
    boolean again =
        !newer
            && own.votedFor() == request.candidateId()
            && request.candidateDirectory().equals(own.votedDirectory());
    boolean free = newer || again || own.votedFor() == NOBODY;
    boolean leaderless = newer || own.leaderId() == NOBODY;
    boolean granted = free && leaderless && isUpToDate(request);
    if (!newer && (again || !granted)) {
      answer(token, request, ErrorCode.NONE, granted, step);
      return;
    }
    QuorumVote promise =
        granted
            ? new QuorumVote(
                request.epoch(), NOBODY, request.candidateId(), request.candidateDirectory())
            : Roles.inEpoch(request.epoch());
    long standAt = roles.electionDeadline(step);
    if (!granted && roles.state == UNATTACHED) {
      // A candidate that cannot win must not keep one that can from standing.
      standAt = Math.min(standAt, roles.deadline);
    }
    roles.unattached(
        promise, standAt, step, then -> answer(token, request, ErrorCode.NONE, granted, then));
  }

  /** Raft §5.4.1: a leader must hold all that is committed. */
  private boolean isUpToDate(VoteRequest request) {
    LogState log = roles.promises.writer().log();
    return request.lastEpoch() > log.lastEpoch()
        || (request.lastEpoch() == log.lastEpoch() && request.endOffset() >= log.endOffset());
  }

  private void answer(
      long token, VoteRequest request, ErrorCode error, boolean granted, Step step) {
    step.add(
        new QuorumEffect.AnswerVote(
            token,
            new VoteResponse(
                error, me.self(), roles.epoch(), roles.leaderId(), granted, request.preVote())));
  }

  /**
   * Who is not the voter that was asked has no say: it may believe in the leader that has died, and
   * so keep this member from standing, who then keeps up that belief.
   */
  void voteAnswered(VoteResponse response, Step step) {
    boolean counts = response.error() != ErrorCode.INCONSISTENT_VOTER_SET;
    if (roles.state == FORMING || !counts || (!response.granted() && heard(response, step))) {
      return;
    }
    if (roles.state == PROSPECTIVE && response.preVote()) {
      if (response.granted() && response.epoch() <= roles.epoch()) {
        roles.ballot.grant(response.voter());
      }
      // Stranded above a leader that lives: it cannot follow one of an older epoch, so it has to
      // make the quorum come to a newer one.
      boolean stranded =
          !response.granted() && response.leaderId() != NOBODY && response.epoch() < roles.epoch();
      if (stranded || roles.ballot.isWon()) {
        roles.candidate(step);
      }
    } else if (roles.state == CANDIDATE
        && !response.preVote()
        && response.granted()
        && response.epoch() == roles.epoch()) {
      roles.ballot.grant(response.voter());
      if (roles.ballot.isWon()) {
        roles.lead(step);
      }
    }
  }

  private boolean heard(VoteResponse response, Step step) {
    return heard(response.epoch(), response.leaderId(), step);
  }

  /**
   * Somebody is in that epoch and knows that leader. Returns whether that is news. An epoch without
   * a leader is none to an observer: it may be that of one voter that never gets a majority for it,
   * and would keep the observer from the leader that lives.
   */
  boolean heard(int epoch, int leader, Step step) {
    boolean known = leader != NOBODY && leader != me.self();
    if (roles.state == FORMING || epoch < roles.epoch()) {
      return false;
    }
    if (epoch > roles.epoch()) {
      if (known) {
        roles.follow(epoch, leader, step);
      } else if (roles.isVoter()) {
        roles.unattached(Roles.inEpoch(epoch), roles.electionDeadline(step), step, then -> {});
      }
      return known || roles.isVoter();
    }
    boolean seeking =
        roles.state == UNATTACHED || roles.state == PROSPECTIVE || roles.state == CANDIDATE;
    if (known && seeking) {
      roles.follow(epoch, leader, step);
      return true;
    }
    return false;
  }

  void beginArrived(BeginQuorumEpoch message, Step step) {
    heard(message.epoch(), message.leaderId(), step);
  }

  /** The first successor stands at once, each further one gives those before it some time. */
  void endArrived(EndQuorumEpoch message, Step step) {
    if (roles.state == FORMING || message.epoch() < roles.epoch()) {
      return;
    }
    int turn = message.successors().indexOf(me.self());
    long standAt =
        turn < 0
            ? roles.electionDeadline(step)
            : step.now() + turn * settings.electionTimeoutNanos() / 2;
    if (message.epoch() > roles.epoch() && roles.isVoter()) {
      roles.unattached(Roles.inEpoch(message.epoch()), standAt, step, then -> {});
    } else if (roles.state == FOLLOWER && roles.following.leader() == message.leaderId()) {
      roles.following.suspect(standAt);
    }
  }

  /** Its death is likely, not certain: the pre-vote asks the others. */
  void suspected(int voter, Step step) {
    if (roles.state == FOLLOWER && roles.following.leader() == voter) {
      long spread = settings.electionTimeoutNanos() / SUSPICION_SPREAD;
      roles.following.suspect(step.now() + roles.voters.turnOf(me.self(), spread, step));
    }
  }
}
