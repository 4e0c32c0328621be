package io.tidemark.benchmark;

import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The journal against Akka's own ones and against what the disk can do. Both sides of a ratio are
 * measured in turns, in one run; each figure is the median over the runs.
 */
@Command(
    name = "storage",
    mixinStandardHelpOptions = true,
    description = "Measures the journal against other journals and against the bare disk.")
public final class StorageBenchmark implements Callable<Integer> {
  private enum Part {
    RATES,
    LATENCY,
    IDS,
    READING
  }

  @Option(names = "--directory", description = "Where to write; default: ${DEFAULT-VALUE}")
  private Path directory = Path.of("target", "storage-benchmark");

  @Option(names = "--runs", description = "Runs of each measurement; default: ${DEFAULT-VALUE}")
  private int runs = 3;

  @Option(names = "--seconds", description = "Seconds of each run; default: ${DEFAULT-VALUE}")
  private int seconds = 10;

  @Option(
      names = "--warm-up",
      description =
          "Seconds before them, until memory for unwritten pages is full and files are made;"
              + " default: ${DEFAULT-VALUE}")
  private int warmUp = 5;

  @Option(names = "--only", split = ",", description = "Parts to run: ${COMPLETION-CANDIDATES}")
  private Set<Part> parts = EnumSet.allOf(Part.class);

  private final PrintWriter out = new PrintWriter(System.out, true);

  public static void main(String[] args) {
    CommandLine command = new CommandLine(new StorageBenchmark());
    command.setCaseInsensitiveEnumValuesAllowed(true);
    System.exit(command.execute(args));
  }

