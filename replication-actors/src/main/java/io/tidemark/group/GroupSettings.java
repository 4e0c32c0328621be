package io.tidemark.group;

/**
 * @param maxGroups that one coordinator takes
 * @param maxMembers of one group
 * @param maxMembershipBytes what ids and topics of a group's members may take in one record
 * @param maxPendingReplies what may wait for the log at once
 * @param appendBytes how much is gathered into one batch
 * @param rewriteBytes so much is written before the state is written anew and the older log goes
 * @param retryBackoffMs before a batch is offered again that too few replicas were in sync for
 */
public record GroupSettings(
    int maxGroups,
    int maxMembers,
    int maxMembershipBytes,
    int maxPendingReplies,
    int appendBytes,
    long rewriteBytes,
    int retryBackoffMs) {

  /** With 10,000 partitions, a group's record stays below the largest batch of a topic. */
  public static final GroupSettings DEFAULT =
      new GroupSettings(10_000, 1_000, 256 << 10, 10_000, 256 << 10, 4 << 20, 100);

  /** Below this a pause of a healthy member is taken for its death. */
  public static final int MIN_SESSION_TIMEOUT_MS = 1_000;

  public static final int MAX_SESSION_TIMEOUT_MS = 300_000;
}
