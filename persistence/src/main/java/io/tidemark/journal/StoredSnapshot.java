package io.tidemark.journal;

import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * One snapshot as it lies on disk.
 *
 * @param sequenceNr of the last event in it
 * @param timestamp milliseconds since the epoch when it was taken
 * @param size bytes of the file
 * @param serializerId −1 when it is damaged
 * @param manifest the serializer's manifest of the payload, empty when it is damaged
 * @param payload the serializer's bytes, null when it is damaged
 */
public record StoredSnapshot(
    Path file,
    long sequenceNr,
    long timestamp,
    long size,
    int serializerId,
    String manifest,
    ByteBuffer payload) {

  /** Whether its checksum and its name hold. */
  public boolean isReadable() {
    return payload != null;
  }
}
