package io.tidemark.client;

import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The ways to say what a consumer reads. */
public final class Subscriptions {
  private Subscriptions() {}

  /** Shared with the other members of the group; each goes on where the group is. */
  public static Subscription topics(String... topics) {
    return topics(Set.of(topics));
  }

  public static Subscription topics(Set<String> topics) {
    return new Subscription.Topics(topics);
  }

  public static Subscription assignmentWithOffset(TopicPartition partition, long offset) {
    return assignmentWithOffset(Map.of(partition, offset));
  }

  /**
   * @param offsets of the first record of each partition
   */
  public static Subscription assignmentWithOffset(Map<TopicPartition, Long> offsets) {
    return assignment(offsets, offset -> new Start.At(offset, -1));
  }

  /**
   * @param times from which on records are wanted
   */
  public static Subscription assignmentOffsetsForTimes(Map<TopicPartition, Instant> times) {
    return assignment(times, Start.Since::new);
  }

  public static Subscription assignmentFromEarliest(TopicPartition... partitions) {
    return assignment(partitions, new Start.Earliest());
  }

  public static Subscription assignmentFromLatest(TopicPartition... partitions) {
    return assignment(partitions, new Start.Latest());
  }

  private static Subscription assignment(TopicPartition[] partitions, Start start) {
    return new Subscription.Assignment(
        Arrays.stream(partitions).collect(Collectors.toMap(it -> it, it -> start)));
  }

  private static <T> Subscription assignment(
      Map<TopicPartition, T> partitions, Function<T, Start> start) {
    return new Subscription.Assignment(
        partitions.entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, it -> start.apply(it.getValue()))));
  }
}
