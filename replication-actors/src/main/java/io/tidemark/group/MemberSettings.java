package io.tidemark.group;

import java.util.List;

/**
 * @param memberId new for each life of a member; empty for a consumer that chooses its partitions
 *     itself and only commits
 * @param heartbeatIntervalMs between two signs of life; five times as often while partitions move
 * @param sessionTimeoutMs silent for longer, the member is taken to be dead
 * @param drainTimeoutMs how long what was read of a partition may take to be committed before the
 *     partition goes to another member
 * @param commitTimeoutMs a commit is tried again for so long
 */
public record MemberSettings(
    String groupId,
    String memberId,
    List<String> topics,
    int heartbeatIntervalMs,
    int sessionTimeoutMs,
    int drainTimeoutMs,
    int commitTimeoutMs) {

  boolean isAlone() {
    return memberId.isEmpty();
  }
}
