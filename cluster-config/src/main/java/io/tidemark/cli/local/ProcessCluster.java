package io.tidemark.cli.local;

import akka.actor.typed.ActorSystem;
import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.ConfigFactory;
import io.tidemark.client.ClusterNodes;
import io.tidemark.client.TidemarkClient;
import io.tidemark.client.TopicDescription;
import io.tidemark.protocol.PartitionState;
import java.io.IOException;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** A cluster of {@link NodeProcesses}, and a client of it in this process. */
public final class ProcessCluster {
  /** The name of actor systems: all nodes of a cluster have it in common, and their clients too. */
  public static final String SYSTEM = "tidemark";

  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final long POLL_MILLIS = 50;

  private final NodeProcesses nodes;
  private final Progress progress;
  private final ActorSystem<Void> system;
  private final TidemarkClient client;

  /** Starts the nodes. */
  public ProcessCluster(NodeProcesses nodes, Progress progress) throws IOException {
    this.nodes = nodes;
    this.progress = progress;
    nodes.startAll();
    this.system =
        ActorSystem.create(
            Behaviors.empty(),
            SYSTEM,
            ConfigFactory.parseResources("tidemark-client.conf")
                .withFallback(ConfigFactory.load())
                .resolve());
    this.client = new TidemarkClient(system, new ClusterNodes(system, nodes.addresses()));
  }

  public TidemarkClient client() {
    return client;
  }

  public ActorSystem<Void> system() {
    return system;
  }

  public NodeProcesses nodes() {
    return nodes;
  }

  /** Waits until all nodes are members. */
  public void awaitNodes() throws Exception {
    awaitTopic("nodes up", null, topic -> topic.unfenced().size() == nodes.count());
  }

  /** Waits until every replica has been started on its own node, and is in sync. */
  public TopicDescription awaitInSync(String what, String topic) throws Exception {
    return awaitInSync(what, topic, PATIENCE);
  }

  /** The same, where a lot has to be copied. */
  public TopicDescription awaitInSync(String what, String topic, Duration patience)
      throws Exception {
    return awaitTopic(what, topic, patience, this::isRunning);
  }

  /**
   * Waits until a broker tells what is wanted; fails when a node ends by itself.
   *
   * @param topic null for the cluster alone
   */
  public TopicDescription awaitTopic(
      String what, String topic, Predicate<TopicDescription> condition) throws Exception {
    return awaitTopic(what, topic, PATIENCE, condition);
  }

  private TopicDescription awaitTopic(
      String what, String topic, Duration patience, Predicate<TopicDescription> condition)
      throws Exception {
    long until = System.nanoTime() + patience.toNanos();
    while (System.nanoTime() < until) {
      checkNodes();
      CompletableFuture<TopicDescription> asked = client.describeTopic(topic).toCompletableFuture();
      Answers.awaitQuietly(asked, POLL_MILLIS * 4);
      if (asked.isDone() && !asked.isCompletedExceptionally()) {
        TopicDescription found = asked.join();
        if (topic == null) {
          progress.show(what, found.unfenced().size(), nodes.count());
        } else {
          progress.show(what, wholePartitions(found), found.partitions().size());
        }
        if (condition.test(found)) {
          return found;
        }
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
    throw new IllegalStateException(what + ": not within " + patience.toSeconds() + " s");
  }

  /**
   * @throws IllegalStateException when a node has ended that nobody has told to
   */
  public void checkNodes() {
    OptionalInt ended = nodes.endedByItself();
    if (ended.isPresent()) {
      throw new IllegalStateException("node " + ended.getAsInt() + " ended by itself");
    }
  }

  private boolean isRunning(TopicDescription topic) {
    return topic.unfenced().size() == nodes.count()
        && !topic.partitions().isEmpty()
        && wholePartitions(topic) == topic.partitions().size()
        && IntStream.range(0, topic.partitions().size())
            .allMatch(
                partition ->
                    topic.partitions().get(partition).replicas().stream()
                        .allMatch(broker -> answers(topic, partition, broker)));
  }

  private boolean answers(TopicDescription topic, int partition, int broker) {
    try {
      return client
              .describeReplica(topic, partition, broker)
              .toCompletableFuture()
              .get(POLL_MILLIS * 20, TimeUnit.MILLISECONDS)
              .leaderEpoch()
          >= 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException | TimeoutException e) {
      return false;
    }
  }

  private static long wholePartitions(TopicDescription topic) {
    return topic.partitions().stream()
        .filter(partition -> partition.leader() != PartitionState.NO_LEADER)
        .filter(partition -> partition.isr().size() == partition.replicas().size())
        .count();
  }
}
