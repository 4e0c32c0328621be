package io.tidemark.benchmark;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Medians of measurements, least and most beside them, as Markdown. Contestants ran in turns: the
 * n-th run of each was in the same round.
 */
public final class Table {
  private static final String TIDEMARK = "tidemark";

  /** What was measured alike, and is compared. */
  private record Setup(String workload, int size, int partitions, int rate, String flush) {
    static Setup of(Measurement it) {
      boolean latency = it.text("workload").equals("latency");
      return new Setup(
          it.text("workload"),
          (int) it.number("size"),
          (int) it.number("partitions"),
          latency ? (int) it.number("rate") : 0,
          it.text("flush"));
    }
  }

  private Table() {}

  /** Of a file of measurements, to standard output. */
  public static void main(String[] args) throws Exception {
    if (args.length != 1) {
      System.err.println("usage: benchmarks/run table RESULTS");
      System.exit(2);
    }
    try (Stream<String> lines = Files.lines(Path.of(args[0]))) {
      System.out.print(of(lines.map(Measurement::parse).toList()));
    }
  }

  static String of(List<Measurement> measurements) {
    return part(
            measurements,
            "throughput",
            "| size | partitions | flush | contestant | runs | records/s | MB/s | µs of CPU a record"
                + " | Tidemark to it |\n|--:|--:|---|---|--:|--:|--:|--:|--:|\n")
        + part(
            measurements,
            "latency",
            "| size | partitions | flush | contestant | runs | records/s asked | reached"
                + " | p50, ms | p99, ms |"
                + " p99.9, ms | max, ms | Tidemark's p99 to it |\n"
                + "|--:|--:|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  }

  private static String part(List<Measurement> all, String workload, String heading) {
    Map<Setup, Map<String, List<Measurement>>> groups =
        all.stream()
            .filter(it -> it.text("workload").equals(workload))
            .collect(
                Collectors.groupingBy(
                    Setup::of,
                    LinkedHashMap::new,
                    Collectors.groupingBy(
                        it -> it.text("contestant"), LinkedHashMap::new, Collectors.toList())));
    if (groups.isEmpty()) {
      return "";
    }
    StringBuilder table = new StringBuilder(heading);
    groups.forEach(
        (setup, contestants) ->
            contestants.forEach(
                (name, runs) -> table.append(row(setup, name, runs, contestants.get(TIDEMARK)))));
    return table.append('\n').toString();
  }

  private static String row(
      Setup setup, String name, List<Measurement> runs, List<Measurement> tidemark) {
    String start =
        "| %,d B | %d | %s | %s | %d"
            .formatted(setup.size, setup.partitions, setup.flush, name, runs.size());
    if (setup.workload.equals("latency")) {
      return start
          + " | %,d | %s | %s | %s | %s | %s | %s |%n"
              .formatted(
                  setup.rate,
                  cell(runs, "recordsPerSecond"),
                  cell(runs, "p50Ms"),
                  cell(runs, "p99Ms"),
                  cell(runs, "p999Ms"),
                  cell(runs, "maxMs"),
                  ratio(tidemark, runs, "p99Ms"));
    }
    return start
        + " | %s | %s | %s | %s |%n"
            .formatted(
                cell(runs, "recordsPerSecond"),
                cell(runs, "mbPerSecond"),
                cell(runs, "cpuMicrosPerRecord"),
                ratio(tidemark, runs, "recordsPerSecond"));
  }

  private static String cell(List<Measurement> runs, String field) {
    return cell(runs.stream().map(it -> it.number(field)).toList());
  }

  private static String cell(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    String median = number(median(sorted));
    return sorted.size() == 1
        ? median
        : median + " (" + number(sorted.get(0)) + "–" + number(sorted.get(sorted.size() - 1)) + ")";
  }

  /**
   * Round by round, since the machine may be twice as fast in one as in the next. As many rounds as
   * both have.
   */
  private static String ratio(List<Measurement> of, List<Measurement> to, String field) {
    if (of == null || of == to) {
      return "";
    }
    return cell(
        IntStream.range(0, Math.min(of.size(), to.size()))
            .mapToObj(round -> of.get(round).number(field) / to.get(round).number(field))
            .toList());
  }

  private static double median(List<Double> sorted) {
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value < 100 ? "%.2f" : "%,.0f", value);
  }
}
