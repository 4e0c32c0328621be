package io.tidemark.group;

import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.GroupRequest;
import io.tidemark.protocol.GroupResponse.AssignedPartition;
import io.tidemark.protocol.PartitionId;

/** What a {@link GroupMember} wants done. */
public sealed interface MemberEffect {

  /** Who leads the group's partition of the internal topic? */
  record FindCoordinator() implements MemberEffect {}

  record Send(long requestId, int broker, GroupRequest request) implements MemberEffect {}

  /** Read this partition from where the group is. */
  record Start(AssignedPartition partition) implements MemberEffect {}

  /** Read no more of it, and tell by {@code stopped} how far it was read. */
  record Revoke(PartitionId partition) implements MemberEffect {}

  /** Read no more of it: somebody else may be reading it already. */
  record Lost(PartitionId partition) implements MemberEffect {}

  record Committed(long token) implements MemberEffect {}

  record CommitFailed(long token, ErrorCode error, String reason) implements MemberEffect {}

  /** The group does not take this member. */
  record Refused(ErrorCode error, String reason) implements MemberEffect {}

  /** The member is no part of the group any more; the last effect. */
  record Left() implements MemberEffect {}
}
