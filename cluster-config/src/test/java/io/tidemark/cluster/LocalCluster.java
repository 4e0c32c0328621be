package io.tidemark.cluster;

import static io.tidemark.cluster.NumberedRecords.await;

import akka.actor.CoordinatedShutdown;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.tidemark.cli.local.FreePorts;
import io.tidemark.client.ClusterNodes;
import io.tidemark.client.TidemarkClient;
import io.tidemark.client.TopicDescription;
import io.tidemark.protocol.PartitionState;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Three nodes in this JVM, with the ids 1 to 3, and a client beside them. */
final class LocalCluster implements AutoCloseable {
  static final List<Integer> IDS = List.of(1, 2, 3);
  private static final String NAME = "tidemark";
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final Path dir;
  private final Config settings;
  private final List<String> addresses =
      FreePorts.find(IDS.size()).stream().map(port -> "127.0.0.1:" + port).toList();
  private final Map<Integer, ActorSystem<Void>> nodes = new HashMap<>();
  private final ActorSystem<Void> clientSystem;
  private final TidemarkClient client;
  private final TestProbe<Void> probe;

  LocalCluster(Path dir) {
    this(dir, Map.of());
  }

  /**
   * @param settings of every node, before its own
   */
  LocalCluster(Path dir, Map<String, ?> settings) {
    this.dir = dir;
    this.settings = ConfigFactory.parseMap(settings);
    this.clientSystem = ActorSystem.create(Behaviors.empty(), NAME, config("tidemark-client.conf"));
    this.client = new TidemarkClient(clientSystem, new ClusterNodes(clientSystem, addresses));
    this.probe = TestProbe.create(clientSystem);
    IDS.forEach(this::start);
    awaitTopic(null, topic -> topic.unfenced().size() == IDS.size());
  }

  private static Config config(String resource) {
    return ConfigFactory.parseMap(Map.of("akka.fail-mixed-versions", "off"))
        .withFallback(ConfigFactory.parseResources(resource))
        .withFallback(ConfigFactory.load());
  }

  ActorSystem<Void> start(int id) {
    Config own =
        ConfigFactory.parseMap(
            Map.of(
                "akka.remote.artery.canonical.port",
                Integer.valueOf(addressOf(id).substring(addressOf(id).indexOf(':') + 1)),
                "akka.coordinated-shutdown.run-by-actor-system-terminate",
                "off",
                "tidemark.broker.id",
                id,
                "tidemark.broker.rack",
                rackOf(id),
                "tidemark.storage.directory",
                dir.resolve("node-" + id).toString(),
                "tidemark.controller.voters",
                addresses));
    ActorSystem<Void> system =
        ActorSystem.create(
            Behaviors.empty(),
            NAME,
            own.withFallback(settings).withFallback(config("tidemark-node.conf")).resolve());
    nodes.put(id, system);
    Tidemark.get(system).joinCluster(system::terminate);
    return system;
  }

  /** As on SIGTERM: the node hands over first. */
  void stop(int id) {
    ActorSystem<Void> node = nodes.remove(id);
    await(CoordinatedShutdown.get(node).runAll(CoordinatedShutdown.jvmExitReason()));
    await(node.getWhenTerminated());
  }

  /** All at once, and none of them hands over. */
  void crashAll() {
    List<ActorSystem<Void>> ending = List.copyOf(nodes.values());
    nodes.clear();
    ending.forEach(ActorSystem::terminate);
    ending.forEach(node -> await(node.getWhenTerminated()));
  }

  ActorSystem<Void> node(int id) {
    return nodes.get(id);
  }

  static String rackOf(int id) {
    return "rack-" + id;
  }

  /** Bytes in the files of a node's journal. */
  long journalBytes(int id) {
    try (Stream<Path> files = Files.walk(dir.resolve("node-" + id).resolve("journal"))) {
      return files.map(Path::toFile).filter(File::isFile).mapToLong(File::length).sum();
    } catch (IOException | UncheckedIOException e) {
      // A file went while the folder was being walked.
      return Long.MAX_VALUE;
    }
  }

  String addressOf(int id) {
    return addresses.get(id - 1);
  }

  TidemarkClient client() {
    return client;
  }

  ActorSystem<Void> clientSystem() {
    return clientSystem;
  }

  NumberedRecords createTopic(String topic, int partitions) {
    return createTopic(topic, partitions, Map.of("min-insync-replicas", "2"));
  }

  NumberedRecords createTopic(String topic, int partitions, Map<String, String> configs) {
    await(client.createTopic(topic, partitions, IDS.size(), configs));
    awaitWhole(topic);
    return records(topic, partitions);
  }

  NumberedRecords records(String topic, int partitions) {
    return new NumberedRecords(clientSystem, client, topic, partitions);
  }

  /** Every partition has a leader, and all of its replicas in sync. */
  TopicDescription awaitWhole(String topic) {
    return awaitTopic(
        topic,
        it ->
            !it.partitions().isEmpty()
                && it.partitions().stream()
                    .allMatch(
                        partition -> hasLeader(partition) && partition.isr().size() == IDS.size()));
  }

  static boolean hasLeader(PartitionState partition) {
    return partition.leader() != PartitionState.NO_LEADER;
  }

  TopicDescription awaitTopic(String topic, Predicate<TopicDescription> condition) {
    return probe.awaitAssert(
        PATIENCE,
        PAUSE,
        () -> {
          TopicDescription found = await(client.describeTopic(topic));
          if (!condition.test(found)) {
            throw new AssertionError("not yet: " + found);
          }
          return found;
        });
  }

  /** Until it holds. */
  void awaitAssert(Runnable assertion) {
    probe.awaitAssert(
        PATIENCE,
        PAUSE,
        () -> {
          assertion.run();
          return null;
        });
  }

  @Override
  public void close() {
    List.copyOf(nodes.keySet()).forEach(this::stop);
    clientSystem.terminate();
    await(clientSystem.getWhenTerminated());
  }
}
