package io.tidemark.protocol;

/**
 * Which offset is at a place of the log (KIP-79)?
 *
 * @param leaderEpoch the leader epoch that the asker knows, −1 when none
 * @param timestamp ms since the epoch, for {@link Position#AT_TIME} only
 */
public record ListOffsetsRequest(
    PartitionId partition, int leaderEpoch, Position position, long timestamp) {

  /** Where in the log. */
  public enum Position {
    EARLIEST,
    /** The next offset that a reader will see: the high watermark. */
    LATEST,
    /** The first record that is at least as new as the timestamp. */
    AT_TIME
  }
}
