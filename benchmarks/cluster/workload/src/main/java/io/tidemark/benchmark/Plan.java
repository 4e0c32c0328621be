package io.tidemark.benchmark;

import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What is measured: the same options for every contestant. */
public final class Plan {
  /** How the records are sent. */
  public enum Workload {
    /** As many as the cluster takes. */
    THROUGHPUT,
    /** At a fixed rate, however slow the answers are; measured from when each was due. */
    LATENCY;

    @Override
    public String toString() {
      return name().toLowerCase();
    }
  }

  /** What an acknowledged record has survived on each replica that counts. */
  public enum Flush {
    /** It is in the operating system's cache. */
    OS("os"),
    /** It was flushed to the disk. */
    EACH_COMMIT("each-commit");

    private final String name;

    Flush(String name) {
      this.name = name;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private static final int REQUEST_BYTES = 64 << 10;

  /** Of contestants whose producer gathers: what both are quickest with, of 64, 128 and 256 KiB. */
  public static final int BATCH_BYTES = 256 << 10;

  @Parameters(index = "0", description = "${COMPLETION-CANDIDATES}")
  public Workload workload;

  @Option(names = "--size", description = "Bytes of a record's value; default: ${DEFAULT-VALUE}")
  public int size = 1024;

  @Option(
      names = "--partitions",
      description = "Partitions, or Raft groups; default: ${DEFAULT-VALUE}")
  public int partitions = 8;

  @Option(names = "--flush", description = "${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}")
  public Flush flush = Flush.OS;

  @Option(names = "--seconds", description = "Seconds measured; default: ${DEFAULT-VALUE}")
  public int seconds = 10;

  @Option(names = "--warmup", description = "Seconds before those; default: ${DEFAULT-VALUE}")
  public int warmUp = 20;

  @Option(
      names = "--rate",
      description = "Records per second of the latency workload; default: ${DEFAULT-VALUE}")
  public int rate = 1000;

  @Option(
      names = "--directory",
      description = "Where the nodes write, removed afterwards; default: ${DEFAULT-VALUE}")
  public Path directory =
      Path.of(System.getProperty("benchmark.home", "."), "benchmarks", "target", "cluster");

  /**
   * Records in one request to a contestant whose client does not gather records by itself: 64 KiB
   * of them, and each alone where latency is measured.
   */
  public int recordsInRequest() {
    return workload == Workload.LATENCY ? 1 : Math.max(1, REQUEST_BYTES / size);
  }

  void check() {
    requireWithin("--size", size, 1, 1 << 20);
    requireWithin("--partitions", partitions, 1, 1024);
    requireWithin("--seconds", seconds, 1, 3600);
    requireWithin("--warmup", warmUp, 0, 3600);
    requireWithin("--rate", rate, 1, 1_000_000);
  }

  private static void requireWithin(String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "%s must be from %d to %d, and is %d".formatted(option, least, most, value));
    }
  }

  List<String> arguments() {
    return List.of(
        workload.toString(),
        "--size=" + size,
        "--partitions=" + partitions,
        "--flush=" + flush,
        "--seconds=" + seconds,
        "--warmup=" + warmUp,
        "--rate=" + rate,
        "--directory=" + directory);
  }
}
