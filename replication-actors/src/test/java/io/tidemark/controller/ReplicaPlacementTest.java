package io.tidemark.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ReplicaPlacementTest {

  @Test
  void leadersAndReplicasSpreadEvenlyOverBrokers() {
    List<List<Integer>> placed = new ReplicaPlacement(racks("a", "a", "a")).place(6, 2, 1, 0);
    assertEquals(Map.of(0, 2L, 1, 2L, 2, 2L), count(placed.stream().map(r -> r.get(0)).toList()));
    assertEquals(
        Map.of(0, 4L, 1, 4L, 2, 4L), count(placed.stream().flatMap(List::stream).toList()));
  }

  @Test
  void noRackHoldsTwoReplicasWhileAnotherHoldsNone() {
    List<Broker> brokers = racks("a", "a", "b", "b", "c", "c");
    for (int shift = 0; shift < 7; shift++) {
      for (List<Integer> replicas : new ReplicaPlacement(brokers).place(12, 3, shift, shift)) {
        assertEquals(
            3, new HashSet<>(replicas.stream().map(id -> brokers.get(id).rack()).toList()).size());
      }
    }
  }

  @Test
  void moreReplicasThanRacksAreSharedOutEvenly() {
    List<Broker> brokers = racks("a", "a", "a", "b", "b", "b");
    for (List<Integer> replicas : new ReplicaPlacement(brokers).place(12, 4, 3, 5)) {
      assertEquals(
          Map.of("a", 2L, "b", 2L),
          count(replicas.stream().map(id -> brokers.get(id).rack()).toList()));
    }
  }

  @Test
  void theFollowersOfOneBrokersLeadersDiffer() {
    List<List<Integer>> placed = new ReplicaPlacement(racks("", "", "", "")).place(12, 2, 0, 0);
    assertEquals(
        3, placed.stream().filter(r -> r.get(0) == 0).map(r -> r.get(1)).distinct().count());
  }

  @Test
  void fencedBrokersAreNotUsedWhenEnoughOthersExist() {
    List<Broker> brokers = racks("a", "b", "c", "d");
    brokers.set(2, brokers.get(2).withFenced(true));
    new ReplicaPlacement(brokers).place(8, 3, 0, 0).forEach(r -> assertFalse(r.contains(2)));
  }

  @Test
  void fencedBrokersComeLastWhenTheyAreNeeded() {
    List<Broker> brokers = racks("a", "b", "c");
    brokers.set(0, brokers.get(0).withFenced(true));
    for (List<Integer> replicas : new ReplicaPlacement(brokers).place(6, 3, 0, 0)) {
      assertEquals(0, replicas.get(2));
    }
  }

  @Test
  void theSameArgumentsPlaceTheSame() {
    List<Broker> brokers = racks("a", "b", "a", "b");
    assertEquals(
        new ReplicaPlacement(brokers).place(9, 3, -7, Integer.MAX_VALUE),
        new ReplicaPlacement(brokers).place(9, 3, -7, Integer.MAX_VALUE));
  }

  @Test
  void tooFewBrokersAreRefused() {
    ReplicaPlacement placement = new ReplicaPlacement(racks("a", "b"));
    assertTrue(
        assertThrows(IllegalArgumentException.class, () -> placement.place(1, 3, 0, 0))
            .getMessage()
            .contains("3 replicas, but 2 brokers"));
  }

  private static List<Broker> racks(String... racks) {
    List<Broker> brokers = new ArrayList<>();
    for (String rack : racks) {
      int id = brokers.size();
      brokers.add(
          new Broker(
              id, id, new UUID(id, 1), new UUID(id, 0), "h:1", 0, rack, 1 << 20, false, false));
    }
    return brokers;
  }

  private static <T> Map<T, Long> count(List<T> values) {
    return values.stream()
        .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
  }
}
