package io.tidemark.replica;

import io.tidemark.protocol.PartitionId;

/**
 * Sees into a replica's core, and builds one with a mistake, for a shell outside of this package.
 */
public final class SimReplica {
  private SimReplica() {}

  /** Whether this leader counts the replica as one that the controller may believe in sync. */
  public static boolean isInMaximalIsr(ReplicaCore leader, int replica) {
    return leader.leading().inSyncReplicas().isInMaximalIsr(replica);
  }

  public static boolean isIsrPending(ReplicaCore leader) {
    return leader.leading().inSyncReplicas().isPending();
  }

  /** The partition epoch by which this leader goes. */
  public static int partitionEpoch(ReplicaCore leader) {
    return leader.leading().inSyncReplicas().view().state().partitionEpoch();
  }

  /** Takes followers in that lack what an older leader may have committed. */
  public static ReplicaCore expandingWithoutEpochStart(
      int self, PartitionId partition, ReplicaSettings settings, Throttle throttle) {
    return new ReplicaCore(self, partition, settings, throttle) {
      @Override
      InSyncReplicas inSyncReplicas(PartitionView led, long firstRequestId) {
        return new InSyncReplicas(self, led, settings, throttle.toFollowers(), firstRequestId) {
          @Override
          long joinsFrom(LeaderCore leader) {
            return 0;
          }
        };
      }
    };
  }

  /** Commits without the follower that it has just proposed. */
  public static ReplicaCore committingWithoutProposed(
      int self, PartitionId partition, ReplicaSettings settings, Throttle throttle) {
    return new ReplicaCore(self, partition, settings, throttle) {
      @Override
      InSyncReplicas inSyncReplicas(PartitionView led, long firstRequestId) {
        return new InSyncReplicas(self, led, settings, throttle.toFollowers(), firstRequestId) {
          @Override
          boolean isInMaximalIsr(int replica) {
            return contains(replica);
          }
        };
      }
    };
  }
}
