package io.tidemark.group;

import io.tidemark.protocol.PartitionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Deals out partitions to the members that want their topics: evenly, and moving as few as that
 * takes (KIP-54, KIP-429). The same for the same input, whatever the order of its maps.
 */
final class PartitionAssignor {
  private record Eligible(PartitionId partition, List<String> members) {}

  private final Map<String, Integer> load = new HashMap<>();
  private final Map<PartitionId, String> owners = new HashMap<>();
  private final List<Eligible> partitions = new ArrayList<>();

  /**
   * @param subscriptions wanted topics by member id
   * @param topics those that exist
   * @param held who has what now
   */
  private PartitionAssignor(
      Map<String, List<String>> subscriptions,
      Map<String, TopicPartitions> topics,
      Map<PartitionId, String> held) {
    Map<String, List<String>> subscribers = new TreeMap<>();
    new TreeMap<>(subscriptions)
        .forEach(
            (member, wanted) -> {
              load.put(member, 0);
              for (String topic : new HashSet<>(wanted)) {
                subscribers.computeIfAbsent(topic, key -> new ArrayList<>()).add(member);
              }
            });
    subscribers.forEach(
        (name, members) -> {
          TopicPartitions topic = topics.get(name);
          for (int i = 0; topic != null && i < topic.count(); i++) {
            partitions.add(new Eligible(new PartitionId(topic.id(), i), members));
          }
        });
    for (Eligible each : partitions) {
      String holder = held.get(each.partition());
      if (holder != null && each.members().contains(holder)) {
        give(each.partition(), holder);
      }
    }
  }

  static Map<String, Set<PartitionId>> assign(
      Map<String, List<String>> subscriptions,
      Map<String, TopicPartitions> topics,
      Map<PartitionId, String> held) {
    return new PartitionAssignor(subscriptions, topics, held).result();
  }

  private Map<String, Set<PartitionId>> result() {
    for (Eligible each : partitions) {
      if (!owners.containsKey(each.partition())) {
        give(each.partition(), leastLoaded(each));
      }
    }
    while (evenOut()) {}
    Map<String, Set<PartitionId>> assignment = new HashMap<>();
    load.keySet().forEach(member -> assignment.put(member, new HashSet<>()));
    owners.forEach((partition, member) -> assignment.get(member).add(partition));
    return assignment;
  }

  /** Ends: each move makes the sum of the squares of all loads smaller. */
  private boolean evenOut() {
    boolean moved = false;
    for (Eligible each : partitions) {
      String owner = owners.get(each.partition());
      String least = leastLoaded(each);
      if (load.get(owner) > load.get(least) + 1) {
        load.merge(owner, -1, Integer::sum);
        give(each.partition(), least);
        moved = true;
      }
    }
    return moved;
  }

  private void give(PartitionId partition, String member) {
    owners.put(partition, member);
    load.merge(member, 1, Integer::sum);
  }

  private String leastLoaded(Eligible partition) {
    String least = null;
    for (String member : partition.members()) {
      if (least == null || load.get(member) < load.get(least)) {
        least = member;
      }
    }
    return least;
  }
}
