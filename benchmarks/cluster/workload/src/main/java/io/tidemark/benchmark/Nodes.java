package io.tidemark.benchmark;

import java.io.IOException;
import java.io.PrintStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The processes of a cluster and their directory. They end with this object, with this process on a
 * signal, and by {@link #endWithParent} when this process is killed.
 */
public final class Nodes implements AutoCloseable {
  /** How many nodes a cluster has. */
  public static final int COUNT = 3;

  private static final Duration START_TIME = Duration.ofMinutes(1);
  private static final int SHOWN_LINES = 20;
  private static final int FIRST_PORT = 20_000;
  private static final int LAST_PORT = 32_000;

  private final Path directory;
  private final List<Process> processes = new ArrayList<>();

  Nodes(Path parent) throws IOException {
    Files.createDirectories(parent);
    directory = Files.createTempDirectory(parent.toAbsolutePath(), "nodes-");
    Runtime.getRuntime().addShutdownHook(new Thread(this::close));
  }

  /** Of node 0 to {@link #COUNT} - 1, for its files; exists. */
  public Path directory(int node) throws IOException {
    return Files.createDirectories(directory.resolve("node-" + node));
  }

  /**
   * Ports of the loopback address that are free now, from below the range that systems take the
   * ports of outgoing connections from: such a connection could take one before its node does.
   */
  public static List<Integer> freePorts(int count) throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      while (sockets.size() < count) {
        int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT);
        try {
          sockets.add(new ServerSocket(port, 1, InetAddress.getLoopbackAddress()));
        } catch (BindException e) {
          // Somebody listens there: another one is tried.
          continue;
        }
      }
      return sockets.stream().map(ServerSocket::getLocalPort).toList();
    } finally {
      for (ServerSocket socket : sockets) {
        socket.close();
      }
    }
  }

  /** Starts a node with this process's class path. */
  public synchronized void start(int node, Class<?> main, List<String> arguments)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xms1g",
                "-Xmx1g",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    command.addAll(arguments);
    processes.add(
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(log(node).toFile())
            .start());
  }

  private Path log(int node) {
    return directory.resolve("node-" + node + ".out");
  }

  /** To be called in a node: its standard input ends when the process that started it does. */
  public static void endWithParent() {
    Thread thread =
        new Thread(
            () -> {
              try {
                while (System.in.read() >= 0) {}
              } catch (IOException e) {
                // The same end.
              }
              Runtime.getRuntime().halt(1);
            },
            "end-with-parent");
    thread.setDaemon(true);
    thread.start();
  }

  /** Waits for a condition, which is a failure while it throws; at most a minute. */
  public void await(String what, Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + START_TIME.toNanos();
    Exception last = null;
    while (true) {
      try {
        if (condition.call()) {
          return;
        }
      } catch (InterruptedException e) {
        throw e;
      } catch (Exception e) {
        last = e;
      }
      for (int node = 0; node < processes.size(); node++) {
        if (!processes.get(node).isAlive()) {
          throw new IllegalStateException("node " + node + " has ended while waiting for " + what);
        }
      }
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException("waited in vain for " + what, last);
      }
      Thread.sleep(100);
    }
  }

  /** What all nodes have computed since they started. */
  Duration cpu() {
    return processes.stream()
        .map(it -> it.info().totalCpuDuration().orElseThrow())
        .reduce(Duration.ZERO, Duration::plus);
  }

  void showLogs(PrintStream out) throws IOException {
    for (int node = 0; node < processes.size(); node++) {
      List<String> lines = Files.readAllLines(log(node));
      out.println("--- node " + node);
      lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size()).forEach(out::println);
    }
  }

  @Override
  public synchronized void close() {
    processes.forEach(Process::destroyForcibly);
    try {
      for (Process process : processes) {
        process.waitFor(10, TimeUnit.SECONDS);
      }
      delete();
    } catch (InterruptedException | IOException e) {
      System.err.println(directory + " was not removed: " + e);
    }
  }

  private void delete() throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : (Iterable<Path>) all.sorted(Comparator.reverseOrder())::iterator) {
        Files.delete(path);
      }
    }
  }
}
