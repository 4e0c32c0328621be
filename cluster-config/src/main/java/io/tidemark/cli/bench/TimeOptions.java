package io.tidemark.cli.bench;

import java.util.Map;
import picocli.CommandLine.Option;

/** How long it is done. */
final class TimeOptions {
  private static final int MAX_SECONDS = 3_600;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "How long it is measured (default: ${DEFAULT-VALUE}).")
  private int seconds = 20;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      description =
          "How long the same is done before it is measured, for the JIT compilers (default:"
              + " ${DEFAULT-VALUE}).")
  private int warmup = 15;

  /** Call it first. */
  void check(ClusterOptions cluster) {
    cluster.require("--seconds", seconds, 1, MAX_SECONDS);
    cluster.require("--warmup", warmup, 0, MAX_SECONDS);
  }

  void addTo(Map<String, Object> parameters) {
    parameters.put("seconds", seconds);
    parameters.put("warmup", warmup);
  }

  int seconds() {
    return seconds;
  }

  int warmup() {
    return warmup;
  }
}
