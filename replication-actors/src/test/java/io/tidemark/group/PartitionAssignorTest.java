package io.tidemark.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.protocol.PartitionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class PartitionAssignorTest {
  private static final UUID ORDERS = new UUID(1, 1);
  private static final UUID BILLS = new UUID(2, 2);

  private static Map<PartitionId, String> owners(Map<String, Set<PartitionId>> assignment) {
    Map<PartitionId, String> owners = new HashMap<>();
    assignment.forEach(
        (member, partitions) ->
            partitions.forEach(
                partition -> assertEquals(null, owners.put(partition, member), "given twice")));
    return owners;
  }

  @Test
  void only_as_many_partitions_move_as_a_newcomer_gets() {
    Map<String, TopicPartitions> topics = Map.of("orders", new TopicPartitions(ORDERS, 9));
    Map<String, List<String>> two = Map.of("a", List.of("orders"), "b", List.of("orders"));
    Map<PartitionId, String> before = owners(PartitionAssignor.assign(two, topics, Map.of()));
    Map<String, List<String>> three = new HashMap<>(two);
    three.put("c", List.of("orders"));

    Map<String, Set<PartitionId>> after = PartitionAssignor.assign(three, topics, before);

    after.forEach((member, partitions) -> assertEquals(3, partitions.size(), member));
    long moved =
        owners(after).entrySet().stream()
            .filter(it -> !it.getValue().equals(before.get(it.getKey())))
            .count();
    assertEquals(3, moved);
  }

  @Test
  void whatever_is_wanted_is_given_once_and_evenly_and_stays_where_it_is() {
    for (long seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      Map<String, TopicPartitions> topics = new HashMap<>();
      topics.put("orders", new TopicPartitions(ORDERS, random.nextInt(12)));
      topics.put("bills", new TopicPartitions(BILLS, random.nextInt(12)));
      Map<String, List<String>> members = new HashMap<>();
      for (int i = 0; i <= random.nextInt(6); i++) {
        List<String> wanted = new ArrayList<>(List.of("orders", "bills", "none"));
        wanted.remove(random.nextInt(3));
        members.put("m" + i, wanted);
      }

      Map<String, Set<PartitionId>> assignment =
          PartitionAssignor.assign(members, topics, Map.of());

      Map<PartitionId, String> owners = owners(assignment);
      String what = "seed " + seed + ": " + assignment;
      int wanted = 0;
      for (Map.Entry<String, TopicPartitions> topic : topics.entrySet()) {
        List<String> takers =
            members.keySet().stream()
                .filter(it -> members.get(it).contains(topic.getKey()))
                .toList();
        wanted += takers.isEmpty() ? 0 : topic.getValue().count();
        for (int i = 0; i < topic.getValue().count() && !takers.isEmpty(); i++) {
          String owner = owners.get(new PartitionId(topic.getValue().id(), i));
          int least = takers.stream().mapToInt(it -> assignment.get(it).size()).min().orElseThrow();
          assertTrue(takers.contains(owner), what);
          assertTrue(assignment.get(owner).size() <= least + 1, what);
        }
      }
      assertEquals(wanted, owners.size(), what);
      assertEquals(assignment, PartitionAssignor.assign(members, topics, owners), what);
    }
  }
}
