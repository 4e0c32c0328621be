package io.tidemark.simulation;

import io.tidemark.log.LogEvent.LogRestarted;
import io.tidemark.log.LogEvent.LogTruncated;
import io.tidemark.protocol.ControllerResponse;
import io.tidemark.protocol.DeleteRecordsResponse;
import io.tidemark.protocol.EpochEndResponse;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.ListOffsetsResponse;
import io.tidemark.protocol.ProduceResponse;
import io.tidemark.protocol.QuorumMessage.VoteResponse;
import io.tidemark.quorum.QuorumEffect;
import io.tidemark.replica.ReplicaEffect;
import io.tidemark.replica.ReplicaEffect.Persist;
import io.tidemark.replica.ReplicaEffect.SendFetch;
import io.tidemark.replica.ReplicaInput;
import io.tidemark.replica.ReplicaInput.EpochEndAnswered;

/** Counts which branches of the protocol were taken, by what the cores say and want. */
final class Covering {
  private static final ErrorCode[] ERRORS = ErrorCode.values();
  private static final String[] FETCH = names("fetch-");
  private static final String[] EPOCH_END = names("epoch-end-");
  private static final String[] PRODUCE = names("produce-");
  private static final String[] LIST = names("list-offsets-");
  private static final String[] DELETE = names("delete-records-");
  private static final String[] CONTROLLER = names("controller-");
  private static final String[] VOTE = names("vote-");

  private final Coverage coverage;

  Covering(Simulation sim) {
    coverage = sim.coverage;
  }

  private static String[] names(String prefix) {
    String[] names = new String[ERRORS.length];
    for (ErrorCode error : ERRORS) {
      names[error.ordinal()] = prefix + error;
    }
    return names;
  }

  void replica(ReplicaShell replica, ReplicaInput input, ReplicaEffect effect) {
    if (effect instanceof Persist persist) {
      if (persist.event() instanceof LogTruncated cut) {
        coverage.count(truncation(replica, input, cut));
      } else if (persist.event() instanceof LogRestarted) {
        coverage.count("truncation-restart");
      }
    } else if (effect instanceof SendFetch fetch) {
      if (fetch.request().ackOffset() < fetch.request().fetchOffset()) {
        coverage.count("fetch-ahead-of-disk");
      }
      if (fetch.request().maxBytes() == 0) {
        coverage.count("fetch-of-leader-end-only");
      }
    }
  }

  private static String truncation(ReplicaShell replica, ReplicaInput input, LogTruncated cut) {
    if (cut.endOffset() == replica.log.state().endOffset()) {
      return "truncation-of-epochs-only";
    }
    return input instanceof EpochEndAnswered
        ? "truncation-to-leader-end"
        : "truncation-at-divergence";
  }

  void quorum(QuorumEffect effect) {
    if (effect instanceof QuorumEffect.SendVote vote) {
      coverage.count(vote.request().preVote() ? "quorum-pre-vote" : "quorum-vote");
    } else if (effect instanceof QuorumEffect.Led) {
      coverage.count("quorum-led");
    } else if (effect instanceof QuorumEffect.LostLeadership) {
      coverage.count("quorum-leadership-lost");
    } else if (effect instanceof QuorumEffect.SendEnd) {
      coverage.count("quorum-resigned");
    } else if (effect instanceof QuorumEffect.Replicate replicate
        && replicate.effect() instanceof Persist persist
        && persist.event() instanceof LogTruncated) {
      coverage.count("quorum-truncation");
    }
  }

  void answer(Object response) {
    if (response instanceof FetchResponse fetch) {
      coverage.count(
          fetch.diverging() == null ? FETCH[fetch.error().ordinal()] : "fetch-diverging");
    } else if (response instanceof ProduceResponse produce) {
      coverage.count(PRODUCE[produce.error().ordinal()]);
    } else if (response instanceof EpochEndResponse end) {
      coverage.count(EPOCH_END[end.error().ordinal()]);
    } else if (response instanceof ListOffsetsResponse list) {
      coverage.count(LIST[list.error().ordinal()]);
    } else if (response instanceof DeleteRecordsResponse deletion) {
      coverage.count(DELETE[deletion.error().ordinal()]);
    } else if (response instanceof VoteResponse vote) {
      coverage.count(
          vote.error() == ErrorCode.NONE
              ? (vote.preVote() ? "pre-vote-" : "vote-") + (vote.granted() ? "granted" : "refused")
              : VOTE[vote.error().ordinal()]);
    } else if (response instanceof ControllerResponse controller) {
      coverage.count(CONTROLLER[controller.error().ordinal()]);
    }
  }
}
