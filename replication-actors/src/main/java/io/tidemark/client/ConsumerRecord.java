package io.tidemark.client;

import io.tidemark.record.Header;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A committed record.
 *
 * @param leaderEpoch the epoch in which it was written
 * @param timestamp milliseconds since the epoch
 * @param key null for none
 * @param value null for none
 */
public record ConsumerRecord(
    String topic,
    int partition,
    long offset,
    int leaderEpoch,
    long timestamp,
    ByteBuffer key,
    ByteBuffer value,
    List<Header> headers) {}
