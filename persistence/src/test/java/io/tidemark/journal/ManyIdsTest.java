package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Far more persistence ids than the process may have open files, all writing at once. */
class ManyIdsTest {
  private static final Path MEMORY = Path.of("/dev/shm");

  @TempDir Path onDisk;

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void ten_thousand_ids_under_a_limit_of_1024_open_files() throws Exception {
    writeAndRead(10_000, 512, 1024);
  }

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void handles_are_given_back_when_the_process_may_open_fewer_than_the_setting_says()
      throws Exception {
    writeAndRead(1_000, 100_000, 200);
  }

  private void writeAndRead(int ids, int openFiles, int limit) throws Exception {
    Path directory =
        Files.isWritable(MEMORY) ? Files.createTempDirectory(MEMORY, "many-ids") : onDisk;
    try {
      assertEquals(List.of("written " + ids, "read " + ids), run(directory, ids, openFiles, limit));
    } finally {
      try (Stream<Path> all = Files.walk(directory)) {
        for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
      Files.createDirectories(onDisk);
    }
  }

  private static List<String> run(Path directory, int ids, int openFiles, int limit)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                "bash",
                "-c",
                "ulimit -n " + limit + " && exec \"$0\" \"$@\"",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Writer.class.getName(),
                directory.toString(),
                Integer.toString(ids),
                Integer.toString(openFiles))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      return output.lines().toList();
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  /** Writes with all ids at once, closes in order, and reads it all back. */
  static final class Writer {
    private static final SegmentSizes SIZES = new SegmentSizes(4096, 1 << 20);

    private final Path directory;
    private final int ids;
    private final int openFiles;

    private Writer(Path directory, int ids, int openFiles) {
      this.directory = directory;
      this.ids = ids;
      this.openFiles = openFiles;
    }

    public static void main(String[] args) throws Exception {
      new Writer(Path.of(args[0]), Integer.parseInt(args[1]), Integer.parseInt(args[2])).run();
      System.exit(0);
    }

    private void run() throws Exception {
      SegmentLogs logs = logs();
      ScheduledExecutorService background = Executors.newSingleThreadScheduledExecutor();
      WriteAhead ahead = new WriteAhead(directory.resolve("ahead"), "lane", 1 << 20, background);
      GroupCommit commit =
          new GroupCommit(
              logs,
              new WriteBuffers(1 << 20),
              FlushPolicy.EACH_COMMIT,
              ahead,
              log -> {},
              StorageMetrics.NONE);
      Lane lane = new Lane("lane", commit, new QueueLimits(ids, 64 << 20, Duration.ofMinutes(5)));
      for (int round = 1; round <= 2; round++) {
        List<CompletableFuture<Object>> writes = new ArrayList<>();
        for (int id = 0; id < ids; id++) {
          AtomicEntries entries = LogFixture.encoded("id-" + id, round, "event of " + id);
          writes.add(lane.write(List.of(entries)).toCompletableFuture());
        }
        CompletableFuture.allOf(writes.toArray(CompletableFuture[]::new)).join();
      }
      lane.close();
      background.shutdown();
      background.awaitTermination(1, TimeUnit.MINUTES);
      ahead.close(logs.close());
      System.out.println("written " + logs.persistenceIds().size());
      System.out.println("read " + read(logs()));
    }

    private SegmentLogs logs() throws IOException {
      return new SegmentLogs(
          directory.resolve("journal"), SIZES, openFiles, StorageMetrics.NONE, Runnable::run);
    }

    private int read(SegmentLogs logs) throws IOException {
      int right = 0;
      for (int id = 0; id < ids; id++) {
        String expected = "event of " + id;
        int[] events = {0};
        logs.read(
            "id-" + id,
            1,
            (sequenceNr, payload) -> {
              String event = StandardCharsets.UTF_8.decode(payload).toString();
              events[0] += event.equals(expected) ? 1 : 0;
              return true;
            });
        right += events[0] == 2 ? 1 : 0;
      }
      return right;
    }
  }
}
