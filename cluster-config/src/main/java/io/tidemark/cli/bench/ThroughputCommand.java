package io.tidemark.cli.bench;

import static io.tidemark.cli.local.Answers.await;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** As much as the cluster takes. */
@Command(
    name = "throughput",
    description = {
      "Writes as fast as the cluster acknowledges, with 32 MiB on their way (a closed loop), and"
          + " tells how many records were acknowledged in each second.",
      "Latencies are those of a full queue; for others see bench latency. Records are counted at the"
          + " end, by their offsets. Each node needs disk space for all that is written."
    })
final class ThroughputCommand implements Callable<Integer> {
  private static final String TOPIC = "throughput";
  private static final int MAX_PRODUCERS = 16;

  @Mixin private ClusterOptions cluster;
  @Mixin private LoadOptions load = new LoadOptions(8);
  @Mixin private TimeOptions time;

  @Option(
      names = "--producers",
      paramLabel = "N",
      description =
          "How many share the 32 MiB, each with its own thread (default: ${DEFAULT-VALUE}).")
  private int producers = 1;

  @Override
  public Integer call() throws Exception {
    cluster.check();
    load.check(cluster);
    time.check(cluster);
    cluster.require("--producers", producers, 1, MAX_PRODUCERS);
    Map<String, Object> parameters = new LinkedHashMap<>();
    load.addTo(parameters);
    time.addTo(parameters);
    parameters.put("producers", producers);
    cluster.addTo(parameters);
    return Runs.execute(cluster, parameters, List.of(), this::measure);
  }

  private Figures measure(BenchCluster bench) throws Exception {
    bench.createTopic(TOPIC, load.partitions());
    Tally tally = new Tally(load.partitions());
    List<Writer> writers = new ArrayList<>();
    for (int i = 0; i < producers; i++) {
      Room room = load.room(producers);
      writers.add(
          new Writer(
              load.target(bench.client(), TOPIC),
              tally,
              room,
              Pace.asRoomAllows(room),
              Writer.Key.NONE));
    }
    Window window = Window.measure(bench, tally, time.warmup(), time.seconds());
    for (Writer writer : writers) {
      await(writer.stop());
    }
    Figures figures = new Figures();
    window.addThroughput(figures, load.size());
    window.addLatencies(figures);
    window.used().addTo(figures, window.records());
    Kept.of(bench, TOPIC, tally).addTo(figures, load.acks(), tally);
    return figures;
  }
}
