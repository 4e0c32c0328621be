package io.tidemark.benchmark;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures Tidemark and others in turns, each run with new processes and a new directory. */
@Command(
    name = "cluster",
    mixinStandardHelpOptions = true,
    description = "Measures clusters of three nodes on the loopback address, in turns.")
public final class ClusterBenchmark implements Callable<Integer> {
  private static final String TIDEMARK = "tidemark";
  private static final List<String> PEERS = List.of("kafka", "jraft", "ratis");

  @Mixin private Plan plan;

  @Option(names = "--runs", description = "Of each contestant; default: ${DEFAULT-VALUE}")
  private int runs = 5;

  @Option(names = "--against", split = ",", description = "Default: ${DEFAULT-VALUE}")
  private List<String> against = PEERS;

  @Option(names = "--peers-only", description = "Leaves Tidemark itself out")
  private boolean peersOnly;

  @Option(
      names = "--jvm-options",
      description = "For all JVMs of all contestants; default: ${DEFAULT-VALUE}")
  private String jvmOptions = "-XX:+UseParallelGC";

  @Option(
      names = "--results",
      description = "A file to append a line of JSON for each run to; default: ${DEFAULT-VALUE}")
  private Path results = home().resolve("benchmarks/target/results.jsonl");

  public static void main(String[] args) {
    System.exit(
        new CommandLine(new ClusterBenchmark())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .execute(args));
  }

  private static Path home() {
    return Path.of(System.getProperty("benchmark.home"));
  }

  @Override
  public Integer call() throws Exception {
    plan.check();
    for (String peer : against) {
      if (!PEERS.contains(peer)) {
        throw new IllegalArgumentException("--against takes some of " + PEERS + ", not " + peer);
      }
    }
    List<String> contestants = new ArrayList<>(against);
    if (!peersOnly) {
      contestants.add(0, TIDEMARK);
    }
    Files.createDirectories(plan.directory);
    Files.createDirectories(results.toAbsolutePath().getParent());
    UsedMemory memory = new UsedMemory(home().resolve("benchmarks/target/holes"));
    List<Measurement> measurements = new ArrayList<>();
    for (int run = 1; run <= runs; run++) {
      for (String contestant : contestants) {
        if (plan.workload == Plan.Workload.THROUGHPUT) {
          memory.fill();
        }
        System.out.printf(
            "run %d of %d, %s; load average %.1f%n",
            run,
            runs,
            contestant,
            ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
        Measurement measurement = measure(contestant);
        measurements.add(measurement);
        System.out.println(measurement.toJson());
        Files.writeString(
            results,
            measurement.toJson() + "\n",
            StandardOpenOption.CREATE,
            StandardOpenOption.APPEND);
      }
    }
    System.out.println();
    System.out.print(Table.of(measurements));
    return 0;
  }

  private Measurement measure(String contestant) throws IOException, InterruptedException {
    List<String> command = contestant.equals(TIDEMARK) ? tidemark() : peer(contestant);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    // Java's launcher reads it, in the client and in the nodes that the client starts.
    builder.environment().put("JDK_JAVA_OPTIONS", jvmOptions);
    Process process = builder.start();
    Thread ending = new Thread(() -> end(process));
    Runtime.getRuntime().addShutdownHook(ending);
    String json = null;
    try (BufferedReader out = process.inputReader()) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        if (line.startsWith("{")) {
          json = line;
        }
      }
    }
    int code = process.waitFor();
    Runtime.getRuntime().removeShutdownHook(ending);
    if (code != 0 || json == null) {
      throw new IllegalStateException(
          "%s ended with %d and %s: %s"
              .formatted(contestant, code, json == null ? "without a result" : json, command));
    }
    return Measurement.parse(json)
        .with("contestant", contestant)
        .with("workload", plan.workload.toString());
  }

  private List<String> peer(String name) {
    Path target = home().resolve("benchmarks/cluster").resolve(name).resolve("target");
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xms1g",
                "-Xmx1g",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                "-cp",
                target.resolve("classes") + ":" + target.resolve("lib") + "/*",
                "io.tidemark.benchmark." + name + ".Main"));
    command.addAll(plan.arguments());
    return command;
  }

  private List<String> tidemark() {
    List<String> command =
        new ArrayList<>(
            List.of(
                home().resolve("bin/tidemark").toString(),
                "bench",
                plan.workload.toString(),
                "--size=" + plan.size,
                "--partitions=" + plan.partitions,
                "--flush=" + plan.flush,
                "--seconds=" + plan.seconds,
                "--warmup=" + plan.warmUp,
                "--batch=" + Plan.BATCH_BYTES,
                "--runs=1",
                "--directory=" + plan.directory,
                "--json"));
    if (plan.workload == Plan.Workload.LATENCY) {
      command.add("--rate=" + plan.rate);
    }
    return command;
  }

  /** The contestant's client ends its nodes on a signal; what is left after a while is killed. */
  private static void end(Process process) {
    List<ProcessHandle> nodes = process.descendants().toList();
    process.destroy();
    try {
      process.waitFor(15, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      // Killed now.
    }
    process.destroyForcibly();
    nodes.forEach(ProcessHandle::destroyForcibly);
  }
}
