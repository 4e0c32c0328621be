package io.tidemark.client;

import java.util.Objects;

/**
 * A partition by its topic's name.
 *
 * @param partition from 0
 */
public record TopicPartition(String topic, int partition) {
  public TopicPartition {
    Objects.requireNonNull(topic, "topic");
  }

  @Override
  public String toString() {
    return topic + "-" + partition;
  }
}
