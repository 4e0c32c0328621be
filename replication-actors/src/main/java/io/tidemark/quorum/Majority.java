package io.tidemark.quorum;

import io.tidemark.log.LogEvent.Voter;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.PartitionId;
import io.tidemark.replica.CommitRule;
import io.tidemark.replica.FollowerProgress;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Committed is what a majority of the voters has flushed, the leader's own disk being one of them.
 *
 * <p>Invariant: nothing counts before a record of the leader's own epoch is among it, because a
 * majority that holds an older epoch's record may still be overruled (Raft §5.4.2, figure 8).
 */
public final class Majority implements CommitRule {
  private final int self;
  private final Supplier<Voters> voters;
  private final long epochStart;

  Majority(int self, Supplier<Voters> voters, long epochStart) {
    this.self = self;
    this.voters = voters;
    this.epochStart = epochStart;
  }

  /** Anyone may follow the log; only voters count. */
  @Override
  public ErrorCode admit(FetchRequest request) {
    return request.partition().equals(PartitionId.METADATA)
        ? ErrorCode.NONE
        : ErrorCode.UNKNOWN_TOPIC_ID;
  }

  @Override
  public long committed(long endOffset, Map<Integer, FollowerProgress> followers, long nowNanos) {
    long[] ends =
        voters.get().list().stream()
            .mapToLong(voter -> flushed(voter, endOffset, followers))
            .sorted()
            .toArray();
    long committed = ends.length == 0 ? NONE : ends[ends.length - voters.get().majority()];
    return committed > epochStart ? committed : NONE;
  }

  private long flushed(Voter voter, long endOffset, Map<Integer, FollowerProgress> followers) {
    if (voter.id() == self) {
      return endOffset;
    }
    FollowerProgress progress = followers.get(voter.id());
    return progress != null && voter.directoryId().equals(progress.directoryId())
        ? progress.endOffset()
        : FollowerProgress.UNKNOWN;
  }

  /** All of it at once: a controller's answers wait for it. */
  @Override
  public long tellIntervalNanos() {
    return 0;
  }
}
