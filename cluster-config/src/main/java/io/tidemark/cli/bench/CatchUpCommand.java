package io.tidemark.cli.bench;

import static io.tidemark.cli.local.Answers.await;

import io.tidemark.cli.local.Directories;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How fast a node gets back what its disk has lost. */
@Command(
    name = "catchup",
    description = {
      "Fills the partitions, then writes 5 MB/s, kills the node that leads none of them, empties its"
          + " disk, and restarts it: tells how fast it catches up, and what that costs the writer.",
      "The time begins with the first bytes that the node gets, and ends when all its replicas are in"
          + " sync. How long it took from when it was a member again until then is told beside."
    })
final class CatchUpCommand implements Callable<Integer> {
  private static final String TOPIC = "catchup";
  private static final double GIB = 1 << 30;
  private static final double MB = 1e6;
  private static final double WRITTEN_MB_PER_SECOND = 5;

  /** More than what a node writes about itself. */
  private static final long COPYING_BYTES = 1 << 20;

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final double MAX_GIB = 1_000;
  private static final double MIN_GIB = 0.01;
  private static final Duration PATIENCE = Duration.ofHours(1);

  @Mixin private ClusterOptions cluster;
  @Mixin private LoadOptions load = new LoadOptions(8);

  @Option(
      names = "--gib",
      paramLabel = "N",
      description = "How much is there to be caught up with (default: ${DEFAULT-VALUE}).")
  private double gib = 1;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "How long the writer is measured before (default: ${DEFAULT-VALUE}).")
  private int seconds = 10;

  @Override
  public Integer call() throws Exception {
    cluster.check();
    load.check(cluster);
    cluster.require(gib >= MIN_GIB && gib <= MAX_GIB, "--gib " + gib + "; allowed: 0.01 to 1000");
    cluster.require("--seconds", seconds, 1, 3_600);
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("gib", gib);
    load.addTo(parameters);
    cluster.addTo(parameters);
    return Runs.execute(cluster, parameters, Leaderships.SETTINGS, this::measure);
  }

  private Figures measure(BenchCluster bench) throws Exception {
    bench.createTopic(TOPIC, load.partitions());
    Tally tally = new Tally(load.partitions());
    fill(bench, tally);
    int controller = new Leaderships(bench, TOPIC).arrange(it -> it).controllerId();
    int emptied = Leaderships.other(controller);

    Room room = load.room(1);
    double rate = WRITTEN_MB_PER_SECOND * MB / load.size();
    Writer writer = writer(bench, tally, room, Pace.atRate(room, rate, System.nanoTime()));
    bench.pauseUntil(System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds));
    tally.takeLatencies();
    bench.pauseUntil(System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds));
    Histogram before = tally.takeLatencies();

    bench.nodes().kill(emptied);
    Directories.delete(bench.nodes().dataOf(emptied));
    bench.processes().awaitTopic("node away", TOPIC, it -> !it.unfenced().contains(emptied));
    bench.nodes().start(emptied);
    bench.processes().awaitTopic("node back", TOPIC, it -> it.unfenced().contains(emptied));
    long back = System.nanoTime();
    tally.takeLatencies();
    long had = awaitCopying(bench, emptied);
    long start = System.nanoTime();
    bench.processes().awaitInSync("replicas in sync", TOPIC, PATIENCE);
    double took = (System.nanoTime() - start) / 1e9;
    Histogram during = tally.takeLatencies();
    long copied = bench.countsOf(emptied, false).bytes() - had;
    await(writer.stop());

    Figures figures = new Figures();
    figures
        .add("catchUpMbPerSecond", "MB/s of catching up", copied / MB / took, 1)
        .add("catchUpSeconds", "seconds", took, 1)
        .add("placedSeconds", "seconds before, until the first bytes", (start - back) / 1e9, 1);
    Window.addLatencies(figures, "before", " (before)", before);
    Window.addLatencies(figures, "during", " (during)", during);
    Kept.of(bench, TOPIC, tally).addTo(figures, load.acks(), tally);
    return figures;
  }

  /** Returns what it has written when it begins. */
  private static long awaitCopying(BenchCluster bench, int node) throws Exception {
    long until = System.nanoTime() + PATIENCE.toNanos();
    long had = bench.countsOf(node, false).bytes();
    while (had < COPYING_BYTES) {
      if (System.nanoTime() > until) {
        throw new IllegalStateException(
            "node %d has copied nothing within %s".formatted(node, PATIENCE));
      }
      bench.pauseUntil(System.nanoTime() + LOOK_NANOS);
      had = bench.countsOf(node, false).bytes();
    }
    return had;
  }

  private void fill(BenchCluster bench, Tally tally) throws Exception {
    long records = (long) (gib * GIB / load.size());
    Room room = load.room(1);
    Writer writer = writer(bench, tally, room, Pace.asRoomAllows(room));
    while (tally.acknowledged() < records && tally.failed() == 0) {
      bench.progress().show("filling", tally.acknowledged(), records);
      bench.pauseUntil(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50));
    }
    await(writer.stop());
  }

  private Writer writer(BenchCluster bench, Tally tally, Room room, Pace pace) throws Exception {
    return new Writer(load.target(bench.client(), TOPIC), tally, room, pace, Writer.Key.NONE);
  }
}
