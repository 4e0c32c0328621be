package io.tidemark.client;

import io.tidemark.record.Header;
import java.util.List;

/**
 * A committed record.
 *
 * @param leaderEpoch the epoch in which it was written
 * @param timestamp milliseconds since the epoch
 * @param key null for none
 * @param value null for none
 */
public record ConsumerRecord<K, V>(
    String topic,
    int partition,
    long offset,
    int leaderEpoch,
    long timestamp,
    K key,
    V value,
    List<Header> headers) {}
