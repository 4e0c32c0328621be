package io.tidemark.simulation;

import io.tidemark.simulation.Options.UsageException;
import io.tidemark.simulation.Simulation.FaultFilter;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** {@code bin/tidemark simulate}: ends with 0, with 1 on a violation, with 2 on wrong arguments. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    System.exit(run(List.of(args), System.out, System.err));
  }

  static int run(List<String> args, PrintStream out, PrintStream err) {
    if (args.contains("--help") || args.contains("-h")) {
      out.println(Options.help());
      return 0;
    }
    if (!args.isEmpty() && args.get(0).equals("groups")) {
      return GroupRuns.run(args.subList(1, args.size()), out, err);
    }
    Options options;
    try {
      options = Options.parse(args);
    } catch (UsageException e) {
      err.println("tidemark simulate: " + e.getMessage());
      return 2;
    }
    return switch (options.task()) {
      case RUN -> seeds(options, out, err);
      case REPLAY -> replay(options, out);
      case SHRINK -> shrink(options, out);
    };
  }

  /** Up to the first violation. */
  private static int seeds(Options options, PrintStream out, PrintStream err) {
    Coverage coverage = new Coverage();
    coverage.expect(Expected.of(options.profile()));
    long start = System.nanoTime();
    long seeds = 0;
    long steps = 0;
    long hash = 0;
    Outcome outcome = null;
    for (long seed = options.first(); ; seed++) {
      outcome = Outcome.of(seed, options, FaultFilter.ALL, null, coverage);
      seeds++;
      steps += outcome.steps();
      hash = Chance.mix(hash * 31 + outcome.hash());
      if (outcome.isViolation() || seed == options.last()) {
        break;
      }
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    boolean violated = outcome.isViolation();
    Report.Totals totals = new Report.Totals(seeds, steps, violated ? 1 : 0, hash, seconds);
    if (violated) {
      new Report(options, options.json() ? err : out).violation(outcome, null);
    }
    Report report = new Report(options, out);
    if (options.json()) {
      report.json(totals, coverage, violated ? outcome : null);
    } else {
      report.text(totals, coverage);
    }
    return violated ? 1 : 0;
  }

  private static int replay(Options options, PrintStream out) {
    FaultFilter filter = options.faults() == null ? FaultFilter.ALL : options.faults()::contains;
    Outcome outcome = Outcome.of(options.first(), options, filter, out::println);
    if (outcome.isViolation()) {
      List<Integer> faults = options.faults() == null ? null : new ArrayList<>(options.faults());
      new Report(options, out).violation(outcome, faults);
    }
    out.printf(
        "seed %s, %d steps, %d violations, hash %016x%n",
        Long.toUnsignedString(outcome.seed()),
        outcome.steps(),
        outcome.isViolation() ? 1 : 0,
        outcome.hash());
    return outcome.isViolation() ? 1 : 0;
  }

  private static int shrink(Options options, PrintStream out) {
    Shrinker.Shrunk shrunk = new Shrinker(options, options.first()).shrink();
    if (shrunk == null) {
      out.println("seed " + Long.toUnsignedString(options.first()) + " violates nothing");
      return 0;
    }
    new Report(options, out).violation(shrunk.outcome(), shrunk.faults());
    out.printf(
        "%d of %d faults are left after %d runs%n",
        shrunk.faults().size(), shrunk.outcome().plan().size(), shrunk.runs());
    return 1;
  }
}
