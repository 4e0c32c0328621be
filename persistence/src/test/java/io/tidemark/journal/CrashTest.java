package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.journal.CrashWriter.Writer;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Kills a writing JVM at a random moment, again and again, on one directory. */
class CrashTest {
  private static final int ROUNDS = Integer.getInteger("tidemark.crash.rounds", 10);
  private static final long SEED = Long.getLong("tidemark.crash.seed", System.nanoTime());

  /** What is known of a writer's log. */
  private static final class Known {
    final Writer writer;
    long acknowledged;

    /** By number of events: the state after them, and whether a write ends there. */
    final List<Long> states = new ArrayList<>(List.of(0L));

    final List<Boolean> ends = new ArrayList<>(List.of(true));

    Known(Writer writer) {
      this.writer = writer;
    }

    void computeUpTo(long sequenceNr) {
      while (states.size() <= sequenceNr) {
        int atOnce = writer.atOnce(states.size());
        for (int i = 1; i <= atOnce; i++) {
          String event = writer.event(SEED, states.size());
          states.add(Writer.next(states.get(states.size() - 1), event));
          ends.add(i == atOnce);
        }
      }
    }

    void endsAt(long highest) {
      assertTrue(
          highest >= acknowledged,
          writer + " ends at " + highest + ", acknowledged was " + acknowledged);
      computeUpTo(highest);
      assertTrue(ends.get((int) highest), writer + " ends within a write, at " + highest);
    }
  }

  @TempDir Path directory;
  private final Map<String, Known> logs = new HashMap<>();

  @Test
  @Timeout(value = 60, unit = TimeUnit.MINUTES)
  void nothing_acknowledged_is_lost_when_the_process_is_killed() throws Exception {
    System.out.println("CrashTest: -Dtidemark.crash.seed=" + SEED);
    Random random = new Random(SEED);
    CrashWriter.WRITERS.forEach(it -> logs.put(it.id(), new Known(it)));
    int writeAheads = 0;
    for (int round = 0; round < ROUNDS; round++) {
      boolean early = random.nextInt(4) == 0;
      writeUntilKilled(1 + random.nextInt(early ? CrashWriter.WRITERS.size() : 2_500));
      writeAheads += writeAheadFiles();
      verify();
    }
    assertTrue(writeAheads > 0, "no group of small writes went through a write-ahead file");
    for (Known log : logs.values()) {
      assertTrue(log.acknowledged > 0, log.writer + " acknowledged nothing");
    }
    System.out.println("CrashTest: " + ROUNDS + " rounds, " + acknowledged() + " acknowledged");
  }

  private long acknowledged() {
    return logs.values().stream().mapToLong(it -> it.acknowledged).sum();
  }

  private void writeUntilKilled(int lines) throws Exception {
    Process writer =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                CrashWriter.class.getName(),
                directory.toString(),
                String.valueOf(SEED))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader output = writer.inputReader(StandardCharsets.UTF_8)) {
      int seen = 0;
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (printed(line.split(" ")) && ++seen == lines) {
          // Through the handle: what was printed before can still be read.
          writer.toHandle().destroyForcibly();
        }
      }
      assertTrue(seen >= lines, "the writer ended by itself after " + seen + " lines");
    } finally {
      writer.destroyForcibly().waitFor();
    }
  }

  /** A line that the kill has cut in two is none. */
  private boolean printed(String[] words) {
    if (words.length == 3 && words[2].equals("ok")) {
      Known log = logs.get(words[0]);
      log.acknowledged = Math.max(log.acknowledged, Long.parseLong(words[1]));
      return true;
    }
    if (words.length == 4 && words[2].equals("recovered")) {
      Known log = logs.get(words[0]);
      long highest = Long.parseLong(words[1]);
      log.endsAt(highest);
      assertEquals(log.states.get((int) highest), Long.parseLong(words[3]), log.writer.toString());
      return true;
    }
    return false;
  }

  private int writeAheadFiles() throws IOException {
    Path ahead = directory.resolve("ahead");
    if (!Files.isDirectory(ahead)) {
      return 0;
    }
    try (Stream<Path> files = Files.list(ahead)) {
      return (int) files.count();
    }
  }

  /** Recovers the files without Akka, and reads all that is there. */
  private void verify() throws IOException {
    try (StorageDirectory opened = StorageDirectory.open(directory, OptionalInt.empty())) {
      assertEquals(StorageDirectory.Start.SAME_BOOT, opened.start());
      Redo.all(opened.ahead(), opened.journal(), false);
      SegmentLogs journal =
          new SegmentLogs(
              opened.journal(),
              new SegmentSizes(64 * 1024, 1 << 20),
              64,
              new StorageCounters(StorageMetrics.NONE),
              Runnable::run);
      SnapshotFiles snapshots = new SnapshotFiles(opened.snapshots());
      for (Known log : logs.values()) {
        verify(log, journal, snapshots);
      }
      journal.files().close();
    }
  }

  private static void verify(Known log, SegmentLogs journal, SnapshotFiles snapshots)
      throws IOException {
    Writer writer = log.writer;
    long highest = journal.log(writer.id()).recover();
    log.endsAt(highest);
    List<SnapshotFiles.Key> newestFirst = snapshots.list(writer.id());
    long covered = newestFirst.isEmpty() ? 0 : newestFirst.get(0).sequenceNr();
    long[] next = {0};
    journal.read(
        writer.id(),
        1,
        (sequenceNr, payload) -> {
          if (next[0] == 0) {
            assertTrue(sequenceNr <= covered + 1, writer + " begins with " + sequenceNr);
          } else {
            assertEquals(next[0], sequenceNr, writer.toString());
          }
          next[0] = sequenceNr + 1;
          assertEquals(
              writer.event(SEED, sequenceNr), StandardCharsets.UTF_8.decode(payload).toString());
          return true;
        });
    assertTrue(next[0] == highest + 1 || highest <= covered, writer + " ends at " + next[0]);
  }
}
