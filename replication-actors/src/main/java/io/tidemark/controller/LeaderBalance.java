package io.tidemark.controller;

import io.tidemark.protocol.MetadataRecord.PartitionChanged;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import java.util.Map;
import java.util.Optional;

/**
 * Gives leaderships back from time to time to the first in-sync replicas of the assignments, over
 * which a topic's creation has spread them: fail-overs and restarts pile them up on few brokers.
 */
final class LeaderBalance {
  /** Each move pauses a partition's writes for a moment. */
  static final int MAX_MOVES = 100;

  static final long NEXT_MOVES_NANOS = 1_000_000_000;

  private final long intervalNanos;
  private long nextAt;

  LeaderBalance(long intervalNanos, long now) {
    this.intervalNanos = intervalNanos;
    this.nextAt = now + intervalNanos;
  }

  void step(Changes changes, long now) {
    if (now < nextAt) {
      return;
    }
    int moves = 0;
    for (Map.Entry<PartitionId, PartitionState> entry : changes.image().partitions().entrySet()) {
      PartitionId partition = entry.getKey();
      Optional<PartitionState> moved =
          changes.electionOf(partition).preferFirst(changes.image().partition(partition));
      if (moved.isPresent() && moves < MAX_MOVES) {
        changes.add(new PartitionChanged(partition, moved.get()));
        moves++;
      }
    }
    nextAt = now + (moves == MAX_MOVES ? Math.min(NEXT_MOVES_NANOS, intervalNanos) : intervalNanos);
  }
}
