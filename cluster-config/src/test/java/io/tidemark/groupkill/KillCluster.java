package io.tidemark.groupkill;

import static io.tidemark.cli.local.Answers.await;

import akka.actor.typed.ActorSystem;
import io.tidemark.cli.Main;
import io.tidemark.cli.local.Directories;
import io.tidemark.cli.local.NodeProcesses;
import io.tidemark.cli.local.ProcessCluster;
import io.tidemark.cli.local.Progress;
import io.tidemark.client.TidemarkClient;
import io.tidemark.client.TopicDescription;
import io.tidemark.group.GroupRequests;
import io.tidemark.protocol.ControllerRequest.CreateGroupsTopic;
import io.tidemark.protocol.PartitionState;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Three nodes in processes of their own, and a client of them in this one. */
final class KillCluster implements AutoCloseable {
  private static final int NODES = 3;

  private final Path dir;
  private final NodeProcesses nodes;
  private final ProcessCluster cluster;

  /** Starts them. */
  KillCluster() throws IOException {
    dir =
        Files.createTempDirectory(Files.createDirectories(Path.of("target", "group-kill")), "run")
            .toAbsolutePath();
    nodes = new NodeProcesses(dir, NODES, new NodeProcesses.Launch(Main.class, KillCluster::jvm));
    cluster =
        new ProcessCluster(
            nodes, new Progress(new PrintStream(OutputStream.nullOutputStream()), false));
  }

  private static List<String> jvm(int id) {
    return List.of(
        "-Xmx256m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-Dakka.fail-mixed-versions=off",
        "-Dtidemark.replication.tail-cache=32 MiB");
  }

  /** For what processes print; stays. */
  Path dir() {
    return dir;
  }

  TidemarkClient client() {
    return cluster.client();
  }

  ActorSystem<Void> system() {
    return cluster.system();
  }

  List<String> addresses() {
    return nodes.addresses();
  }

  void awaitNodes() throws Exception {
    cluster.awaitNodes();
  }

  void createTopic() throws Exception {
    await(
        client()
            .createTopic(
                MemberMain.TOPIC,
                SteadyWriter.PARTITIONS,
                NODES,
                Map.of("min-insync-replicas", "2")));
  }

  void checkNodes() {
    cluster.checkNodes();
  }

  /** The one that leads the most partitions. */
  int leader() throws Exception {
    return awaitRunning(
        MemberMain.TOPIC,
        topic -> {
          Map<Integer, Integer> led = new HashMap<>();
          topic.partitions().forEach(partition -> led.merge(partition.leader(), 1, Integer::sum));
          return led.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow().getKey();
        });
  }

  /** The one that coordinates the group. */
  int coordinator(String group) throws Exception {
    return awaitRunning(
        CreateGroupsTopic.NAME,
        topic -> {
          List<PartitionState> partitions = topic.partitions();
          return partitions.get(GroupRequests.partitionOf(group, partitions.size())).leader();
        });
  }

  private int awaitRunning(String topic, Function<TopicDescription, Integer> node)
      throws Exception {
    TopicDescription found =
        cluster.awaitTopic(
            "a leader",
            topic,
            it -> !it.partitions().isEmpty() && it.unfenced().contains(node.apply(it)));
    return node.apply(found);
  }

  void kill(int node) throws InterruptedException {
    nodes.kill(node);
  }

  void restart(int node) throws IOException {
    nodes.start(node);
  }

  @Override
  public void close() throws IOException {
    cluster.system().terminate();
    nodes.discard();
    for (int id = 1; id <= NODES; id++) {
      Directories.delete(nodes.dataOf(id));
    }
  }
}
