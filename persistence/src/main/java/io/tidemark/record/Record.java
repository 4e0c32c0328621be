package io.tidemark.record;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * One record of a batch. The buffers are read-only views: they stay valid as long as the batch's
 * bytes are not overwritten.
 *
 * @param offset its place in the log
 * @param timestamp milliseconds since the epoch, as the producer gave it
 * @param key null when absent, which is not the same as empty
 * @param value null when absent (a tombstone), which is not the same as empty
 * @param headers in the order in which they were added, never null
 */
public record Record(
    long offset, long timestamp, ByteBuffer key, ByteBuffer value, List<Header> headers) {}
