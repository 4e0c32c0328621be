package io.tidemark.controller;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which brokers hold a new topic's partitions, after Kafka's rack-aware assignment (KIP-36):
 * brokers stand in a ring that alternates the racks, leaders go round it, and a partition's other
 * replicas follow at a distance that grows each time round, so that the followers of one broker's
 * leaders spread, too.
 *
 * <p>Brokers that cannot lead now are used only as far as there are too few others, and come last
 * in their partition's order.
 */
public final class ReplicaPlacement {
  private final List<Broker> eligible;
  private final List<Broker> others;

  public ReplicaPlacement(Collection<Broker> brokers) {
    eligible = ring(brokers.stream().filter(Broker::eligible).toList());
    others = ring(brokers.stream().filter(broker -> !broker.eligible()).toList());
  }

  /**
   * @param start where in the ring the first leader stands, any number
   * @param shift the first distance between a leader and its followers, any number
   * @return for each partition its replicas, the preferred leader first
   * @throws IllegalArgumentException when there are fewer brokers than replicas
   */
  public List<List<Integer>> place(int partitions, int replicationFactor, int start, int shift) {
    if (replicationFactor > eligible.size() + others.size()) {
      throw new IllegalArgumentException(
          "%d replicas, but %d brokers"
              .formatted(replicationFactor, eligible.size() + others.size()));
    }
    List<List<Integer>> placed = new ArrayList<>(partitions);
    for (int partition = 0; partition < partitions; partition++) {
      List<Broker> chosen = new ArrayList<>(replicationFactor);
      choose(eligible, replicationFactor, partition, start, shift, chosen);
      choose(others, replicationFactor, partition, start, shift, chosen);
      placed.add(chosen.stream().map(Broker::id).toList());
    }
    return placed;
  }

  private static void choose(
      List<Broker> ring, int wanted, int partition, int start, int shift, List<Broker> chosen) {
    List<Broker> candidates = inTurn(ring, partition, start, shift);
    while (chosen.size() < wanted && !candidates.isEmpty()) {
      Map<String, Long> used = new HashMap<>();
      chosen.forEach(broker -> used.merge(broker.rack(), 1L, Long::sum));
      Broker next =
          candidates.stream()
              .min(Comparator.comparingLong(broker -> used.getOrDefault(broker.rack(), 0L)))
              .orElseThrow();
      candidates.remove(next);
      chosen.add(next);
    }
  }

  /** The ring as a partition walks it: its leader, then the others from the shifted place on. */
  private static List<Broker> inTurn(List<Broker> ring, int partition, int start, int shift) {
    int size = ring.size();
    List<Broker> turn = new ArrayList<>(size);
    if (size == 0) {
      return turn;
    }
    int first = Math.floorMod((long) start + partition, size);
    turn.add(ring.get(first));
    int followers = size - 1;
    for (int i = 0; i < followers; i++) {
      long distance = Math.floorMod((long) shift + partition / size + i, followers);
      turn.add(ring.get((int) ((first + 1 + distance) % size)));
    }
    return turn;
  }

  private static List<Broker> ring(List<Broker> brokers) {
    Map<String, List<Broker>> racks = new TreeMap<>();
    brokers.stream()
        .sorted(Comparator.comparingInt(Broker::id))
        .forEach(b -> racks.computeIfAbsent(b.rack(), rack -> new ArrayList<>()).add(b));
    List<Broker> ring = new ArrayList<>(brokers.size());
    for (int place = 0; ring.size() < brokers.size(); place++) {
      for (List<Broker> rack : racks.values()) {
        if (place < rack.size()) {
          ring.add(rack.get(place));
        }
      }
    }
    return ring;
  }
}
