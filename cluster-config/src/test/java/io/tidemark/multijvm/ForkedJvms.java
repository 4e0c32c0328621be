package io.tidemark.multijvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.tidemark.cli.local.FreePorts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;

/** Runs one test class in several JVMs at once, the first of which conducts the others. */
final class ForkedJvms {
  private static final long PATIENCE_SECONDS = 300;
  private static final int LAST_LINES = 60;

  private record Forked(String name, Process process, Path log) {}

  private final Class<?> spec;
  private final Path dir;
  private final List<Forked> jvms = new ArrayList<>();

  /**
   * @param dir for the JVMs' output, and for what they write themselves
   */
  ForkedJvms(Class<?> spec, Path dir) {
    this.spec = spec;
    this.dir = dir;
  }

  /**
   * The outcomes: one for each test that a JVM ran, and one for how each of them ended.
   *
   * @param ended how many the conductor is to end
   */
  Stream<DynamicTest> run(int count, int ended) throws IOException, InterruptedException {
    Files.createDirectories(dir);
    List<Integer> ports = FreePorts.find(count + 1);
    try {
      for (int index = 0; index < count; index++) {
        jvms.add(fork(index, count, ports));
      }
      long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
      for (Forked jvm : jvms) {
        jvm.process().waitFor(Math.max(1, until - System.nanoTime()), TimeUnit.NANOSECONDS);
      }
    } finally {
      jvms.forEach(jvm -> jvm.process().destroyForcibly());
    }
    List<DynamicTest> tests = new ArrayList<>();
    for (Forked jvm : jvms) {
      addOutcomes(jvm, tests);
    }
    tests.add(dynamicTest("JVMs ended by the conductor", () -> assertEquals(ended, ended())));
    return tests.stream();
  }

  private Forked fork(int index, int count, List<Integer> ports) throws IOException {
    String name = index == 0 ? "conductor" : "node " + index;
    Path log = dir.resolve(name.replace(' ', '-') + ".log");
    String brokers =
        ports.subList(1, count).stream()
            .map(port -> "127.0.0.1:" + port)
            .collect(Collectors.joining(","));
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Dmultinode.max-nodes=" + count,
            "-Dmultinode.host=127.0.0.1",
            "-Dmultinode.port=" + ports.get(index),
            "-Dmultinode.server-host=127.0.0.1",
            "-Dmultinode.server-port=" + ports.get(count),
            "-Dmultinode.index=" + index,
            "-D" + ConductedCluster.BROKERS + "=" + brokers,
            "-D" + ConductedCluster.DIRECTORY + "=" + dir.resolve("data-" + index).toAbsolutePath(),
            "-cp",
            System.getProperty("java.class.path"),
            NodeProcess.class.getName(),
            spec.getName());
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    return new Forked(name, process, log);
  }

  private void addOutcomes(Forked jvm, List<DynamicTest> tests) throws InterruptedException {
    int exitCode = jvm.process().waitFor();
    List<String> output = outputOf(jvm);
    List<Outcome> outcomes = output.stream().flatMap(it -> Outcome.parse(it).stream()).toList();
    for (Outcome outcome : outcomes) {
      tests.add(
          dynamicTest(
              jvm.name() + ": " + outcome.test(),
              () -> assertTrue(outcome.succeeded(), outcome::message)));
    }
    tests.add(
        dynamicTest(
            jvm.name() + ": ran all of its tests to its end",
            () -> {
              boolean ended = exitCode == ConductedCluster.ENDED_BY_CONDUCTOR;
              String last = lastLines(jvm, exitCode, output);
              assertTrue(ended || exitCode == 0, last);
              assertTrue(ended || outcomes.size() == testsOf(spec), last);
            }));
  }

  private static long testsOf(Class<?> spec) {
    return Arrays.stream(spec.getDeclaredMethods())
        .filter(method -> method.isAnnotationPresent(Test.class))
        .count();
  }

  private long ended() {
    return jvms.stream()
        .filter(jvm -> jvm.process().exitValue() == ConductedCluster.ENDED_BY_CONDUCTOR)
        .count();
  }

  private static List<String> outputOf(Forked jvm) {
    try {
      return new String(Files.readAllBytes(jvm.log()), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      return List.of(e.toString());
    }
  }

  private static String lastLines(Forked jvm, int exitCode, List<String> output) {
    List<String> last = output.subList(Math.max(0, output.size() - LAST_LINES), output.size());
    return "%s ended with exit code %d; its output ends with%n%s"
        .formatted(jvm.name(), exitCode, String.join("\n", last));
  }
}
