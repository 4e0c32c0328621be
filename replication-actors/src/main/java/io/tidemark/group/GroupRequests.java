package io.tidemark.group;

import io.tidemark.protocol.CommittedOffset;
import io.tidemark.protocol.GroupRequest.CommitOffsets;
import io.tidemark.protocol.GroupRequest.Heartbeat;

/** Where a group's requests go, and what none may hold. */
public final class GroupRequests {
  private static final int MAX_MEMBER_ID_LENGTH = 128;
  private static final int MAX_TOPICS = 1_000;
  static final int MAX_PARTITIONS = 10_000;

  private GroupRequests() {}

  /** The partition of the internal topic that a group's coordinator leads. */
  public static int partitionOf(String groupId, int partitions) {
    return Math.floorMod(groupId.hashCode(), partitions);
  }

  /** Null when there is none. */
  static String faultOf(Heartbeat heartbeat) {
    String id = heartbeat.memberId();
    if (id == null || id.isEmpty() || id.length() > MAX_MEMBER_ID_LENGTH) {
      return "member id '%s'; allowed: 1 to %d characters".formatted(id, MAX_MEMBER_ID_LENGTH);
    }
    if (heartbeat.topics() == null
        || heartbeat.topics().isEmpty()
        || heartbeat.topics().size() > MAX_TOPICS) {
      return "member '%s' names no topics or too many; allowed: 1 to %d".formatted(id, MAX_TOPICS);
    }
    if (heartbeat.held() == null || heartbeat.held().size() > MAX_PARTITIONS) {
      return "member '%s' does not tell what it holds, or more than %d partitions"
          .formatted(id, MAX_PARTITIONS);
    }
    int timeout = heartbeat.sessionTimeoutMs();
    if (timeout < GroupSettings.MIN_SESSION_TIMEOUT_MS
        || timeout > GroupSettings.MAX_SESSION_TIMEOUT_MS) {
      return "session time-out of %d ms; allowed: %d to %d"
          .formatted(
              timeout, GroupSettings.MIN_SESSION_TIMEOUT_MS, GroupSettings.MAX_SESSION_TIMEOUT_MS);
    }
    return null;
  }

  /** Null when there is none. */
  static String faultOf(CommitOffsets commit) {
    if (commit.memberId() == null
        || commit.offsets() == null
        || commit.offsets().size() > MAX_PARTITIONS) {
      return "a commit without a member id or offsets, or with more than %d offsets"
          .formatted(MAX_PARTITIONS);
    }
    for (CommittedOffset offset : commit.offsets()) {
      if (offset.partition() == null || offset.offset() < 0) {
        return "a commit of %s; allowed: offsets from 0".formatted(offset);
      }
    }
    return null;
  }
}
