package io.tidemark.cli;

import akka.Done;
import akka.actor.CoordinatedShutdown;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.javadsl.Behaviors;
import ch.qos.logback.classic.LoggerContext;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import io.tidemark.cli.local.ProcessCluster;
import io.tidemark.cluster.Tidemark;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Runs one node in the foreground until it is told to stop. */
@Command(
    name = "node",
    mixinStandardHelpOptions = true,
    version = Main.VERSION,
    description = {
      "Runs one node in the foreground. It ends in order on SIGTERM: its leaderships are handed over"
          + " first.",
      "The seeds are the nodes that vote for the controller, unless --config names other voters;"
          + " give every node the same ones, in the same order."
    })
final class NodeCommand implements Callable<Integer> {
  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Option(names = "--id", required = true, description = "The broker's id, from 0.")
  private int id;

  @Option(
      names = "--dir",
      required = true,
      description = "Where the node keeps everything; made when missing.")
  private Path dir;

  @Option(names = "--port", required = true, description = "The port of its actor system.")
  private int port;

  @Option(names = "--host", description = "The address to listen on (default: ${DEFAULT-VALUE}).")
  private String host = "127.0.0.1";

  @Option(names = "--insecure", description = "Allows another address than loopback without TLS.")
  private boolean insecure;

  @Option(
      names = "--seed",
      required = true,
      arity = "1..*",
      description = "host:port of the nodes that form the cluster.")
  private List<String> seeds;

  @Option(names = "--rack", description = "Where the node stands, for spreading replicas.")
  private String rack = "";

  @Option(names = "--config", description = "Further settings, in HOCON.")
  private Path config;

  @Option(names = "--parent", hidden = true, description = "Ends with that process.")
  private long parent;

  @Override
  public Integer call() throws InterruptedException, ExecutionException {
    Config settings = settings();
    checkPortIsFree();
    endWithParent();
    while (runOnce(settings)) {
      // The others gave this node up, or it was alone: it comes back as a new member.
      System.out.println("node " + id + " joins the cluster again");
    }
    return 0;
  }

  /** Returns whether the node should join again. */
  private boolean runOnce(Config settings) throws InterruptedException, ExecutionException {
    ActorSystem<Void> system =
        ActorSystem.create(Behaviors.empty(), ProcessCluster.SYSTEM, settings);
    CompletableFuture<Done> terminated = system.getWhenTerminated().toCompletableFuture();
    AtomicBoolean strayed = new AtomicBoolean();
    AtomicReference<String> refusal = new AtomicReference<>();
    try {
      Tidemark node = Tidemark.get(system);
      node.joinCluster(
          () -> {
            strayed.set(true);
            system.terminate();
          });
      node.refused()
          .thenAccept(
              reason -> {
                refusal.set(reason);
                system.terminate();
              });
    } catch (RuntimeException e) {
      // What is wrong is told in one line; what the actors say while they end would bury it.
      ((LoggerContext) LoggerFactory.getILoggerFactory()).stop();
      system.terminate();
      terminated.get();
      throw e;
    }
    System.out.println("node " + id + " runs on " + host + ":" + port);
    terminated.get();
    if (refusal.get() != null) {
      throw new IllegalStateException(refusal.get());
    }
    boolean downed =
        CoordinatedShutdown.get(system)
            .getShutdownReason()
            .filter(CoordinatedShutdown.clusterDowningReason()::equals)
            .isPresent();
    return downed || strayed.get();
  }

  private Config settings() {
    Map<String, Object> own = new HashMap<>();
    own.put("tidemark.broker.id", id);
    own.put("tidemark.broker.rack", rack);
    own.put("tidemark.storage.directory", dir.toAbsolutePath().toString());
    own.put("akka.remote.artery.canonical.port", checkPort());
    own.put("akka.remote.artery.canonical.hostname", checkHost());
    seeds.forEach(this::checkSeed);
    Config defaults =
        ConfigFactory.parseMap(Map.of("tidemark.controller.voters", seeds))
            .withFallback(ConfigFactory.parseResources("tidemark-node.conf"));
    try {
      Config all =
          ConfigFactory.parseMap(own)
              .withFallback(further())
              .withFallback(defaults)
              .withFallback(ConfigFactory.load());
      Config resolved = ConfigFactory.systemProperties().withFallback(all).resolve();
      Tidemark.checkSettings(resolved);
      return resolved;
    } catch (ConfigException | IllegalArgumentException e) {
      throw wrong(e.getMessage());
    }
  }

  private Config further() {
    if (config == null) {
      return ConfigFactory.empty();
    }
    if (!Files.isReadable(config) || Files.isDirectory(config)) {
      throw wrong("--config " + config + ": no such file");
    }
    return ConfigFactory.parseFile(config.toFile());
  }

  private int checkPort() {
    if (port < 1 || port > 65_535) {
      throw wrong("--port " + port + "; allowed: 1 to 65535");
    }
    return port;
  }

  /** Before Akka finds out, with a page of stack traces. */
  private void checkPortIsFree() {
    try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getByName(host))) {
      probe.getLocalPort();
    } catch (IOException e) {
      throw new IllegalStateException(
          "cannot listen on %s:%d: %s; stop what uses it, or give another --port"
              .formatted(host, port, e.getMessage()),
          e);
    }
  }

  private String checkHost() {
    if (!host.equals("127.0.0.1") && !host.equals("localhost") && !insecure) {
      throw wrong(
          "--host "
              + host
              + ": whoever reaches that address can read and write everything; give --insecure"
              + " to allow it");
    }
    return host;
  }

  private void checkSeed(String seed) {
    if (!seed.matches("[^:@/]+:[0-9]{1,5}")) {
      throw wrong("--seed " + seed + "; allowed: host:port");
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private void endWithParent() {
    if (parent > 0) {
      ProcessHandle.of(parent)
          .ifPresentOrElse(
              it -> it.onExit().thenRun(() -> Runtime.getRuntime().halt(1)),
              () -> Runtime.getRuntime().halt(1));
    }
  }
}
