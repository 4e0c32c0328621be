package io.tidemark.client;

import java.util.Map;
import java.util.Set;

/** What a consumer reads; {@link Subscriptions} makes them. */
public sealed interface Subscription {

  /** The group deals out the partitions of these topics to its members. */
  record Topics(Set<String> topics) implements Subscription {
    public Topics {
      topics = Set.copyOf(topics);
      if (topics.isEmpty()) {
        throw new IllegalArgumentException("no topic to subscribe to; at least one is needed");
      }
    }
  }

  /** These partitions and no others, whoever else reads them. */
  record Assignment(Map<TopicPartition, Start> partitions) implements Subscription {
    public Assignment {
      partitions = Map.copyOf(partitions);
      if (partitions.isEmpty()) {
        throw new IllegalArgumentException("no partition to read; at least one is needed");
      }
    }
  }
}
