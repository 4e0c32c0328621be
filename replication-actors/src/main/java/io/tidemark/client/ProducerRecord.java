package io.tidemark.client;

import io.tidemark.record.Header;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A record to be written.
 *
 * @param partition −1 to have one chosen: by the key, or any when there is no key
 * @param timestamp milliseconds since the epoch
 * @param key null for none
 * @param value null for none
 */
public record ProducerRecord(
    int partition, long timestamp, ByteBuffer key, ByteBuffer value, List<Header> headers) {

  public static ProducerRecord of(ByteBuffer key, ByteBuffer value) {
    return new ProducerRecord(-1, System.currentTimeMillis(), key, value, List.of());
  }

  public static ProducerRecord to(int partition, ByteBuffer value) {
    return new ProducerRecord(partition, System.currentTimeMillis(), null, value, List.of());
  }
}
