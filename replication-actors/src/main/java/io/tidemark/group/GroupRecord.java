package io.tidemark.group;

import io.tidemark.protocol.CommittedOffset;
import io.tidemark.protocol.PartitionId;
import java.util.List;

/**
 * What the internal topic of the groups holds; a coordinator's state is the fold of these. Each one
 * replaces what was said of the same thing before it.
 *
 * <p>Each carries the leader epoch for which it was made: one that lies in a batch of another epoch
 * is of a coordinator that had lost its leadership, and counts for nothing.
 */
public sealed interface GroupRecord {

  int epoch();

  /** What it takes in the log, roughly and not less; in bytes. */
  int estimatedBytes();

  /** A coordinator begins here, and has read all that is before it when this is committed. */
  record CoordinatorStarted(int epoch) implements GroupRecord {
    @Override
    public int estimatedBytes() {
      return 64;
    }
  }

  /**
   * A group's members, at one generation.
   *
   * @param members none when all have left
   */
  record GroupChanged(int epoch, String groupId, int generation, List<Member> members)
      implements GroupRecord {
    @Override
    public int estimatedBytes() {
      int bytes = 128 + groupId.length();
      for (Member member : members) {
        bytes += member.estimatedBytes();
      }
      return bytes;
    }
  }

  /**
   * @param joined versions of its assignment are above this one: who knows a lower one is of an
   *     earlier life, which the group has taken for dead
   * @param held what it may read: given to nobody else before it is given up
   */
  record Member(
      String id, long joined, List<String> topics, int sessionTimeoutMs, List<PartitionId> held) {
    int estimatedBytes() {
      return 64 + sizeOf(id, topics) + 32 * held.size();
    }

    static int sizeOf(String id, List<String> topics) {
      int bytes = id.length();
      for (String topic : topics) {
        bytes += 4 + topic.length();
      }
      return bytes;
    }
  }

  record OffsetsCommitted(int epoch, String groupId, List<CommittedOffset> offsets)
      implements GroupRecord {
    @Override
    public int estimatedBytes() {
      return 128 + groupId.length() + 48 * offsets.size();
    }
  }

  /**
   * A group has no members; said again when something is committed in it although it has none.
   *
   * @param sinceMs milliseconds since the epoch, by the clock of the coordinator of that time
   */
  record GroupIdle(int epoch, String groupId, long sinceMs) implements GroupRecord {
    @Override
    public int estimatedBytes() {
      return 128 + groupId.length();
    }
  }

  /** All that was known of a group counts no more: it was idle for too long. */
  record GroupExpired(int epoch, String groupId) implements GroupRecord {
    @Override
    public int estimatedBytes() {
      return 128 + groupId.length();
    }
  }
}
