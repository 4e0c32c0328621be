package io.tidemark.client;

/**
 * A record on its way through {@link Producer#flow}, with something of the application's that comes
 * out with the result: what to commit, whom to answer.
 *
 * @param passThrough null for nothing
 */
public record ProducerMessage<K, V, P>(ProducerRecord<K, V> record, P passThrough) {

  /** A message whose record was written. */
  public record Result<K, V, P>(RecordMetadata metadata, ProducerMessage<K, V, P> message) {
    public P passThrough() {
      return message.passThrough();
    }
  }
}
