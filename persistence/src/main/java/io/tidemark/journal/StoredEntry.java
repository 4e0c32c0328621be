package io.tidemark.journal;

import java.nio.ByteBuffer;

/**
 * One entry as it was read.
 *
 * @param timestamp milliseconds since the epoch at the write
 * @param manifest the serializer's manifest of the payload
 * @param eventManifest the event adapter's manifest
 * @param writerUuid which incarnation of the persistent actor wrote it
 * @param payload the serializer's bytes in a heap buffer of its own
 */
public record StoredEntry(
    long sequenceNr,
    long timestamp,
    int serializerId,
    String manifest,
    String eventManifest,
    String writerUuid,
    ByteBuffer payload) {}
