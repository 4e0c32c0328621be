package io.tidemark.cli;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The demo's nodes: processes on the loopback address, each with a directory of its own. */
final class DemoNodes implements AutoCloseable {
  private static final long STOP_SECONDS = 20;

  private final Path dir;
  private final List<String> addresses = new ArrayList<>();
  private final Map<Integer, Process> processes = new HashMap<>();

  DemoNodes(Path dir, int count) throws IOException {
    this.dir = dir;
    List<ServerSocket> reserved = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
      reserved.add(socket);
      addresses.add("127.0.0.1:" + socket.getLocalPort());
    }
    for (ServerSocket socket : reserved) {
      socket.close();
    }
  }

  List<String> addresses() {
    return addresses;
  }

  int count() {
    return addresses.size();
  }

  /** The ids are 1 to {@link #count}; each node is in a rack of its own. */
  synchronized void start(int id) throws IOException {
    String address = addresses.get(id - 1);
    Path home = Files.createDirectories(dir.resolve("node-" + id));
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xms128m",
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty("java.class.path")));
    // The first node stands for election first, so that it is the one with everything to lose.
    command.add("-Dtidemark.controller.election-timeout=" + (id == 1 ? 250 : 500) + "ms");
    command.addAll(
        List.of(
            Main.class.getName(),
            "node",
            "--id",
            String.valueOf(id),
            "--dir",
            home.resolve("data").toString(),
            "--port",
            address.substring(address.indexOf(':') + 1),
            "--rack",
            "rack-" + id,
            "--parent",
            String.valueOf(ProcessHandle.current().pid()),
            "--seed"));
    command.addAll(addresses);
    File log = home.resolve("node.log").toFile();
    processes.put(
        id,
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
            .start());
  }

  /** SIGKILL: the process has no say in it. */
  synchronized void kill(int id) throws InterruptedException {
    Process process = processes.get(id);
    process.destroyForcibly();
    process.waitFor();
  }

  synchronized void killAll() throws InterruptedException {
    processes.values().forEach(Process::destroyForcibly);
    for (Process process : processes.values()) {
      process.waitFor();
    }
  }

  /** For nodes whose data goes with them: they have nothing to hand over. */
  synchronized void killQuietly() {
    processes.values().forEach(Process::destroyForcibly);
  }

  /** A node that ended by itself, 0 when all that should run do. */
  synchronized int endedByItself() {
    return processes.entrySet().stream()
        .filter(it -> !it.getValue().isAlive() && it.getValue().exitValue() != 137)
        .map(Map.Entry::getKey)
        .findAny()
        .orElse(0);
  }

  Path logOf(int id) {
    return dir.resolve("node-" + id).resolve("node.log");
  }

  /** In order if they can, by force if they cannot. */
  @Override
  public synchronized void close() {
    processes.values().forEach(Process::destroy);
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(STOP_SECONDS);
    for (Process process : processes.values()) {
      try {
        process.waitFor(Math.max(1, until - System.nanoTime()), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    processes.values().forEach(Process::destroyForcibly);
    for (Process process : processes.values()) {
      process.onExit().join();
    }
  }
}
