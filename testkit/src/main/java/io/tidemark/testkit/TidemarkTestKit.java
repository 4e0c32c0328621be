package io.tidemark.testkit;

import akka.actor.typed.ActorSystem;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.tidemark.client.ClusterNodes;
import io.tidemark.client.TidemarkClient;
import io.tidemark.client.TopicDescription;
import io.tidemark.protocol.PartitionState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Tidemark in the JVM of a test, on a temporary directory. With {@code @RegisterExtension} on a
 * static field it runs for all tests of the class, on another one for each test anew. Without
 * JUnit, {@link #start} and {@link #close} do the same.
 *
 * <p>Nodes have the ids from 1; each is in a rack of its own, {@code rack-1} and so on. A node that
 * ends by itself, because the split-brain resolver found it cut off, starts again as a process
 * would. All methods wait until what they ask for is done, up to a minute; before {@link #start}
 * and after {@link #close} they throw an {@link IllegalStateException}.
 */
public final class TidemarkTestKit
    implements BeforeAllCallback,
        AfterAllCallback,
        BeforeEachCallback,
        AfterEachCallback,
        AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration PAUSE = Duration.ofMillis(20);

  private final int size;
  private final Config more;

  /** How many test classes it runs for: a class, and those that are nested in it. */
  private int classes;

  private TestDirectory directory;
  private TestNodes nodes;
  private TidemarkClient client;

  private TidemarkTestKit(int size, Config more) {
    this.size = size;
    this.more = more;
  }

  /** A log of one node. */
  public static TidemarkTestKit singleNode() {
    return new TidemarkTestKit(1, ConfigFactory.empty());
  }

  /** Three nodes, any of which can be killed, or cut off from others. */
  public static TidemarkTestKit threeNodes() {
    return new TidemarkTestKit(3, ConfigFactory.empty());
  }

  /**
   * With settings of the nodes and of the client's actor system, before the test kit's own.
   *
   * @param settings as in {@code application.conf}
   * @throws com.typesafe.config.ConfigException when they are not in that form
   */
  public TidemarkTestKit withSettings(String settings) {
    Objects.requireNonNull(settings, "settings");
    return new TidemarkTestKit(size, ConfigFactory.parseString(settings).withFallback(more));
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    classes++;
    if (classes == 1) {
      start();
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    if (classes == 0) {
      start();
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    if (classes == 0) {
      close();
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    classes--;
    if (classes == 0) {
      close();
    }
  }

  /**
   * Starts the nodes, and returns when all of them can be used.
   *
   * @throws IllegalStateException when they run already
   */
  public TidemarkTestKit start() {
    if (nodes != null) {
      throw new IllegalStateException("the test kit runs already; close it before the next start");
    }
    directory = new TestDirectory();
    nodes = new TestNodes(directory.path(), size, more);
    try {
      nodes.startAll();
      await(clientOf(nodes.get(1)), null, found -> found.unfenced().size() == size);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
    return this;
  }

  /** Kills the nodes, and deletes what they have written; again it does nothing. */
  @Override
  public void close() {
    if (nodes == null) {
      return;
    }
    nodes.killAll();
    nodes = null;
    client = null;
    directory.close();
  }

  private TestNodes nodes() {
    if (nodes == null) {
      throw new IllegalStateException(
          "the test kit does not run: it was not started, or is closed already");
    }
    return nodes;
  }

  /**
   * The client's actor system, for the streams and actors of a test; it is never killed. Started
   * when it is first used.
   */
  public ActorSystem<Void> system() {
    return nodes().client();
  }

  /** For producers, consumers and topics; in {@link #system}. */
  public synchronized TidemarkClient client() {
    if (client == null) {
      client = clientOf(system());
    }
    return client;
  }

  private TidemarkClient clientOf(ActorSystem<?> system) {
    return new TidemarkClient(system, new ClusterNodes(system, nodes().addresses()));
  }

  /**
   * A node's actor system, as an application has it that embeds Tidemark; another one after a
   * restart.
   *
   * @throws IllegalStateException when the node does not run
   */
  public ActorSystem<Void> node(int id) {
    return nodes().get(checked(id));
  }

  /** {@code host:port} of each node. */
  public List<String> addresses() {
    return nodes().addresses();
  }

  /** A topic with a replica on each node, all of them in sync. */
  public void createTopic(String topic, int partitions) {
    createTopic(topic, partitions, Map.of());
  }

  /**
   * @param configs the topic's own settings, see {@code TopicConfig}
   */
  public void createTopic(String topic, int partitions, Map<String, String> configs) {
    TestNodes.await(client().createTopic(topic, partitions, size, configs));
    awaitInSync(topic);
  }

  /** Returns when each partition has a leader, and each of its replicas is in sync. */
  public void awaitInSync(String topic) {
    await(
        topic,
        found ->
            !found.partitions().isEmpty()
                && found.partitions().stream()
                    .allMatch(it -> hasLeader(it) && it.isr().size() == it.replicas().size()));
  }

  private static boolean hasLeader(PartitionState partition) {
    return partition.leader() != PartitionState.NO_LEADER;
  }

  /** The node that leads a partition; waits until one does. */
  public int leader(String topic, int partition) {
    return await(
            topic,
            found ->
                found.partitions().size() > partition
                    && hasLeader(found.partitions().get(partition)))
        .partitions()
        .get(partition)
        .leader();
  }

  /** Returns when another node than this one leads a partition, with that node's id. */
  public int awaitOtherLeader(String topic, int partition, int than) {
    return await(
            topic,
            found -> {
              PartitionState state = found.partitions().get(partition);
              return hasLeader(state) && state.leader() != than;
            })
        .partitions()
        .get(partition)
        .leader();
  }

  /** Ends a node without a word, as SIGKILL does: it hands nothing over. */
  public void kill(int id) {
    nodes().kill(checked(id));
  }

  /** Ends a node in order, as SIGTERM does: it hands its leaderships over. */
  public void stop(int id) {
    nodes().stop(checked(id));
  }

  /** Starts a node that was killed or stopped, on the directory that it has; returns at once. */
  public void restart(int id) {
    nodes().start(checked(id));
  }

  /** Drops what two nodes send to each other, until {@link #heal}. */
  public void cut(int one, int other) {
    if (checked(one) == checked(other)) {
      throw new IllegalArgumentException("node " + one + " cannot be cut off from itself");
    }
    nodes().cut(one, other);
  }

  /** Cuts a node off from all the others, and from the client. */
  public void isolate(int id) {
    checked(id);
    for (int other = TestNodes.CLIENT; other <= size; other++) {
      if (other != id) {
        nodes().cut(id, other);
      }
    }
  }

  /** Ends all cuts. */
  public void heal() {
    nodes().heal();
  }

  private int checked(int id) {
    if (id < 1 || id > size) {
      throw new IllegalArgumentException("node " + id + "; there are 1 to " + size);
    }
    return id;
  }

  private TopicDescription await(String topic, Predicate<TopicDescription> condition) {
    return await(client(), topic, condition);
  }

  /** Asks again until it holds. */
  private static TopicDescription await(
      TidemarkClient client, String topic, Predicate<TopicDescription> condition) {
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      TopicDescription found =
          TestNodes.await(client.describeTopic(topic).exceptionally(failure -> null));
      if (found != null && condition.test(found)) {
        return found;
      }
      if (System.nanoTime() > until) {
        throw new IllegalStateException("not within " + PATIENCE + "; last seen: " + found);
      }
      try {
        Thread.sleep(PAUSE.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }
  }
}