  @Override
  public Integer call() throws Exception {
    Files.createDirectories(directory);
    out.printf(
        "%d runs of %d s after %d s, medians; load of the machine before: %.1f%n",
        runs, seconds, warmUp, ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    if (parts.contains(Part.RATES)) {
      rates();
    }
    if (parts.contains(Part.LATENCY)) {
      latency();
    }
    if (parts.contains(Part.IDS)) {
      ids();
    }
    if (parts.contains(Part.READING)) {
      reading();
    }
    return 0;
  }

  private Load.Result load(Contestant contestant, int entities, int bytes) throws Exception {
    return Load.run(contestant, directory, entities, bytes, duration(warmUp), duration(seconds));
  }

  private static Duration duration(int seconds) {
    return Duration.ofSeconds(seconds);
  }

  private void rates() throws Exception {
    heading("Events per second", "noop", "memory", "leveldb", "os", "each-commit");
    Map<String, Map<Contestant, Double>> all = new TreeMap<>();
    for (int bytes : new int[] {100, 64 * 1024}) {
      for (int entities : new int[] {1, 8}) {
        Map<Contestant, List<Double>> rates = new TreeMap<>();
        Map<Contestant, List<Double>> cpu = new TreeMap<>();
        for (int run = 0; run < runs; run++) {
          for (Contestant contestant : Contestant.values()) {
            Load.Result result = load(contestant, entities, bytes);
            add(rates, contestant, result.eventsPerSecond());
            add(cpu, contestant, result.cpuMicros());
          }
        }
        Map<Contestant, Double> medians = medians(rates);
        row(bytes + " B, " + entities + " entities", numbers(medians));
        row("  µs of CPU for an event", numbers(medians(cpu)));
        all.put(bytes + "/" + entities, medians);
      }
    }
    Map<Contestant, Double> large = all.get("65536/8");
    Map<Contestant, Double> small = all.get("100/8");
    ratio("os to leveldb, 64 KiB, 8 entities", large, Contestant.OS, Contestant.LEVELDB, "≥ 8");
    ratio("os to noop, 100 B, 8 entities", small, Contestant.OS, Contestant.NOOP, "≥ 0.75");
    ratio(
        "each-commit to os, 64 KiB, 8 entities",
        large,
        Contestant.EACH_COMMIT,
        Contestant.OS,
        "≥ 0.60");
  }

  private static void add(Map<Contestant, List<Double>> all, Contestant contestant, double value) {
    all.computeIfAbsent(contestant, it -> new ArrayList<>()).add(value);
  }

  private static Map<Contestant, Double> medians(Map<Contestant, List<Double>> all) {
    Map<Contestant, Double> medians = new TreeMap<>();
    all.forEach((contestant, values) -> medians.put(contestant, median(values)));
    return medians;
  }

  private static List<String> numbers(Map<Contestant, Double> values) {
    return values.values().stream().map(StorageBenchmark::number).toList();
  }

  private void ratio(
      String what, Map<Contestant, Double> rates, Contestant of, Contestant to, String aim) {
    ratio(what, rates.get(of) / rates.get(to), aim);
  }

  private void ratio(String what, double ratio, String aim) {
    out.printf(Locale.ROOT, "%-60s %8.2f   aim %s%n", what, ratio, aim);
  }

  private void latency() throws Exception {
    List<Double> bare = new ArrayList<>();
    List<Double> noop = new ArrayList<>();
    List<Double> eachCommit = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    for (int run = 0; run < runs; run++) {
      bare.add(p99(BareFsync.run(directory, 4096, duration(seconds))));
      noop.add(p99(lone(Contestant.NOOP)));
      eachCommit.add(p99(lone(Contestant.EACH_COMMIT)));
      ratios.add(eachCommit.get(run) / (bare.get(run) + noop.get(run)));
    }
    heading("p99 of a lone 100 B event, µs", "bare fsync", "noop", "each-commit");
    row("", List.of(number(median(bare)), number(median(noop)), number(median(eachCommit))));
    ratio("each-commit to fsync + noop", median(ratios), "< 3");
  }

  private Histogram lone(Contestant contestant) throws Exception {
    return Load.run(contestant, directory, 1, 100, duration(warmUp), duration(seconds)).latencies();
  }

  private static double p99(Histogram nanos) {
    return nanos.getValueAtPercentile(99) / 1e3;
  }

  private void ids() throws Exception {
    heading("Events per second, 100 B", "16 ids", "1,000 ids");
    for (Contestant contestant : List.of(Contestant.EACH_COMMIT, Contestant.OS)) {
      List<Double> few = new ArrayList<>();
      List<Double> many = new ArrayList<>();
      List<Double> ratios = new ArrayList<>();
      for (int run = 0; run < runs; run++) {
        few.add(load(contestant, 16, 100).eventsPerSecond());
        many.add(load(contestant, 1_000, 100).eventsPerSecond());
        ratios.add(many.get(run) / few.get(run));
      }
      row(contestant.plugin, List.of(number(median(few)), number(median(many))));
      ratio(contestant.plugin + ", 1,000 ids to 16", median(ratios), "≥ 0.5");
    }
  }

  private void reading() throws Exception {
    Path target = Files.createTempDirectory(directory, "reading-");
    try {
      long events = 1L << 30;
      Reading.writeEvents(target, events);
      Reading.writeBatches(target, 4L << 30);
      List<Double> rates = new ArrayList<>();
      List<Double> recoveries = new ArrayList<>();
      for (int run = 0; run < runs; run++) {
        rates.add(events / 1e3 / Reading.replayMillis(target));
        recoveries.add(Reading.recoveryMillis(target));
      }
      heading("Reading in a new JVM of 64 MiB heap", "");
      ratio("replay of 1 GiB of 64 KiB events, MB/s", median(rates), "≥ 500");
      ratio("recovery of 4 GiB of batches with a snapshot, ms", median(recoveries), "< 1000");
    } finally {
      Load.delete(target);
    }
  }

  private void heading(String what, String... columns) {
    out.println();
    row(what, List.of(columns));
  }

  private void row(String name, List<String> cells) {
    StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-34s", name));
    cells.forEach(cell -> line.append(String.format(Locale.ROOT, " %12s", cell)));
    out.println(line);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value < 100 ? "%.1f" : "%,.0f", value);
  }

  private static double median(List<Double> values) {
    List<Double> sorted = new ArrayList<>(values);
    Collections.sort(sorted);
    return sorted.get(sorted.size() / 2);
  }
}
