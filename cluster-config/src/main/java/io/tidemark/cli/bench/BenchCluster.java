package io.tidemark.cli.bench;

import static io.tidemark.cli.local.Answers.await;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.tidemark.cli.bench.NodeCounters.Counts;
import io.tidemark.cli.local.Directories;
import io.tidemark.cli.local.NodeProcesses;
import io.tidemark.cli.local.ProcessCluster;
import io.tidemark.cli.local.Progress;
import io.tidemark.client.TidemarkClient;
import io.tidemark.client.TopicDescription;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** The cluster of one run: three nodes and a client, and nothing of it is left behind. */
final class BenchCluster {
  static final int NODES = 3;
  static final List<Integer> IDS = List.of(1, 2, 3);

  private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long LOOK_MILLIS = 50;
  private static final int TAIL_LINES = 15;

  private final Path dir;
  private final Progress progress;
  private final NodeProcesses nodes;
  private final Thread cleaner = new Thread(this::cleanUp, "bench-clean-up");
  private final AtomicBoolean cleaned = new AtomicBoolean();
  private ProcessCluster cluster;
  private int questions;

  private BenchCluster(ClusterOptions options, List<String> settings, Progress progress)
      throws IOException {
    this.progress = progress;
    this.dir = Files.createTempDirectory(options.parent(), "tidemark-bench");
    this.nodes =
        new NodeProcesses(
            dir,
            NODES,
            new NodeProcesses.Launch(options.main(), id -> jvmOptions(options, settings, id)));
  }

  /**
   * Starts it, measures, and removes it.
   *
   * @param settings of the nodes, as JVM options
   */
  static Figures run(
      ClusterOptions options, List<String> settings, Progress progress, Benchmark benchmark)
      throws Exception {
    BenchCluster bench = new BenchCluster(options, settings, progress);
    Runtime.getRuntime().addShutdownHook(bench.cleaner);
    try {
      bench.cluster = new ProcessCluster(bench.nodes, progress);
      bench.cluster.awaitNodes();
      return benchmark.run(bench);
    } catch (Exception e) {
      if (bench.cleaned.get()) {
        // Interrupted: the process ends when everything is cleaned up, and this is no news.
        new CountDownLatch(1).await();
      }
      bench.showLogs();
      throw e;
    } finally {
      bench.close();
    }
  }

  private List<String> jvmOptions(ClusterOptions options, List<String> settings, int id) {
    List<String> all = new ArrayList<>(List.of("-Xms1g", "-Xmx1g"));
    all.add("-Dtidemark.replication.flush=" + options.flush());
    all.add("-Dtidemark.storage.metrics=" + NodeCounters.class.getName());
    all.add("-D" + NodeCounters.FILE + "=" + countersOf(id));
    all.addAll(settings);
    all.addAll(options.nodeOptions());
    return all;
  }

  private Path countersOf(int id) {
    return dir.resolve("counters-" + id);
  }

  TidemarkClient client() {
    return cluster.client();
  }

  ProcessCluster processes() {
    return cluster;
  }

  NodeProcesses nodes() {
    return nodes;
  }

  Progress progress() {
    return progress;
  }

  /** A topic with a replica on each node, when all of them are in sync. */
  TopicDescription createTopic(String name, int partitions) throws Exception {
    await(client().createTopic(name, partitions, NODES, Map.of("min-insync-replicas", "2")));
    return cluster.awaitInSync("topic ready", name);
  }

  /** Lets time pass while the nodes run. */
  void pauseUntil(long nanoTime) throws InterruptedException {
    for (long left; (left = nanoTime - System.nanoTime()) > 0; ) {
      cluster.checkNodes();
      TimeUnit.NANOSECONDS.sleep(Math.min(left, TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS)));
    }
  }

  /**
   * What a node has counted since it was started.
   *
   * @param collect whether it collects its garbage first
   */
  Counts countsOf(int id, boolean collect) throws Exception {
    String question = (collect ? NodeCounters.COLLECT : "ask") + " " + ++questions;
    nodes.process(id).getOutputStream().write((question + "\n").getBytes(UTF_8));
    nodes.process(id).getOutputStream().flush();
    long until = System.nanoTime() + ANSWER_NANOS;
    while (System.nanoTime() < until) {
      cluster.checkNodes();
      List<String> answer =
          Files.exists(countersOf(id)) ? Files.readAllLines(countersOf(id)) : List.of("");
      if (answer.get(0).equals(question)) {
        return Counts.parse(answer.get(1));
      }
      TimeUnit.MILLISECONDS.sleep(1);
    }
    throw new IllegalStateException("node " + id + " does not tell what it has counted");
  }

  /** What went wrong is in the nodes' logs, which go with their directories. */
  private void showLogs() {
    OptionalInt ended = nodes.endedByItself();
    if (ended.isPresent()) {
      showLog(ended.getAsInt(), " ended by itself; the end of what it printed:");
    } else {
      IDS.forEach(id -> showLog(id, " printed in the end:"));
    }
  }

  private void showLog(int id, String what) {
    progress.say("node " + id + what);
    try {
      List<String> lines = Files.readAllLines(nodes.logOf(id));
      lines
          .subList(Math.max(0, lines.size() - TAIL_LINES), lines.size())
          .forEach(line -> progress.say("  " + line));
    } catch (IOException e) {
      progress.say("  its log cannot be read: " + e);
    }
  }

  private void close() {
    cleanUp();
    try {
      Runtime.getRuntime().removeShutdownHook(cleaner);
    } catch (IllegalStateException e) {
      // It runs, or has run, itself: the process is being ended.
      return;
    }
  }

  private void cleanUp() {
    if (!cleaned.compareAndSet(false, true)) {
      return;
    }
    if (cluster != null) {
      cluster.system().terminate();
    }
    nodes.discard();
    try {
      Directories.delete(dir);
    } catch (IOException e) {
      progress.say("cannot remove " + dir + ": " + e);
    }
  }
}
