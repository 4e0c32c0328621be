package io.tidemark.client;

/**
 * Where a record was written.
 *
 * @param offset −1 with acks=0, which never tells
 */
public record RecordMetadata(String topic, int partition, long offset) {}
