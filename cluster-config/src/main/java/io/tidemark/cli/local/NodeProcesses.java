package io.tidemark.cli.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * The nodes of a cluster as processes on the loopback address, each with a directory of its own.
 * Their ids are 1 to {@link #count}; each is in a rack of its own.
 */
public final class NodeProcesses implements AutoCloseable {
  private static final long STOP_SECONDS = 20;

  /**
   * How they are started.
   *
   * @param main the command line's class
   * @param jvm the options of a node's JVM, by its id
   */
  public record Launch(Class<?> main, IntFunction<List<String>> jvm) {}

  private final Path dir;
  private final Launch launch;
  private final List<String> addresses;

  /** Those that should run. */
  private final Map<Integer, Process> processes = new HashMap<>();

  private boolean closed;

  public NodeProcesses(Path dir, int count, Launch launch) {
    this.dir = dir;
    this.launch = launch;
    this.addresses = FreePorts.find(count).stream().map(port -> "127.0.0.1:" + port).toList();
  }

  public List<String> addresses() {
    return addresses;
  }

  public int count() {
    return addresses.size();
  }

  public synchronized void startAll() throws IOException {
    for (int id = 1; id <= count(); id++) {
      start(id);
    }
  }

  /**
   * @throws IllegalStateException when all were closed meanwhile
   */
  public synchronized void start(int id) throws IOException {
    if (closed) {
      throw new IllegalStateException("node " + id + " is not started: all were ended");
    }
    String address = addresses.get(id - 1);
    Path home = Files.createDirectories(homeOf(id));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(launch.jvm().apply(id));
    command.addAll(
        List.of(
            "-XX:+ExitOnOutOfMemoryError",
            "-cp",
            System.getProperty("java.class.path"),
            launch.main().getName(),
            "node",
            "--id",
            String.valueOf(id),
            "--dir",
            dataOf(id).toString(),
            "--port",
            address.substring(address.indexOf(':') + 1),
            "--rack",
            "rack-" + id,
            "--parent",
            String.valueOf(ProcessHandle.current().pid()),
            "--seed"));
    command.addAll(addresses);
    processes.put(
        id,
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(logOf(id).toFile()))
            .start());
  }

  /** The process of a node that should run. */
  public synchronized Process process(int id) {
    return processes.get(id);
  }

  /** SIGKILL: the process has no say in it. */
  public void kill(int id) throws InterruptedException {
    Process process = remove(id);
    process.destroyForcibly();
    process.waitFor();
  }

  private synchronized Process remove(int id) {
    return processes.remove(id);
  }

  public synchronized void killAll() throws InterruptedException {
    List<Process> killed = List.copyOf(processes.values());
    processes.clear();
    killed.forEach(Process::destroyForcibly);
    for (Process process : killed) {
      process.waitFor();
    }
  }

  /** A node that ended by itself. */
  public synchronized OptionalInt endedByItself() {
    return processes.entrySet().stream()
        .filter(it -> !it.getValue().isAlive())
        .mapToInt(Map.Entry::getKey)
        .findAny();
  }

  private Path homeOf(int id) {
    return dir.resolve("node-" + id);
  }

  /** Its storage directory. */
  public Path dataOf(int id) {
    return homeOf(id).resolve("data");
  }

  /** What it printed. */
  public Path logOf(int id) {
    return homeOf(id).resolve("node.log");
  }

  /** For nodes whose data goes with them: they have nothing to hand over. */
  public synchronized void discard() {
    processes.values().forEach(Process::destroyForcibly);
    close();
  }

  /** In order if they can, by force if they cannot. */
  @Override
  public synchronized void close() {
    closed = true;
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
