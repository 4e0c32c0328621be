package io.tidemark.cli.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** What all benchmarks can be told of the cluster, and of how it is reported. */
final class ClusterOptions {
  private static final int MAX_RUNS = 100;

  @CommandLine.Spec(CommandLine.Spec.Target.MIXEE)
  private CommandLine.Model.CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this.")
  private boolean help;

  @Option(
      names = "--flush",
      paramLabel = "POLICY",
      description =
          "each-commit: a record is on the disk before it counts; os: it is in the kernel's memory"
              + " (default: ${DEFAULT-VALUE}).")
  private String flush = "each-commit";

  @Option(
      names = "--runs",
      paramLabel = "N",
      description =
          "How often, each time with a new cluster; median (the lower one of an even number), least"
              + " and most are told (default: ${DEFAULT-VALUE}).")
  private int runs = 1;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description =
          "Where the nodes' directories are made, and removed at the end: chooses the disk (default:"
              + " below the build's target).")
  private Path directory;

  @Option(
      names = "--node-option",
      paramLabel = "OPTION",
      description =
          "For the nodes' JVMs, after -Xms1g -Xmx1g; as often as needed, for instance"
              + " --node-option=-Dtidemark.journal.each-commit.lanes=4.")
  private List<String> nodeOptions = new ArrayList<>();

  @Option(names = "--json", description = "Ends with one line of JSON.")
  private boolean json;

  /** Call it first. */
  void check() {
    require(
        flush.equals("each-commit") || flush.equals("os"),
        "--flush " + flush + "; allowed: each-commit, os");
    require("--runs", runs, 1, MAX_RUNS);
    require(
        directory == null || Files.isDirectory(directory) && Files.isWritable(directory),
        "--directory " + directory + ": not a directory that can be written to");
  }

  void require(boolean holds, String message) {
    if (!holds) {
      throw wrong(message);
    }
  }

  void require(String option, int value, int least, int most) {
    require(
        value >= least && value <= most,
        "%s %d; allowed: %d to %d".formatted(option, value, least, most));
  }

  ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  void addTo(Map<String, Object> parameters) {
    parameters.put("flush", flush);
  }

  String name() {
    return spec.name();
  }

  String flush() {
    return flush;
  }

  int runs() {
    return runs;
  }

  boolean json() {
    return json;
  }

  List<String> nodeOptions() {
    return nodeOptions;
  }

  /** The command line's own class, which starts nodes too. */
  Class<?> main() {
    return spec.root().userObject().getClass();
  }

  /** Below it everything is made. */
  Path parent() {
    if (directory != null) {
      return directory.toAbsolutePath();
    }
    String home = System.getProperty("tidemark.home");
    return home == null
        ? Path.of(System.getProperty("java.io.tmpdir"))
        : Path.of(home, "cluster-config", "target");
  }
}
