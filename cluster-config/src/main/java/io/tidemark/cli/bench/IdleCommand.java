package io.tidemark.cli.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What a cluster costs that nobody uses. */
@Command(
    name = "idle",
    description = {
      "Makes a topic, writes nothing, and tells the CPU seconds a minute that each node takes, and"
          + " its heap after a garbage collection."
    })
final class IdleCommand implements Callable<Integer> {
  private static final String TOPIC = "idle";
  private static final int MAX_PARTITIONS = 5_000;
  private static final double MINUTE = 60;
  private static final double MIB = 1 << 20;

  @Mixin private ClusterOptions cluster;
  @Mixin private TimeOptions time;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      description = "With a replica on each node (default: ${DEFAULT-VALUE}).")
  private int partitions = 100;

  @Override
  public Integer call() throws Exception {
    cluster.check();
    time.check(cluster);
    cluster.require("--partitions", partitions, 1, MAX_PARTITIONS);
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("partitions", partitions);
    time.addTo(parameters);
    cluster.addTo(parameters);
    return Runs.execute(cluster, parameters, List.of(), this::measure);
  }

  private Figures measure(BenchCluster bench) throws Exception {
    bench.createTopic(TOPIC, partitions);
    bench.progress().say("settling for " + time.warmup() + " s");
    bench.pauseUntil(System.nanoTime() + TimeUnit.SECONDS.toNanos(time.warmup()));
    bench.progress().say("measuring for " + time.seconds() + " s");
    Usage before = Usage.of(bench);
    bench.pauseUntil(System.nanoTime() + TimeUnit.SECONDS.toNanos(time.seconds()));
    Used used = Usage.of(bench).since(before);
    Figures figures = new Figures();
    for (int id : BenchCluster.IDS) {
      double minutes = time.seconds() / MINUTE;
      figures.add(
          "node" + id + "CpuSecondsPerMinute",
          "CPU seconds a minute, node " + id,
          used.nodes().get(id - 1).cpu() / minutes,
          2);
    }
    for (int id : BenchCluster.IDS) {
      figures.add(
          "node" + id + "HeapMiB",
          "MiB of heap in use, node " + id,
          bench.countsOf(id, true).heapBytes() / MIB,
          1);
    }
    return figures.add(
        "othersCpuPercent", "CPU share of other processes, %", used.othersPercent(), 1);
  }
}
