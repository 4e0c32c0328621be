package io.tidemark.cli.bench;

import static io.tidemark.cli.local.Answers.await;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How long acknowledgements take at a rate that the cluster can take. */
@Command(
    name = "latency",
    description = {
      "Writes at a fixed rate, whatever becomes of the records before (an open loop), and tells how"
          + " long acknowledgements took from the time at which each record was to be sent: one that"
          + " waited behind a slow one counts with its whole wait.",
      "The producer's linger, 5 ms by default, is part of it; --linger 0 shows the cluster's own"
          + " share."
    })
final class LatencyCommand implements Callable<Integer> {
  private static final String TOPIC = "latency";
  private static final int MAX_RATE = 10_000_000;

  @Mixin private ClusterOptions cluster;
  @Mixin private LoadOptions load = new LoadOptions(8);
  @Mixin private TimeOptions time;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Records a second, to all partitions together (default: ${DEFAULT-VALUE}).")
  private int rate = 1_000;

  @Override
  public Integer call() throws Exception {
    cluster.check();
    load.check(cluster);
    time.check(cluster);
    cluster.require("--rate", rate, 1, MAX_RATE);
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("rate", rate);
    load.addTo(parameters);
    time.addTo(parameters);
    cluster.addTo(parameters);
    return Runs.execute(cluster, parameters, List.of(), this::measure);
  }

  private Figures measure(BenchCluster bench) throws Exception {
    bench.createTopic(TOPIC, load.partitions());
    Tally tally = new Tally(load.partitions());
    Room room = load.room(1);
    Writer writer =
        new Writer(
            load.target(bench.client(), TOPIC),
            tally,
            room,
            Pace.atRate(room, rate, System.nanoTime()),
            Writer.Key.NONE);
    Window window = Window.measure(bench, tally, time.warmup(), time.seconds());
    await(writer.stop());
    Figures figures = new Figures();
    window.addLatencies(figures);
    window.addThroughput(figures, load.size());
    window.used().addTo(figures, window.records());
    Kept.of(bench, TOPIC, tally).addTo(figures, load.acks(), tally);
    return figures;
  }
}
