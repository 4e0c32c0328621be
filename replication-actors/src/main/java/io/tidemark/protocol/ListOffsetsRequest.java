package io.tidemark.protocol;

/**
 * @param leaderEpoch the leader epoch that the asker knows, −1 when none
 */
public record ListOffsetsRequest(PartitionId partition, int leaderEpoch, Position position) {

  /** Which end of the log. */
  public enum Position {
    EARLIEST,
    /** The next offset that a reader will see: the high watermark. */
    LATEST
  }
}
