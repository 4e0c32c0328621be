package io.tidemark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The command line in a process of its own, with a directory for temporary files of its own. */
public final class CommandLineProcess {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(240);
  private static final long LOOK_MILLIS = 100;

  private final Path out;
  private final Path err;
  private final Path temporary;
  private final Process process;
  private final Set<ProcessHandle> children = new HashSet<>();

  /**
   * @param dir for its output and its temporary files
   */
  CommandLineProcess(Path dir, List<String> arguments) throws IOException {
    this.out = dir.resolve("out");
    this.err = dir.resolve("err");
    this.temporary = Files.createDirectories(dir.resolve("temporary"));
    List<String> command =
        new ArrayList<>(
            List.of(
                // Whoever runs the tests in the background has SIGINT ignored, and so would we.
                "env",
                "--default-signal=INT",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx512m",
                "-Djava.io.tmpdir=" + temporary,
                "-cp",
                classPath(),
                Main.class.getName()));
    command.addAll(arguments);
    this.process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
  }

  /** As in production: the test kits are of another Akka version, which nodes refuse. */
  public static String classPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> !entry.endsWith("test-classes"))
        .filter(entry -> !Path.of(entry).getFileName().toString().contains("testkit"))
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** Returns the exit code. */
  int awaitExit() throws InterruptedException {
    awaitCondition("its end", () -> !process.isAlive());
    return process.exitValue();
  }

  void awaitError(String text) throws InterruptedException {
    awaitCondition("'" + text + "'", () -> !process.isAlive() || error().contains(text));
  }

  void awaitFile(Path file, String text) throws InterruptedException {
    awaitCondition(
        text + " in " + file,
        () -> !process.isAlive() || Files.exists(file) && read(file).contains(text));
  }

  private void awaitCondition(String what, BooleanSupplier condition) throws InterruptedException {
    long until = System.nanoTime() + PATIENCE_NANOS;
    while (!condition.getAsBoolean()) {
      process.descendants().forEach(children::add);
      process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      if (System.nanoTime() > until) {
        process.destroyForcibly();
        fail("waited in vain for " + what + ": " + output() + error());
      }
    }
  }

  /** SIGINT, as by Ctrl-C. */
  void interrupt() throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("kill", "-INT", String.valueOf(process.pid())).start();
    assertEquals(0, kill.waitFor());
  }

  String output() {
    return read(out);
  }

  String error() {
    return read(err);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  JsonNode json() throws IOException {
    List<String> lines = output().lines().toList();
    return new ObjectMapper().readTree(lines.get(lines.size() - 1));
  }

  int childrenSeen() {
    return children.size();
  }

  void assertNothingLeft() throws IOException {
    assertEquals(List.of(), children.stream().filter(ProcessHandle::isAlive).toList());
    try (Stream<Path> left = Files.list(temporary)) {
      assertEquals(
          List.of(),
          left.map(path -> path.getFileName().toString())
              .filter(name -> name.startsWith("tidemark"))
              .toList());
    }
  }
}
