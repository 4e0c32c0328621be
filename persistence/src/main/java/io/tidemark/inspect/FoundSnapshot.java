package io.tidemark.inspect;

/**
 * One snapshot.
 *
 * @param sequenceNr of the last event in it
 * @param timestamp milliseconds since the epoch when it was taken
 * @param bytes the size of the file
 * @param serializerId of the Akka serializer that made the payload, −1 when it is damaged
 * @param manifest the serializer's manifest, empty when it is damaged
 */
public record FoundSnapshot(
    String file,
    long sequenceNr,
    long timestamp,
    long bytes,
    int serializerId,
    String manifest,
    boolean readable) {}
