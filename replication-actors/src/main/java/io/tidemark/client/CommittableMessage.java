package io.tidemark.client;

/** A record, and what to commit when it is done. */
public record CommittableMessage<K, V>(
    ConsumerRecord<K, V> record, CommittableOffset committableOffset) {}
