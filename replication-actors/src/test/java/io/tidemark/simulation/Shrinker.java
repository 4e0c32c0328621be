package io.tidemark.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Leaves out faults as long as the same invariant is still violated (delta debugging). */
final class Shrinker {
  private static final int MAX_RUNS = 300;

  /**
   * @param faults the indices of those that are left
   * @param outcome of the run with only those
   */
  record Shrunk(List<Integer> faults, Outcome outcome, int runs) {}

  private final Options options;
  private final long seed;
  private int runs;

  Shrinker(Options options, long seed) {
    this.options = options;
    this.seed = seed;
  }

  /** Null when there is nothing to shrink: the seed violates nothing. */
  Shrunk shrink() {
    Outcome outcome = Outcome.of(seed, options, Simulation.FaultFilter.ALL, null);
    if (!outcome.isViolation()) {
      return null;
    }
    String invariant = outcome.violation().invariant();
    List<Integer> left = new ArrayList<>();
    for (Fault fault : outcome.plan()) {
      if (fault.step() <= outcome.steps()) {
        left.add(fault.index());
      }
    }
    int size = left.size();
    while (size >= 1 && runs < MAX_RUNS) {
      boolean smaller = false;
      for (int from = 0; from < left.size() && runs < MAX_RUNS; ) {
        List<Integer> fewer = new ArrayList<>(left);
        fewer.subList(from, Math.min(from + size, left.size())).clear();
        Outcome without = run(fewer);
        if (without.isViolation() && without.violation().invariant().equals(invariant)) {
          left = fewer;
          outcome = without;
          smaller = true;
        } else {
          from += size;
        }
      }
      size = smaller && size == 1 ? 1 : size / 2;
    }
    return new Shrunk(left, outcome, runs);
  }

  private Outcome run(List<Integer> faults) {
    runs++;
    return Outcome.of(seed, options, new TreeSet<>(faults)::contains, null);
  }
}
