package io.tidemark.simulation;

import io.tidemark.group.GroupSimulation;
import io.tidemark.group.GroupSimulation.Mutant;
import io.tidemark.simulation.Options.UsageException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** {@code bin/tidemark simulate groups}: the consumer groups' own simulation. */
final class GroupRuns {
  static final String USAGE =
      "usage: tidemark simulate groups [--seeds A-B] [--mutant NAME] [--json]; mutants: "
          + Arrays.stream(Mutant.values()).map(Options::title).collect(Collectors.joining(", "));

  private static final int STEPS = 2_000;

  private GroupRuns() {}

  static int run(List<String> args, PrintStream out, PrintStream err) {
    List<String> rest = new ArrayList<>(args);
    try {
      Mutant mutant = takeMutant(rest);
      for (String arg : rest) {
        if (arg.startsWith("--") && !List.of("--seeds", "--json").contains(arg)) {
          throw new UsageException("unknown option '" + arg + "'; " + USAGE);
        }
      }
      return seeds(Options.parse(rest), mutant, out, err);
    } catch (UsageException e) {
      err.println("tidemark simulate groups: " + e.getMessage());
      return 2;
    }
  }

  private static Mutant takeMutant(List<String> args) throws UsageException {
    int at = args.indexOf("--mutant");
    if (at < 0) {
      return Mutant.NONE;
    }
    if (at + 1 == args.size()) {
      throw new UsageException("--mutant needs a value; " + USAGE);
    }
    args.remove(at);
    String name = args.remove(at);
    return Arrays.stream(Mutant.values())
        .filter(mutant -> Options.title(mutant).equals(name))
        .findFirst()
        .orElseThrow(() -> new UsageException("--mutant " + name + " is unknown; " + USAGE));
  }

  /** Up to the first violation. */
  private static int seeds(Options options, Mutant mutant, PrintStream out, PrintStream err) {
    Map<String, Long> coverage = new TreeMap<>();
    String violation = null;
    long seeds = 0;
    for (long seed = options.first(); violation == null; seed++) {
      try {
        new GroupSimulation(seed, mutant, coverage).run(STEPS);
      } catch (AssertionError | RuntimeException e) {
        violation = e.toString();
        err.printf("VIOLATION in seed %s: %s%n", Long.toUnsignedString(seed), violation);
        err.printf(
            "again: bin/tidemark simulate groups --seeds %1$s-%1$s%2$s%n",
            Long.toUnsignedString(seed),
            mutant == Mutant.NONE ? "" : " --mutant " + Options.title(mutant));
      }
      seeds++;
      if (seed == options.last()) {
        break;
      }
    }
    int violations = violation == null ? 0 : 1;
    if (options.json()) {
      String counts =
          coverage.entrySet().stream()
              .map(entry -> "\"" + entry.getKey() + "\":" + entry.getValue())
              .collect(Collectors.joining(","));
      out.printf(
          "{\"seeds\":%d,\"violations\":%d,\"mutant\":\"%s\",\"coverage\":{%s}}%n",
          seeds, violations, Options.title(mutant), counts);
    } else {
      coverage.forEach((name, count) -> out.printf("%12d %s%n", count, name));
      out.printf("%d seeds, %d violations%n", seeds, violations);
    }
    return violations;
  }
}
