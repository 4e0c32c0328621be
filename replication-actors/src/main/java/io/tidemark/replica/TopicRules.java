package io.tidemark.replica;

/**
 * A topic's settings, as far as its replicas need them.
 *
 * @param minInsyncReplicas from how many in-sync replicas on a write commits
 * @param maxBatchBytes the largest batch that may be produced
 * @param retentionBytes how much of a partition is kept at least, {@link #UNLIMITED} for all
 * @param retentionMs for how long a record is kept at least, {@link #UNLIMITED} for ever
 */
public record TopicRules(
    int minInsyncReplicas, int maxBatchBytes, long retentionBytes, long retentionMs) {
  public static final long UNLIMITED = -1;

  /** Rules that keep everything. */
  public static TopicRules keepingAll(int minInsyncReplicas, int maxBatchBytes) {
    return new TopicRules(minInsyncReplicas, maxBatchBytes, UNLIMITED, UNLIMITED);
  }
}
