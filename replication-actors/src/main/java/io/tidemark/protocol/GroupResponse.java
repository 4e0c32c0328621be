package io.tidemark.protocol;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;

/** A group coordinator's answers, given when what they tell is committed. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
@JsonSubTypes({
  @JsonSubTypes.Type(value = GroupResponse.Failed.class, name = "failed"),
  @JsonSubTypes.Type(value = GroupResponse.Assigned.class, name = "assigned"),
  @JsonSubTypes.Type(value = GroupResponse.Done.class, name = "done"),
  @JsonSubTypes.Type(value = GroupResponse.OffsetsFetched.class, name = "offsets-fetched")
})
public sealed interface GroupResponse {

  ErrorCode error();

  /** Any request that failed; {@code message} says why and what to do. */
  record Failed(ErrorCode error, String message) implements GroupResponse {}

  /**
   * To a heartbeat. With ILLEGAL_GENERATION the heartbeat was of an older generation and changed
   * nothing; the rest tells the present one.
   *
   * @param version rises with each change of the member's assignment, also over fail-over
   * @param partitions what the member may read: what it reads besides it gives up. Null when the
   *     member has this version already
   * @param settled whether nothing moves from or to the member
   */
  record Assigned(
      ErrorCode error,
      int generation,
      long version,
      List<AssignedPartition> partitions,
      boolean settled)
      implements GroupResponse {}

  /**
   * @param topic its name
   * @param offset where the group is, −1 when it has committed nothing
   * @param leaderEpoch as it was committed
   */
  record AssignedPartition(PartitionId partition, String topic, long offset, int leaderEpoch) {}

  record Done(ErrorCode error) implements GroupResponse {}

  /**
   * @param offsets of every partition that the group has committed one for
   */
  record OffsetsFetched(ErrorCode error, List<CommittedOffset> offsets) implements GroupResponse {}
}
