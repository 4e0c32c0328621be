package io.tidemark.testkit;

import akka.actor.Address;
import akka.actor.CoordinatedShutdown;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.tidemark.cli.local.FreePorts;
import io.tidemark.cluster.Tidemark;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The nodes of a cluster, with the ids from 1, and the system of their client, 0: each an actor
 * system of this JVM.
 */
final class TestNodes {
  static final int CLIENT = 0;

  private static final Logger LOG = LoggerFactory.getLogger(TestNodes.class);
  private static final String NAME = "tidemark";
  private static final String HOST = "127.0.0.1";
  private static final long PATIENCE_SECONDS = 60;

  /** Of two systems, the lower id first. */
  private record Cut(int one, int other) {}

  private final Path dir;
  private final Config more;
  private final List<Integer> ports;

  /** Those that are meant to run. */
  private final Map<Integer, ActorSystem<Void>> running = new ConcurrentHashMap<>();

  /** Guarded by itself, also while a system starts that has to keep to them. */
  private final Set<Cut> cuts = new HashSet<>();

  /**
   * @param more settings of the nodes, before the test kit's own
   */
  TestNodes(Path dir, int nodes, Config more) {
    this.dir = dir;
    this.more = more;
    this.ports = FreePorts.find(nodes + 1);
  }

  int count() {
    return ports.size() - 1;
  }

  /** {@code host:port} of each node, in the order of their ids. */
  List<String> addresses() {
    return ports.stream().skip(1).map(port -> HOST + ":" + port).toList();
  }

  private Address address(int id) {
    return new Address("akka", NAME, HOST, ports.get(id));
  }

  private Config config(int id) {
    Config own =
        ConfigFactory.parseMap(
            Map.of("akka.remote.artery.canonical.port", ports.get(id), Cuts.TEST_MODE, true));
    Config light = ConfigFactory.parseResources("tidemark-testkit-system.conf");
    if (id == CLIENT) {
      return own.withFallback(more)
          .withFallback(light)
          .withFallback(ConfigFactory.parseResources("tidemark-client.conf"))
          .withFallback(ConfigFactory.load());
    }
    Config node =
        ConfigFactory.parseMap(
            Map.of(
                "tidemark.broker.id",
                id,
                "tidemark.broker.rack",
                "rack-" + id,
                "tidemark.storage.directory",
                dir.resolve("node-" + id).toString(),
                "tidemark.controller.voters",
                addresses()));
    return own.withFallback(more)
        .withFallback(node)
        .withFallback(light)
        .withFallback(ConfigFactory.parseResources("tidemark-testkit.conf"))
        .withFallback(ConfigFactory.parseResources("tidemark-node.conf"))
        .withFallback(ConfigFactory.load());
  }

  /** One after the other: at once, they would wait for each other to load the same classes. */
  void startAll() {
    IntStream.rangeClosed(CLIENT + 1, count()).forEach(this::start);
  }

  /** The client's system, started when it is first asked for: a test may have its own. */
  ActorSystem<Void> client() {
    start(CLIENT);
    return get(CLIENT);
  }

  /** Starts it if it does not run. */
  void start(int id) {
    synchronized (cuts) {
      running.computeIfAbsent(id, this::create);
    }
  }

  private ActorSystem<Void> create(int id) {
    ActorSystem<Void> system = ActorSystem.create(Behaviors.empty(), NAME, config(id).resolve());
    try {
      for (Cut cut : cuts) {
        if (cut.one() == id || cut.other() == id) {
          await(Cuts.cut(system, address(cut.one() == id ? cut.other() : cut.one())));
        }
      }
      if (id != CLIENT) {
        Tidemark.get(system).joinCluster(system::terminate);
      }
    } catch (RuntimeException e) {
      system.terminate();
      throw e;
    }
    system.getWhenTerminated().whenComplete((done, failure) -> ended(id, system));
    return system;
  }

  /** The split-brain resolver ends a node that was cut off; it comes back as processes do. */
  private void ended(int id, ActorSystem<Void> system) {
    synchronized (cuts) {
      // Not by equals: as refs, all systems of one name are equal.
      if (running.get(id) != system) {
        return;
      }
      try {
        running.remove(id);
        start(id);
      } catch (RuntimeException e) {
        LOG.error("node {} does not start again", id, e);
      }
    }
  }

  ActorSystem<Void> get(int id) {
    return running(id, running.get(id));
  }

  private static ActorSystem<Void> running(int id, ActorSystem<Void> system) {
    if (system == null) {
      throw new IllegalStateException("node " + id + " does not run");
    }
    return system;
  }

  void kill(int id) {
    ActorSystem<Void> system = running(id, running.remove(id));
    system.terminate();
    await(system.getWhenTerminated());
  }

  void stop(int id) {
    ActorSystem<Void> system = running(id, running.remove(id));
    await(CoordinatedShutdown.get(system).runAll(CoordinatedShutdown.jvmExitReason()));
    await(system.getWhenTerminated());
  }

  void killAll() {
    List<ActorSystem<Void>> ending = new ArrayList<>();
    synchronized (cuts) {
      ending.addAll(running.values());
      running.clear();
    }
    ending.forEach(ActorSystem::terminate);
    ending.forEach(system -> await(system.getWhenTerminated()));
  }

  void cut(int one, int other) {
    synchronized (cuts) {
      if (cuts.add(new Cut(Math.min(one, other), Math.max(one, other)))) {
        apply(one, other, true);
      }
    }
  }

  void heal() {
    synchronized (cuts) {
      cuts.forEach(cut -> apply(cut.one(), cut.other(), false));
      cuts.clear();
    }
  }

  private void apply(int one, int other, boolean cut) {
    for (int id : List.of(one, other)) {
      ActorSystem<Void> system = running.get(id);
      if (system != null) {
        Address peer = address(id == one ? other : one);
        await(cut ? Cuts.cut(system, peer) : Cuts.heal(system, peer));
      }
    }
  }

  static <T> T await(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
  }
}
