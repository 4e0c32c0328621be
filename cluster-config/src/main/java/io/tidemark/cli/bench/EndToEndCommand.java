package io.tidemark.cli.bench;

import static io.tidemark.cli.local.Answers.await;

import akka.Done;
import io.tidemark.client.PartitionReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** From a producer to a reader. */
@Command(
    name = "endtoend",
    description = {
      "Writes, and reads along with a reader for each partition; tells how many records arrived, and"
          + " how long each took from the time at which it was to be sent until its reader had it.",
      "Without --rate it writes as fast as the cluster acknowledges: the latencies are then those of"
          + " a full queue."
    })
final class EndToEndCommand implements Callable<Integer> {
  private static final String TOPIC = "endtoend";
  private static final int MAX_RATE = 10_000_000;
  private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(60);

  @Mixin private ClusterOptions cluster;
  @Mixin private LoadOptions load = new LoadOptions(8);
  @Mixin private TimeOptions time;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Records a second, to all partitions together; 0 for all that goes (default).")
  private int rate;

  @Override
  public Integer call() throws Exception {
    cluster.check();
    load.check(cluster);
    time.check(cluster);
    cluster.require("--rate", rate, 0, MAX_RATE);
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("rate", rate);
    load.addTo(parameters);
    time.addTo(parameters);
    cluster.addTo(parameters);
    return Runs.execute(cluster, parameters, List.of(), this::measure);
  }

  private Figures measure(BenchCluster bench) throws Exception {
    bench.createTopic(TOPIC, load.partitions());
    Tally read = new Tally(load.partitions());
    List<CompletionStage<Done>> streams = readAlong(bench, read);
    Tally written = new Tally(load.partitions());
    Room room = load.room(1);
    Writer writer =
        new Writer(
            load.target(bench.client(), TOPIC),
            written,
            room,
            rate == 0 ? Pace.asRoomAllows(room) : Pace.atRate(room, rate, System.nanoTime()),
            Writer.Key.TIME);
    Window window = Window.measure(bench, read, time.warmup(), time.seconds());
    await(writer.stop());
    drain(bench, read, written);
    Figures figures = new Figures();
    window.addThroughput(figures, load.size());
    window.addLatencies(figures);
    window.used().addTo(figures, window.records());
    long missed = Math.max(0, written.acknowledged() - read.acknowledged());
    figures
        .add("missed", "acknowledged, but not read", missed, 0)
        .faultIf(missed > 0, missed + " acknowledged records did not reach their readers")
        .faultIf(
            streams.stream().anyMatch(it -> it.toCompletableFuture().isCompletedExceptionally()),
            "a reader's stream has failed");
    Kept.of(bench, TOPIC, written).addTo(figures, load.acks(), written);
    return figures;
  }

  private List<CompletionStage<Done>> readAlong(BenchCluster bench, Tally read) throws Exception {
    List<CompletionStage<Done>> streams = new ArrayList<>();
    for (int i = 0; i < load.partitions(); i++) {
      int partition = i;
      PartitionReader reader = await(bench.client().reader(TOPIC, partition));
      streams.add(
          reader
              .source(0)
              .runForeach(
                  record ->
                      read.acknowledged(
                          partition,
                          record.key().getLong(record.key().position()),
                          System.nanoTime()),
                  bench.processes().system()));
    }
    return streams;
  }

  private static void drain(BenchCluster bench, Tally read, Tally written)
      throws InterruptedException {
    long until = System.nanoTime() + DRAIN_NANOS;
    while (read.acknowledged() < written.acknowledged() && System.nanoTime() < until) {
      bench.pauseUntil(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50));
    }
  }
}
