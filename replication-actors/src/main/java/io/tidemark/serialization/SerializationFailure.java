package io.tidemark.serialization;

import java.util.Locale;

/** A key or a value that does not become bytes, or bytes that do not become one. */
public final class SerializationFailure extends RuntimeException {
  private final RecordPart part;
  private final String topic;
  private final int partition;
  private final long offset;

  SerializationFailure(RecordPart part, String topic, int partition, long offset, Exception cause) {
    super(
        "the %s of a record %s cannot be %s: %s"
            .formatted(
                part.name().toLowerCase(Locale.ROOT),
                place(topic, partition, offset),
                offset < 0 ? "serialized" : "deserialized",
                cause),
        cause);
    this.part = part;
    this.topic = topic;
    this.partition = partition;
    this.offset = offset;
  }

  private static String place(String topic, int partition, long offset) {
    String where = partition < 0 ? "topic " + topic : topic + "-" + partition;
    return offset < 0 ? "for " + where : "of " + where + " at offset " + offset;
  }

  /** Whether it was the key or the value. */
  public RecordPart part() {
    return part;
  }

  public String topic() {
    return topic;
  }

  /** −1 when none had been chosen. */
  public int partition() {
    return partition;
  }

  /** −1 for a record that was not written yet. */
  public long offset() {
    return offset;
  }
}
