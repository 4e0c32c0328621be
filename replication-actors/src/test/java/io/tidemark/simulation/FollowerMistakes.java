package io.tidemark.simulation;

import io.tidemark.log.LogEvent.LogTruncated;
import io.tidemark.log.LogState;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.FetchResponse.Diverging;
import io.tidemark.replica.ReplicaEffect;
import io.tidemark.replica.ReplicaEffect.Persist;
import io.tidemark.replica.ReplicaEffect.SendFetch;
import io.tidemark.replica.ReplicaInput;
import io.tidemark.replica.ReplicaInput.FetchAnswered;
import java.util.IdentityHashMap;
import java.util.Map;

/** How a follower can go wrong: in what it cuts, and in what it believes. */
final class FollowerMistakes {
  private FollowerMistakes() {}

  private static SendFetch withoutLastEpoch(SendFetch send) {
    return new SendFetch(
        send.requestId(), send.leaderId(), Requests.withoutLastEpoch(send.request()));
  }

  /** Before KIP-101: whoever begins to follow cuts its log to its high watermark. */
  static final class HighWatermarkTruncation extends Rules {
    private final Map<ReplicaShell, Integer> epochs = new IdentityHashMap<>();

    @Override
    void effect(ReplicaShell replica, ReplicaEffect effect) {
      if (!(effect instanceof SendFetch send)) {
        super.effect(replica, effect);
        return;
      }
      int epoch = send.request().leaderEpoch();
      Integer before = epochs.put(replica, epoch);
      if (before != null && before == epoch) {
        super.effect(replica, withoutLastEpoch(send));
        return;
      }
      LogState log = replica.log.state();
      long highWatermark = replica.core().highWatermark();
      replica.step(
          new FetchAnswered(
              send.requestId(),
              FetchResponse.of(highWatermark, log.startOffset(), send.leaderId(), epoch)
                  .divergingAt(log.lastEpoch(), highWatermark)));
    }
  }

  /** Between KIP-101 and KIP-279: the leader's answer is taken without a look at the own epochs. */
  static final class NaiveEpochLookup extends Rules {
    private final Map<ReplicaShell, Integer> epochs = new IdentityHashMap<>();
    private Diverging diverging;

    @Override
    void input(ReplicaShell replica, ReplicaInput input) {
      diverging = input instanceof FetchAnswered answered ? answered.response().diverging() : null;
      super.input(replica, input);
      diverging = null;
    }

    @Override
    void effect(ReplicaShell replica, ReplicaEffect effect) {
      if (effect instanceof Persist persist
          && persist.event() instanceof LogTruncated
          && diverging != null) {
        LogState log = replica.log.state();
        long end = Math.max(log.startOffset(), Math.min(diverging.endOffset(), log.endOffset()));
        super.effect(replica, new Persist(new LogTruncated(end)));
      } else if (effect instanceof SendFetch send) {
        int epoch = send.request().leaderEpoch();
        Integer before = epochs.put(replica, epoch);
        boolean first = before == null || before != epoch;
        super.effect(replica, first ? send : withoutLastEpoch(send));
      } else {
        super.effect(replica, effect);
      }
    }
  }

  /** Any answer counts as the one to the request under way. */
  static final class AcceptLateFetchResponse extends Rules {
    private final Map<ReplicaShell, Long> latest = new IdentityHashMap<>();

    @Override
    void effect(ReplicaShell replica, ReplicaEffect effect) {
      if (effect instanceof SendFetch send) {
        latest.put(replica, send.requestId());
      }
      super.effect(replica, effect);
    }

    @Override
    void input(ReplicaShell replica, ReplicaInput input) {
      Long id = latest.get(replica);
      super.input(
          replica,
          input instanceof FetchAnswered answered && id != null
              ? new FetchAnswered(id, answered.response())
              : input);
    }
  }

  /** The high watermark of an answer counts even if it says that the log has to be cut. */
  static final class HighWatermarkFromDivergingResponse extends Rules {
    private final Map<ReplicaShell, Long> latest = new IdentityHashMap<>();
    private boolean holdFetch;

    @Override
    void effect(ReplicaShell replica, ReplicaEffect effect) {
      if (effect instanceof SendFetch send) {
        latest.put(replica, send.requestId());
        if (holdFetch) {
          return;
        }
      }
      super.effect(replica, effect);
    }

    @Override
    void input(ReplicaShell replica, ReplicaInput input) {
      if (input instanceof FetchAnswered answered
          && answered.response().error() == ErrorCode.NONE
          && answered.response().diverging() != null
          && latest.getOrDefault(replica, -1L) == answered.requestId()) {
        FetchResponse response = answered.response();
        FetchResponse.CurrentLeader leader = response.currentLeader();
        holdFetch = true;
        replica.step(
            new FetchAnswered(
                answered.requestId(),
                FetchResponse.of(
                    response.highWatermark(),
                    response.logStartOffset(),
                    leader.leaderId(),
                    leader.leaderEpoch())));
        holdFetch = false;
        replica.step(new FetchAnswered(latest.get(replica), response));
        return;
      }
      super.input(replica, input);
    }
  }
}
