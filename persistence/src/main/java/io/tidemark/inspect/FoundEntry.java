package io.tidemark.inspect;

import io.tidemark.record.RecordBatch;
import java.util.List;
import java.util.Map;

/**
 * One entry of a log.
 *
 * @param timestamp milliseconds since the epoch at the write
 * @param file the segment's path
 * @param position bytes from the start of the segment
 * @param serializerId of the Akka serializer that made the payload
 * @param manifest the serializer's manifest
 * @param payloadBytes the size of the payload
 * @param event what kind of log event this is, empty for any other event
 * @param fields the log event's fields in order, except batches
 * @param batches the log event's record batches
 */
public record FoundEntry(
    long sequenceNr,
    long timestamp,
    String file,
    long position,
    int serializerId,
    String manifest,
    int payloadBytes,
    String event,
    Map<String, Object> fields,
    List<RecordBatch> batches) {}
