package io.tidemark.client;

/** An offset was to be read that the log does not hold, or does not hold any more. */
public final class OffsetOutOfRange extends RuntimeException {
  private final long offset;

  OffsetOutOfRange(String topic, int partition, long offset) {
    super(
        "%s-%d has no offset %d; ask for its earliest and latest, and go on from there"
            .formatted(topic, partition, offset));
    this.offset = offset;
  }

  public long offset() {
    return offset;
  }
}
