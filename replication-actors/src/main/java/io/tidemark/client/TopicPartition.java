package io.tidemark.client;

/**
 * A partition by its topic's name.
 *
 * @param partition from 0
 */
public record TopicPartition(String topic, int partition) {
  @Override
  public String toString() {
    return topic + "-" + partition;
  }
}
