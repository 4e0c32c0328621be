package io.tidemark.client;

import io.tidemark.record.Header;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A record to be written.
 *
 * @param partition −1 to have one chosen: by the key, or any when there is no key
 * @param timestamp milliseconds since the epoch; now, where a constructor does not take it
 * @param key null for none
 * @param value null for none
 */
public record ProducerRecord<K, V>(
    String topic, int partition, long timestamp, K key, V value, List<Header> headers) {

  /** As {@link #partition}: let it be chosen. */
  public static final int ANY_PARTITION = -1;

  /**
   * @throws IllegalArgumentException for a partition below −1 or a timestamp below 0
   */
  public ProducerRecord {
    Objects.requireNonNull(topic, "topic");
    headers = List.copyOf(headers);
    if (partition < ANY_PARTITION) {
      throw new IllegalArgumentException("partition = " + partition + "; allowed: from 0, or -1");
    }
    if (timestamp < 0) {
      throw new IllegalArgumentException("timestamp = " + timestamp + "; allowed: from 0");
    }
  }

  public ProducerRecord(String topic, V value) {
    this(topic, ANY_PARTITION, null, value);
  }

  public ProducerRecord(String topic, K key, V value) {
    this(topic, ANY_PARTITION, key, value);
  }

  public ProducerRecord(String topic, int partition, K key, V value) {
    this(topic, partition, System.currentTimeMillis(), key, value, List.of());
  }

  /** Behind those that it has. */
  public ProducerRecord<K, V> withHeader(String name, ByteBuffer content) {
    List<Header> more = new ArrayList<>(headers);
    more.add(new Header(name, content));
    return new ProducerRecord<>(topic, partition, timestamp, key, value, more);
  }
}
