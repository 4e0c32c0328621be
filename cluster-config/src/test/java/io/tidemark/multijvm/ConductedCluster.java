package io.tidemark.multijvm;

import static io.tidemark.cluster.NumberedRecords.await;

import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.javadsl.Adapter;
import akka.remote.testconductor.RoleName;
import akka.remote.testkit.Direction;
import akka.remote.testkit.MultiNodeConfig;
import com.typesafe.config.ConfigFactory;
import io.tidemark.cli.CommandLineProcess;
import io.tidemark.cli.Main;
import io.tidemark.client.ClusterNodes;
import io.tidemark.client.TidemarkClient;
import io.tidemark.client.TopicDescription;
import io.tidemark.cluster.Tidemark;
import io.tidemark.protocol.PartitionState;
import io.tidemark.wire.ReplicaMessage.Described;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import scala.concurrent.Await;
import scala.concurrent.Future;
import scala.concurrent.duration.FiniteDuration;

/**
 * Three nodes with the ids 1 to 3, each in a JVM of its own, and the conductor in a fourth, who is
 * also their client. Every JVM runs the same tests, and each begins when all have passed the one
 * before it; the conductor alone acts.
 *
 * <p>A cut drops every message between two nodes while their processes go on, as a network does
 * that loses packets. Their liveness connections need not be cut: nothing is ever sent on them, and
 * a lost packet closes none.
 */
final class ConductedCluster implements AutoCloseable {
  static final String BROKERS = "tidemark.test.brokers";
  static final String DIRECTORY = "tidemark.test.directory";
  static final List<Integer> IDS = List.of(1, 2, 3);
  static final int JVMS = 1 + 3;
  static final int ENDED_BY_CONDUCTOR = 42;

  private static final String PID = "pid";
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final FiniteDuration FAULT = FiniteDuration.create(60, TimeUnit.SECONDS);

  private static final class Roles extends MultiNodeConfig {
    private final RoleName client = role("client");
    private final List<RoleName> nodes = IDS.stream().map(id -> role("node-" + id)).toList();

    Roles(List<String> brokers, Map<String, ?> settings) {
      testTransport(true);
      commonConfig(
          ConfigFactory.parseMap(
                  Map.of(
                      "akka.fail-mixed-versions",
                      "off",
                      "akka.testconductor.barrier-timeout",
                      "180s",
                      "tidemark.controller.voters",
                      brokers,
                      "tidemark.storage.directory",
                      System.getProperty(DIRECTORY),
                      "tidemark.broker.id",
                      Integer.getInteger("multinode.index")))
              .withFallback(ConfigFactory.parseMap(settings))
              .withFallback(ConfigFactory.parseResources("tidemark-node.conf")));
    }
  }

  private final List<String> brokers = List.of(System.getProperty(BROKERS).split(","));
  private final Roles roles;
  private final Jvm jvm;
  private final ActorSystem<Void> system;
  private final TidemarkClient client;
  private final TestProbe<Void> probe;
  private final List<Process> startedAgain = new ArrayList<>();

  /**
   * Returns when all nodes are up.
   *
   * @param settings of every node, before those of the command line
   */
  ConductedCluster(Map<String, ?> settings) throws IOException {
    roles = new Roles(brokers, settings);
    jvm = new Jvm(roles);
    jvm.multiNodeSpecBeforeAll();
    system = Adapter.toTyped(jvm.system());
    probe = TestProbe.create(system);
    client = clientAt(IDS);
    if (!jvm.is(roles.client)) {
      Path own = Files.createDirectories(Path.of(System.getProperty(DIRECTORY)));
      Files.writeString(own.resolve(PID), String.valueOf(ProcessHandle.current().pid()));
      Tidemark.get(system).joinCluster(system::terminate);
    }
    awaitTopic(null, topic -> topic.unfenced().size() == IDS.size());
    jvm.meet("all nodes are up");
  }

  /** Something that may fail. */
  @FunctionalInterface
  interface Body {
    void run() throws Exception;
  }

  /** Has the conductor do it; the others wait until it is done. */
  void conduct(String what, Body body) throws Exception {
    try {
      if (jvm.is(roles.client)) {
        body.run();
      }
    } finally {
      jvm.meet(what);
    }
  }

  ActorSystem<Void> system() {
    return system;
  }

  TidemarkClient client() {
    return client;
  }

