package io.tidemark.client;

/**
 * An unclean leader election took records that had been read (KIP-320): from one offset on, the
 * partition has others now.
 */
public final class LogTruncated extends RuntimeException {
  private final long offset;
  private final long divergesAt;
  private final int lastEpoch;

  LogTruncated(TopicPartition partition, ReaderCore.Effect.Truncated found) {
    super(
        "%s was read up to offset %d, and has lost what it held from %d on, by an unclean leader election"
            .formatted(partition, found.offset(), found.divergesAt()));
    this.offset = found.offset();
    this.divergesAt = found.divergesAt();
    this.lastEpoch = found.lastEpoch();
  }

  /** Where reading was to go on. */
  public long offset() {
    return offset;
  }

  /** The first offset that may hold another record now. */
  public long divergesAt() {
    return divergesAt;
  }

  /** Of the record before that, −1 when there is none. */
  int lastEpoch() {
    return lastEpoch;
  }
}
