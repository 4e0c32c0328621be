package io.tidemark.cli.bench;

import static io.tidemark.cli.local.Answers.await;

import io.tidemark.client.TopicDescription;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How long writes stand still when a node dies. */
@Command(
    name = "failover",
    description = {
      "Writes at a fixed rate, kills a node with SIGKILL, restarts it after --down seconds, waits"
          + " until all replicas are in sync, and does it again. A gap is the longest time in which a"
          + " partition had no record acknowledged, from the kill on. At the end everything is read"
          + " back: each acknowledged record must be there once.",
      "All partitions are led by one node. The nodes' leader-balance-interval is 1 s instead of 30,"
          + " so that leaderships can be arranged for the next kill."
    })
final class FailoverCommand implements Callable<Integer> {
  private static final String TOPIC = "failover";
  private static final int MAX_RATE = 100_000;
  private static final int MAX_KILLS = 200;
  private static final int MAX_DOWN = 600;
  private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long RESUMED_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final double MILLI = 1e6;

  /** The node that dies. */
  private enum Victim {
    /** It leads the partitions; the controller is on another one. */
    LEADER,
    /** It has the controller, and follows the partitions. */
    CONTROLLER,
    BOTH
  }

  /**
   * What one kill has cost, in milliseconds.
   *
   * @param inSyncMs from the start of the node's process until all replicas were in sync
   */
  private record Kill(int node, double gapMs, double returnGapMs, double inSyncMs) {
    String text() {
      return "node %d, gap %.0f ms, at its return %.0f ms, in sync %.0f ms after its start"
          .formatted(node, gapMs, returnGapMs, inSyncMs);
    }
  }

  @Mixin private ClusterOptions cluster;
  @Mixin private LoadOptions load = new LoadOptions(1);

  @Option(
      names = "--kill",
      paramLabel = "NODE",
      description =
          "leader: the one that leads the partitions; controller: the one with the controller, which"
              + " follows them; both: one that is both (default: ${DEFAULT-VALUE}).")
  private String kill = "leader";

  @Option(
      names = "--kills",
      paramLabel = "N",
      description = "How often in a run (default: ${DEFAULT-VALUE}).")
  private int kills = 5;

  @Option(
      names = "--down",
      paramLabel = "S",
      description = "How long the node stays away, in seconds (default: ${DEFAULT-VALUE}).")
  private int down = 5;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Records a second, to all partitions together (default: ${DEFAULT-VALUE}).")
  private int rate = 1_000;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      description = "How long is written before the first kill (default: ${DEFAULT-VALUE}).")
  private int warmup = 10;

  private Victim victim;

  @Override
  public Integer call() throws Exception {
    cluster.check();
    load.check(cluster);
    cluster.require(
        List.of("leader", "controller", "both").contains(kill),
        "--kill " + kill + "; allowed: leader, controller, both");
    cluster.require("--kills", kills, 1, MAX_KILLS);
    cluster.require("--down", down, 1, MAX_DOWN);
    cluster.require("--rate", rate, 1, MAX_RATE);
    cluster.require("--warmup", warmup, 0, MAX_DOWN);
    victim = Victim.valueOf(kill.toUpperCase(Locale.ROOT));
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("kill", kill);
    parameters.put("kills", kills);
    parameters.put("down", down);
    parameters.put("rate", rate);
    load.addTo(parameters);
    cluster.addTo(parameters);
    return Runs.execute(cluster, parameters, Leaderships.SETTINGS, this::measure);
  }

  private Figures measure(BenchCluster bench) throws Exception {
    bench.createTopic(TOPIC, load.partitions());
    NumberedTally tally = new NumberedTally(load.partitions(), System.nanoTime());
    Room room = load.room(1);
    Writer writer =
        new Writer(
            load.target(bench.client(), TOPIC),
            tally,
            room,
            Pace.atRate(room, rate, System.nanoTime()),
            Writer.Key.NUMBER);
    bench.progress().say("warming up for " + warmup + " s");
    bench.pauseUntil(System.nanoTime() + TimeUnit.SECONDS.toNanos(warmup));
    List<Kill> all = new ArrayList<>();
    for (int i = 1; i <= kills; i++) {
      Kill kill = killOnce(bench, tally);
      bench.progress().say("kill " + i + ": " + kill.text());
      all.add(kill);
    }
    await(writer.stop());
    Kept kept = tally.readBack(bench, TOPIC);
    Figures figures = new Figures();
    add(figures, "gap", "gap after the kill", all, Kill::gapMs);
    add(figures, "returnGap", "gap at the return", all, Kill::returnGapMs);
    add(figures, "inSync", "from start to in sync", all, Kill::inSyncMs);
    figures.add("acknowledged", "acknowledged", tally.acknowledged(), 0);
    Window.addLatencies(figures, "", " (all the time)", tally.takeLatencies());
    kept.addTo(figures, load.acks(), tally);
    return figures;
  }

  private static void add(
      Figures figures, String name, String label, List<Kill> kills, ToDoubleFunction<Kill> figure) {
    double[] values = kills.stream().mapToDouble(figure).sorted().toArray();
    figures
        .add(name + "P50Ms", label + ", p50, ms", Window.median(values), 0)
        .add(name + "MaxMs", label + ", max, ms", values[values.length - 1], 0);
  }

  private Kill killOnce(BenchCluster bench, NumberedTally tally) throws Exception {
    TopicDescription topic =
        new Leaderships(bench, TOPIC)
            .arrange(
                controller -> victim == Victim.BOTH ? controller : Leaderships.other(controller));
    int dying =
        victim == Victim.CONTROLLER ? topic.controllerId() : topic.partitions().get(0).leader();
    bench.pauseUntil(System.nanoTime() + SETTLE_NANOS);

    tally.gaps().begin();
    long killedAt = System.nanoTime();
    bench.nodes().kill(dying);
    bench.pauseUntil(killedAt + TimeUnit.SECONDS.toNanos(down));
    while (tally.gaps().open(System.nanoTime()) > RESUMED_NANOS) {
      if (System.nanoTime() - killedAt > PATIENCE_NANOS) {
        throw new IllegalStateException(
            "nothing was acknowledged for %d s after node %d was killed"
                .formatted(TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS), dying));
      }
      bench.pauseUntil(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50));
    }
    double gap = tally.gaps().longest(System.nanoTime()) / MILLI;

    tally.gaps().begin();
    long startedAt = System.nanoTime();
    bench.nodes().start(dying);
    bench.processes().awaitInSync("replicas in sync", TOPIC);
    double inSync = (System.nanoTime() - startedAt) / MILLI;
    bench.pauseUntil(System.nanoTime() + SETTLE_NANOS);
    return new Kill(dying, gap, tally.gaps().longest(System.nanoTime()) / MILLI, inSync);
  }
}
