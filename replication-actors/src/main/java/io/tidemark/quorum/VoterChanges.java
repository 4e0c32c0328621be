package io.tidemark.quorum;

import io.tidemark.log.LogEvent.Voter;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.replica.FollowerProgress;
import io.tidemark.replica.LeaderCore;
import java.util.ArrayList;
import java.util.List;

/**
 * A leader's changes of the voters (KIP-853).
 *
 * <p>Invariant: of two sets of voters in a row at most one is not committed, and they differ in one
 * voter; so any majority of one meets any majority of the other.
 */
final class VoterChanges {
  private final LeaderCore core;
  private final QuorumSettings settings;
  private Voters voters;

  /** The offset of the record that made the voters. */
  private long offset;

  /** Of the request that waits for its record to be committed; −1 for none. */
  private long token = -1;

  VoterChanges(LeaderCore core, QuorumSettings settings, Voters voters, long offset) {
    this.core = core;
    this.settings = settings;
    this.voters = voters;
    this.offset = offset;
  }

  private record Refusal(ErrorCode error, String message) {
    private static final Refusal NONE = new Refusal(ErrorCode.NONE, "");
  }

  Voters voters() {
    return voters;
  }

  /** Whether the record that made the voters is committed. */
  boolean isCommitted() {
    return core.highWatermark() > offset;
  }

  /** The voters after a change that is allowed now; null when it was answered instead. */
  Voters next(long asker, VoterChange change, Step step) {
    List<Voter> next = new ArrayList<>(voters.list());
    Refusal refusal;
    if (core.highWatermark() <= core.epochStart() || !isCommitted()) {
      refusal =
          new Refusal(
              ErrorCode.REQUEST_TIMED_OUT,
              "the voters' last change, or the leader's epoch, is not committed yet; try again");
    } else if (change instanceof VoterChange.Add add) {
      if (voters.contains(add.voter().id(), add.voter().directoryId())) {
        answer(asker, Refusal.NONE, step);
        return null;
      }
      next.add(add.voter());
      refusal = checkNewcomer(add.voter(), step.now());
    } else {
      int id = ((VoterChange.Remove) change).id();
      next.removeIf(voter -> voter.id() == id);
      refusal = checkRemoval(id, next);
    }
    if (refusal != Refusal.NONE) {
      answer(asker, refusal, step);
      return null;
    }
    return new Voters(next);
  }

  /** One that has to catch up first would count against a majority without helping to make one. */
  private Refusal checkNewcomer(Voter newcomer, long now) {
    if (voters.contains(newcomer.id())) {
      return new Refusal(
          ErrorCode.DUPLICATE_VOTER,
          "member %d votes with another directory; remove that voter first"
              .formatted(newcomer.id()));
    }
    FollowerProgress progress = core.followers().get(newcomer.id());
    boolean caughtUp =
        progress != null
            && newcomer.directoryId().equals(progress.directoryId())
            && progress.endOffset() >= core.highWatermark()
            && progress.hasFetchedWithin(settings.fetchTimeoutNanos(), now);
    return caughtUp
        ? Refusal.NONE
        : new Refusal(
            ErrorCode.REQUEST_TIMED_OUT,
            "member %d has not caught up with offset %d; try again"
                .formatted(newcomer.id(), core.highWatermark()));
  }

  private Refusal checkRemoval(int id, List<Voter> next) {
    if (!voters.contains(id)) {
      return new Refusal(ErrorCode.VOTER_NOT_FOUND, "member %d does not vote".formatted(id));
    }
    return next.isEmpty()
        ? new Refusal(ErrorCode.INVALID_REQUEST, "member %d is the last voter".formatted(id))
        : Refusal.NONE;
  }

  /** The change is in the log, and counts. */
  void appended(Voters next, long at, long asker) {
    voters = next;
    offset = at;
    token = asker;
  }

  void advanced(Step step) {
    if (token >= 0 && isCommitted()) {
      answer(token, Refusal.NONE, step);
      token = -1;
    }
  }

  void end(Step step) {
    if (token >= 0) {
      answer(
          token,
          new Refusal(
              ErrorCode.NOT_CONTROLLER,
              "leadership was lost: whether the voters have changed is not known; ask again"),
          step);
    }
  }

  private static void answer(long asker, Refusal refusal, Step step) {
    step.add(new QuorumEffect.AnswerVoterChange(asker, refusal.error(), refusal.message()));
  }
}
