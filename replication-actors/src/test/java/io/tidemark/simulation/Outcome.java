package io.tidemark.simulation;

import io.tidemark.simulation.Simulation.FaultFilter;
import io.tidemark.simulation.Simulation.Setup;
import java.util.List;
import java.util.function.Consumer;

/**
 * How one simulation ended.
 *
 * @param violation null when all was well
 * @param plan of the faults
 * @param last what happened last
 */
record Outcome(
    long seed,
    long steps,
    long hash,
    long virtualNanos,
    Violation violation,
    List<Fault> plan,
    List<String> last) {

  static Outcome of(long seed, Options options, FaultFilter faults, Consumer<String> live) {
    return of(seed, options, faults, live, new Coverage());
  }

  static Outcome of(
      long seed, Options options, FaultFilter faults, Consumer<String> live, Coverage coverage) {
    Setup setup = new Setup(seed, options.profile(), options.mutant(), faults, live);
    Simulation simulation = new Simulation(setup, coverage);
    Violation violation = null;
    try {
      simulation.run();
    } catch (Violation found) {
      violation = found;
    }
    Trace trace = simulation.trace;
    return new Outcome(
        seed,
        trace.steps(),
        trace.hash(),
        simulation.now,
        violation,
        simulation.faults.plan(),
        violation == null ? List.of() : trace.last());
  }

  boolean isViolation() {
    return violation != null;
  }
}
