package io.tidemark.replica;

/**
 * How a replica replicates.
 *
 * @param fetchMaxBytes the most that one fetch asks for, in bytes; the first batch may exceed it
 * @param fetchMaxWaitMs how long a fetch waits at the leader for data, in ms
 * @param fetchMinBytes how many bytes are worth an answer before that
 * @param lagTimeMaxMs a follower that was not caught up for longer leaves the ISR, in ms
 * @param requestTimeoutMs how long beyond its wait an answer may take before it counts as lost, in
 *     ms
 * @param retryBackoffMs the pause after a failed request, in ms
 * @param pendingMaxBytes what a leader accepts ahead of its disk, in bytes
 * @param retentionCheckMs how often a leader looks for records that need not be kept, in ms
 */
public record ReplicaSettings(
    int fetchMaxBytes,
    int fetchMaxWaitMs,
    int fetchMinBytes,
    long lagTimeMaxMs,
    long requestTimeoutMs,
    long retryBackoffMs,
    int pendingMaxBytes,
    long retentionCheckMs) {

  /** A wait for data doubles up to this while nothing comes. */
  static final int IDLE_WAIT_MAX_MS = 10_000;

  /** A follower is told of a newer high watermark at once, but not more often than this. */
  static final long HW_TELL_INTERVAL_NANOS = 5_000_000;

  static final long NANOS_PER_MS = 1_000_000;

  public static final ReplicaSettings DEFAULT =
      new ReplicaSettings(1 << 20, 500, 1, 30_000, 2_000, 50, 16 << 20, 30_000);

  /** How long an idle fetch may wait: well within the lag time, or the follower seems to lag. */
  int idleWaitMaxMs() {
    return (int) Math.max(fetchMaxWaitMs, Math.min(IDLE_WAIT_MAX_MS, lagTimeMaxMs / 3 - 1));
  }
}
