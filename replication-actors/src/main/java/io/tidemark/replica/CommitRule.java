package io.tidemark.replica;

import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchRequest;
import java.util.Map;

/**
 * When a record counts as committed: the one thing in which a partition (in-sync replicas) and the
 * controller quorum (majority) differ.
 */
public interface CommitRule {
  /** No offset can be said to be committed at the moment. */
  long NONE = -1;

  /** Whether this follower may fetch here; NONE, or the error that it gets without any effect. */
  ErrorCode admit(FetchRequest request);

  /**
   * The offset below which everything is committed, as far as the followers' acknowledgements tell,
   * or {@link #NONE}. May be lower than the high watermark, which never goes back on a leader.
   *
   * @param endOffset the leader's own durable log end offset
   */
  long committed(long endOffset, Map<Integer, FollowerProgress> followers, long nowNanos);

  /** What limits how much the follower is sent, null for nothing (KIP-73). */
  default TokenBucket throttleOf(int replica) {
    return null;
  }

  /**
   * Whether the high watermark waits for a follower that is not in sync yet: then nothing else may
   * hold it up.
   *
   * @param endOffset the leader's own durable log end offset
   */
  default boolean waitsFor(int replica, FollowerProgress progress, long endOffset, long nowNanos) {
    return false;
  }

  /** A replica that is closer to the reader and may serve it, −1 for none (KIP-392). */
  default int closerReplica(FetchRequest request, Map<Integer, FollowerProgress> followers) {
    return -1;
  }

  /** How often a follower may be told of a newer high watermark without records. */
  long tellIntervalNanos();
}
