package io.tidemark.protocol;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;

/** What the members of a consumer group ask of its coordinator. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
@JsonSubTypes({
  @JsonSubTypes.Type(value = GroupRequest.Heartbeat.class, name = "heartbeat"),
  @JsonSubTypes.Type(value = GroupRequest.Leave.class, name = "leave"),
  @JsonSubTypes.Type(value = GroupRequest.CommitOffsets.class, name = "commit-offsets"),
  @JsonSubTypes.Type(value = GroupRequest.FetchOffsets.class, name = "fetch-offsets")
})
public sealed interface GroupRequest {

  String groupId();

  /**
   * A member's sign of life, by which it also joins, tells what it reads and hears what it may read
   * (after KIP-848).
   *
   * @param memberId chosen by the member, new for each of its lives
   * @param generation that the member knows, {@link #JOIN} to join
   * @param version of the assignment that the member has taken over, 0 for none
   * @param held what the member reads, what it is giving up included; all else of its assignment of
   *     that version is given up
   * @param topics that the member wants to read
   * @param sessionTimeoutMs silent for longer, the member is taken to be dead
   */
  record Heartbeat(
      String groupId,
      String memberId,
      int generation,
      long version,
      List<PartitionId> held,
      List<String> topics,
      int sessionTimeoutMs)
      implements GroupRequest {
    public static final int JOIN = 0;
  }

  /** The member reads nothing any more. */
  record Leave(String groupId, String memberId) implements GroupRequest {}

  /**
   * @param memberId empty for a consumer that chooses its partitions itself; taken while the group
   *     has no members
   * @param generation 0 for such a consumer
   * @param version of the assignment that the member has taken over: one from before a fail-over
   *     may have been overtaken, and is refused
   * @param sequence rises with each commit of a member: one that was overtaken is not taken
   */
  record CommitOffsets(
      String groupId,
      String memberId,
      int generation,
      long version,
      long sequence,
      List<CommittedOffset> offsets)
      implements GroupRequest {}

  /** Where is the group? */
  record FetchOffsets(String groupId) implements GroupRequest {}
}
