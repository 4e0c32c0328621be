package io.tidemark.cli.bench;

import io.tidemark.cli.local.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Repeats a benchmark, and tells what came out. */
final class Runs {
  private Runs() {}

  /**
   * @param settings of the nodes, as JVM options
   * @return the exit code
   */
  static int execute(
      ClusterOptions options,
      Map<String, Object> parameters,
      List<String> settings,
      Benchmark benchmark)
      throws Exception {
    Progress progress = Progress.onStandardError();
    describeMachine(options);
    List<Figures> all = new ArrayList<>();
    for (int i = 1; i <= options.runs(); i++) {
      if (options.runs() > 1) {
        progress.say("run " + i + " of " + options.runs());
      }
      all.add(BenchCluster.run(options, settings, progress, benchmark));
      progress.end();
    }
    Report report = new Report(options.name(), parameters, all);
    report.print(System.out);
    if (options.json()) {
      System.out.println(report.json());
    }
    return report.isOk() ? 0 : 1;
  }

  private static void describeMachine(ClusterOptions options) throws IOException {
    System.out.printf(
        "machine  %d cores, %s, JVM %s, disk %s; load average before: %s%n",
        Runtime.getRuntime().availableProcessors(),
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        System.getProperty("java.version"),
        Files.getFileStore(options.parent()).type(),
        Machine.loadAverage());
  }
}
