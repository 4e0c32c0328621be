package io.tidemark.cli.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * What happened while it was measured.
 *
 * @param seconds how long it took
 * @param records acknowledged meanwhile
 * @param perSecond how many a second, for each second of it
 * @param latencies of these records, in nanoseconds
 */
record Window(double seconds, long records, double[] perSecond, Histogram latencies, Used used) {
  private static final double MB = 1e6;
  private static final double MILLI = 1e6;

  static Window measure(BenchCluster cluster, Tally tally, int warmup, int seconds)
      throws Exception {
    if (warmup > 0) {
      cluster.progress().say("warming up for " + warmup + " s");
      cluster.pauseUntil(System.nanoTime() + TimeUnit.SECONDS.toNanos(warmup));
    }
    cluster.progress().say("measuring for " + seconds + " s");
    Usage before = Usage.of(cluster);
    tally.takeLatencies();
    long first = tally.acknowledged();
    long start = System.nanoTime();
    List<Double> perSecond = new ArrayList<>();
    long last = first;
    long lastAt = start;
    for (int i = 1; i <= seconds; i++) {
      cluster.pauseUntil(start + TimeUnit.SECONDS.toNanos(i));
      long now = System.nanoTime();
      long count = tally.acknowledged();
      perSecond.add((count - last) * 1e9 / (now - lastAt));
      last = count;
      lastAt = now;
    }
    Histogram latencies = tally.takeLatencies();
    Used used = Usage.of(cluster).since(before);
    return new Window(
        (lastAt - start) / 1e9,
        last - first,
        perSecond.stream().mapToDouble(Double::doubleValue).toArray(),
        latencies,
        used);
  }

  void addThroughput(Figures figures, int size) {
    double rate = records / seconds;
    figures
        .add("recordsPerSecond", "records/s", rate, 0)
        .add("mbPerSecond", "MB/s", rate * size / MB, 2)
        .add("medianSecond", "records/s, median second", median(perSecond), 0)
        .add("worstSecond", "records/s, worst second", Arrays.stream(perSecond).min().orElse(0), 0);
  }

  static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[(sorted.length - 1) / 2];
  }

  void addLatencies(Figures figures) {
    addLatencies(figures, "", "", latencies);
  }

  /**
   * @param prefix of the names, empty for none
   * @param suffix of the labels
   */
  static void addLatencies(Figures figures, String prefix, String suffix, Histogram latencies) {
    figures
        .add(prefix + "p50Ms", "p50, ms" + suffix, latencies.getValueAtPercentile(50) / MILLI, 2)
        .add(prefix + "p99Ms", "p99, ms" + suffix, latencies.getValueAtPercentile(99) / MILLI, 2)
        .add(
            prefix + "p999Ms",
            "p99.9, ms" + suffix,
            latencies.getValueAtPercentile(99.9) / MILLI,
            2)
        .add(prefix + "maxMs", "max, ms" + suffix, latencies.getMaxValue() / MILLI, 2);
  }
}
