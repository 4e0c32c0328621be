package io.tidemark.protocol;

import java.util.UUID;

/**
 * One partition of one creation of a topic.
 *
 * @param topicId new for each creation of a name, so that old data never meets a new topic
 * @param partition from 0
 */
public record PartitionId(UUID topicId, int partition) {

  public PartitionId {
    if (topicId == null || partition < 0) {
      throw new IllegalArgumentException(
          "no partition: topic id " + topicId + ", number " + partition);
    }
  }

  /** The controller quorum's own log. */
  public static final PartitionId METADATA = new PartitionId(new UUID(0, 1), 0);

  @Override
  public String toString() {
    return topicId + "-" + partition;
  }
}