  /** A client that knows of these nodes alone, and sees the cluster as they do. */
  TidemarkClient clientAt(List<Integer> nodes) {
    List<String> addresses = nodes.stream().map(id -> brokers.get(id - 1)).toList();
    return new TidemarkClient(system, new ClusterNodes(system, addresses));
  }

  static List<Integer> without(int node) {
    return IDS.stream().filter(id -> id != node).toList();
  }

  /** With a replica on each node, all of them in sync; two have to be for a write. */
  TopicDescription createTopic(String topic, int partitions) {
    await(client.createTopic(topic, partitions, IDS.size(), Map.of("min-insync-replicas", "2")));
    return awaitWhole(topic);
  }

  /** Every partition has a leader, and all of its replicas in sync. */
  TopicDescription awaitWhole(String topic) {
    return awaitTopic(
        topic,
        found ->
            found.topicId() != null
                && found.partitions().stream()
                    .allMatch(
                        it ->
                            it.leader() != PartitionState.NO_LEADER
                                && it.isr().size() == it.replicas().size()));
  }

  /** As one of the nodes knows it. */
  TopicDescription awaitTopic(String topic, Predicate<TopicDescription> condition) {
    return awaitTopic(client, topic, condition);
  }

  TopicDescription awaitTopic(
      TidemarkClient through, String topic, Predicate<TopicDescription> condition) {
    return awaitFound(() -> await(through.describeTopic(topic)), condition);
  }

  /** One of a topic's replicas in partition 0. */
  Described awaitReplica(TopicDescription topic, int node, Predicate<Described> condition) {
    return awaitFound(() -> await(client.describeReplica(topic, 0, node)), condition);
  }

  <T> T awaitFound(Callable<T> find, Predicate<T> condition) {
    return probe.awaitAssert(
        PATIENCE,
        PAUSE,
        () -> {
          T found = find.call();
          if (!condition.test(found)) {
            throw new AssertionError("not yet: " + found);
          }
          return found;
        });
  }

  /**
   * Nothing that the one sends reaches the other. Both of them drop it, so that it does not matter
   * what was on its way.
   */
  void cutOneWay(int from, int to) throws Exception {
    confirm(jvm.testConductor().blackhole(role(from), role(to), Direction.sendDirection()));
    confirm(jvm.testConductor().blackhole(role(to), role(from), Direction.receiveDirection()));
  }

  /** Nothing passes between the node and the others, either way. */
  void cutOff(int node) throws Exception {
    for (int other : without(node)) {
      cutOneWay(node, other);
      cutOneWay(other, node);
    }
  }

  /** Everything passes again. */
  void heal() throws Exception {
    for (int from : IDS) {
      for (int to : without(from)) {
        confirm(jvm.testConductor().passThrough(role(from), role(to), Direction.bothDirection()));
      }
    }
  }

  /** Ends the node's process at once, without any order. */
  void exit(int node) throws Exception {
    confirm(jvm.testConductor().exit(role(node), ENDED_BY_CONDUCTOR));
  }

  /** Starts a node that has ended, as the command line does, with what is in its directory. */
  void startAgain(int node) throws IOException {
    String address = brokers.get(node - 1);
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                CommandLineProcess.classPath(),
                Main.class.getName(),
                "node",
                "--id=" + node,
                "--dir=" + directoryOf(node),
                "--port=" + address.substring(address.indexOf(':') + 1),
                "--parent=" + ProcessHandle.current().pid(),
                "--seed"));
    command.addAll(brokers);
    Path log = directoryOf(node).resolveSibling("node-" + node + "-again.log");
    startedAgain.add(
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start());
  }

  private static void confirm(Future<?> fault) throws Exception {
    Await.result(fault, FAULT);
  }

  private RoleName role(int node) {
    return roles.nodes.get(node - 1);
  }

  /** Stops the node's process in the midst of what it does, until it is resumed. */
  void suspend(int node) throws Exception {
    signal("-STOP", node);
  }

  void resume(int node) throws Exception {
    signal("-CONT", node);
  }

  private static void signal(String signal, int node) throws Exception {
    String pid = Files.readString(directoryOf(node).resolve(PID));
    int code = new ProcessBuilder("kill", signal, pid).inheritIO().start().waitFor();
    if (code != 0) {
      throw new IOException("kill " + signal + " " + pid + " ended with " + code);
    }
  }

  static Path directoryOf(int node) {
    return Path.of(System.getProperty(DIRECTORY)).resolveSibling("data-" + node);
  }

  @Override
  public void close() {
    startedAgain.forEach(Process::destroyForcibly);
    jvm.multiNodeSpecAfterAll();
  }
}
