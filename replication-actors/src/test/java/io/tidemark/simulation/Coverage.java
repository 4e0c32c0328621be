package io.tidemark.simulation;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** How often each thing happened that a run of many seeds should show at least once. */
final class Coverage {
  private static final class Counter {
    private long value;
  }

  private final Map<String, Counter> counters = new HashMap<>(256);

  void expect(Iterable<String> names) {
    names.forEach(name -> counters.computeIfAbsent(name, key -> new Counter()));
  }

  void count(String name) {
    counters.computeIfAbsent(name, key -> new Counter()).value++;
  }

  /** In the order of names. */
  Map<String, Long> counts() {
    Map<String, Long> counts = new TreeMap<>();
    counters.forEach((name, counter) -> counts.put(name, counter.value));
    return counts;
  }
}
