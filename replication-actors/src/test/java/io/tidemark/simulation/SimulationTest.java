package io.tidemark.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SimulationTest {
  @Test
  void hostile_seeds_violate_nothing() {
    Options options = options();
    for (long seed = 1; seed <= 20; seed++) {
      Outcome outcome = Outcome.of(seed, options, Simulation.FaultFilter.ALL, null);
      assertEquals(null, outcome.violation(), "seed " + seed);
    }
  }

  private static Options options() {
    return new Options(Options.Task.RUN, 1, 1, Profile.HOSTILE, Mutant.NONE, null, false);
  }
}
