package io.tidemark.quorum;

import io.tidemark.replica.ReplicaSettings;

/**
 * How the quorum elects and replicates. A dead leader is replaced within about one and a half fetch
 * time-outs; shorter ones make a busy machine look dead, which pre-votes then have to refuse.
 *
 * @param electionTimeoutMs T: an election is waited for between T and 2T, in ms
 * @param fetchTimeoutMs a leader that answered no fetch for this long is doubted; one that saw no
 *     majority fetch for half as long again resigns, in ms
 * @param requestTimeoutMs how long beyond its wait an answer to a fetch may take, in ms
 * @param fetchMaxWaitMs how long an idle fetch waits at the leader, in ms; well below the fetch
 *     time-out
 * @param retryBackoffMs the pause after a failed fetch, in ms
 * @param helloIntervalMs how often an unanswered Hello is repeated, in ms
 * @param fetchMaxBytes the most that one fetch asks for, in bytes
 * @param snapshotIntervalBytes how many bytes of records come between two snapshots, in bytes
 */
public record QuorumSettings(
    int electionTimeoutMs,
    int fetchTimeoutMs,
    int requestTimeoutMs,
    int fetchMaxWaitMs,
    int retryBackoffMs,
    int helloIntervalMs,
    int fetchMaxBytes,
    long snapshotIntervalBytes) {

  private static final long NANOS_PER_MS = 1_000_000;
  private static final int PENDING_MAX_BYTES = 16 << 20;

  public static final QuorumSettings DEFAULT =
      new QuorumSettings(500, 1_000, 400, 250, 50, 200, 1 << 20, 4 << 20);

  long electionTimeoutNanos() {
    return electionTimeoutMs * NANOS_PER_MS;
  }

  long fetchTimeoutNanos() {
    return fetchTimeoutMs * NANOS_PER_MS;
  }

  long requestTimeoutNanos() {
    return requestTimeoutMs * NANOS_PER_MS;
  }

  long retryBackoffNanos() {
    return retryBackoffMs * NANOS_PER_MS;
  }

  long helloIntervalNanos() {
    return helloIntervalMs * NANOS_PER_MS;
  }

  /** The fetch time-out as lag time keeps an idle fetch from waiting longer than a third of it. */
  ReplicaSettings replication() {
    return new ReplicaSettings(
        fetchMaxBytes,
        fetchMaxWaitMs,
        1,
        fetchTimeoutMs,
        requestTimeoutMs,
        retryBackoffMs,
        PENDING_MAX_BYTES,
        ReplicaSettings.DEFAULT.retentionCheckMs());
  }
}
