package io.tidemark.group;

/**
 * @param maxGroups that one coordinator takes
 * @param maxMembers of one group
 * @param maxMembershipBytes what ids and topics of a group's members may take in one record
 * @param maxPendingReplies what may wait for the log at once
 * @param appendBytes how much is gathered into one batch
 * @param rewriteBytes so much is written before the state is written anew and the older log goes
 * @param retryBackoffMs before a batch is offered again that too few replicas were in sync for
 * @param offsetsRetentionMs for how long offsets are kept of a group that has no members and in
 *     which nothing is committed (KIP-211)
 */
public record GroupSettings(
    int maxGroups,
    int maxMembers,
    int maxMembershipBytes,
    int maxPendingReplies,
    int appendBytes,
    long rewriteBytes,
    int retryBackoffMs,
    long offsetsRetentionMs) {

  private static final long SEVEN_DAYS_MS = 7 * 24 * 3_600_000L;

  /** With 10,000 partitions, a group's record stays below the largest batch of a topic. */
  public static final GroupSettings DEFAULT =
      new GroupSettings(10_000, 1_000, 256 << 10, 10_000, 256 << 10, 4 << 20, 100, SEVEN_DAYS_MS);

  /** Below this a pause of a healthy member is taken for its death. */
  public static final int MIN_SESSION_TIMEOUT_MS = 1_000;

  public static final int MAX_SESSION_TIMEOUT_MS = 300_000;

  public GroupSettings withOffsetsRetention(long ms) {
    return new GroupSettings(
        maxGroups,
        maxMembers,
        maxMembershipBytes,
        maxPendingReplies,
        appendBytes,
        rewriteBytes,
        retryBackoffMs,
        ms);
  }
}
