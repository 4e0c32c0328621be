package io.tidemark.client;

import io.tidemark.protocol.ErrorCode;

/**
 * Too much waits for its acknowledgement already; the record was not sent. Send slower, or through
 * {@link Producer#flow}, which waits.
 */
public final class BufferExhausted extends ProducerFailure {
  BufferExhausted(String topic, int partition, long limit) {
    super(
        ErrorCode.REQUEST_TIMED_OUT,
        topic,
        partition,
        false,
        ("tidemark.producer.buffer-memory, %d bytes, is full of records that wait for their"
                + " acknowledgement: send slower")
            .formatted(limit));
  }
}
