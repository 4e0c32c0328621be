package io.tidemark.simulation;

import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What is printed. */
final class Report {
  private final Options options;
  private final PrintStream out;

  Report(Options options, PrintStream out) {
    this.options = options;
    this.out = out;
  }

  /** What a range of seeds came to. */
  record Totals(long seeds, long steps, int violations, long hash, double seconds) {
    double seedsPerSecond() {
      return seconds == 0 ? 0 : seeds / seconds;
    }
  }

  void violation(Outcome outcome, List<Integer> faults) {
    Violation violation = outcome.violation();
    out.printf(
        "VIOLATION of invariant %s in seed %s at step %d, %.3f ms: %s%n",
        violation.invariant(),
        Long.toUnsignedString(outcome.seed()),
        outcome.steps(),
        outcome.virtualNanos() / 1e6,
        violation.getMessage());
    if (violation.getCause() != null) {
      violation.getCause().printStackTrace(out);
    }
    out.println("faults until then:");
    for (Fault fault : outcome.plan()) {
      if (fault.step() <= outcome.steps() && (faults == null || faults.contains(fault.index()))) {
        out.printf("  %2d at step %5d: %s%n", fault.index(), fault.step(), fault.kind());
      }
    }
    out.println("last events:");
    outcome.last().forEach(out::println);
    String chosen =
        faults == null
            ? ""
            : " --faults "
                + (faults.isEmpty()
                    ? "none"
                    : faults.stream().map(String::valueOf).collect(Collectors.joining(",")));
    out.println("replay: " + command("--replay", outcome.seed()) + chosen);
    if (faults == null) {
      out.println("shrink: " + command("--shrink", outcome.seed()));
    }
  }

  private String command(String task, long seed) {
    return "bin/tidemark simulate %s %s --profile %s%s"
        .formatted(
            task,
            Long.toUnsignedString(seed),
            Options.title(options.profile()),
            options.mutant() == Mutant.NONE ? "" : " --mutant " + Options.title(options.mutant()));
  }

  void text(Totals totals, Coverage coverage) {
    coverage.counts().forEach((name, count) -> out.printf("%12d %s%n", count, name));
    out.printf(
        "%d seeds, %d steps, %d violations, hash %016x, %.1f s, %.1f seeds/s%n",
        totals.seeds(),
        totals.steps(),
        totals.violations(),
        totals.hash(),
        totals.seconds(),
        totals.seedsPerSecond());
  }

  /** One line; names are plain words. */
  void json(Totals totals, Coverage coverage, Outcome violated) {
    StringBuilder json = new StringBuilder("{");
    json.append("\"seeds\":").append(totals.seeds());
    json.append(",\"steps\":").append(totals.steps());
    json.append(",\"violations\":").append(totals.violations());
    json.append(",\"profile\":\"").append(Options.title(options.profile())).append('"');
    json.append(",\"mutant\":\"").append(Options.title(options.mutant())).append('"');
    json.append(",\"hash\":\"").append("%016x".formatted(totals.hash())).append('"');
    json.append(",\"seconds\":").append("%.3f".formatted(totals.seconds()));
    json.append(",\"seedsPerSecond\":").append("%.1f".formatted(totals.seedsPerSecond()));
    if (violated != null) {
      json.append(",\"violatedSeed\":").append(Long.toUnsignedString(violated.seed()));
      json.append(",\"violatedStep\":").append(violated.steps());
      json.append(",\"violatedInvariant\":\"").append(violated.violation().invariant()).append('"');
    }
    json.append(",\"coverage\":{");
    String separator = "";
    for (Map.Entry<String, Long> entry : coverage.counts().entrySet()) {
      json.append(separator).append('"').append(entry.getKey()).append("\":");
      json.append(entry.getValue());
      separator = ",";
    }
    out.println(json.append("}}"));
  }
}
