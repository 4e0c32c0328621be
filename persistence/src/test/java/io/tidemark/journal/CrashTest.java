package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Kills a writing JVM at a random moment, again and again, on one directory. */
class CrashTest {
  private static final int ROUNDS = Integer.getInteger("tidemark.crash.rounds", 3);

  @TempDir Path directory;

  @Test
  @Timeout(value = 30, unit = TimeUnit.MINUTES)
  void nothing_acknowledged_is_lost_when_the_process_is_killed() throws Exception {
    long seed = System.nanoTime();
    System.out.println("CrashTest seed " + seed);
    Random random = new Random(seed);
    Map<String, Long> acknowledged = new HashMap<>();
    for (int round = 0; round < ROUNDS; round++) {
      int before = acknowledged.values().stream().mapToInt(Long::intValue).sum();
      writeUntilKilled(500 + random.nextInt(4_000), acknowledged);
      verify(acknowledged);
      int after = acknowledged.values().stream().mapToInt(Long::intValue).sum();
      assertTrue(after > before, "round " + round + " acknowledged nothing");
    }
  }

  private void writeUntilKilled(int lines, Map<String, Long> acknowledged) throws Exception {
    Process writer =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                CrashWriter.class.getName(),
                directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader output = writer.inputReader(StandardCharsets.UTF_8)) {
      int seen = 0;
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        String[] words = line.split(" ");
        if (words.length == 3 && words[0].startsWith("writer-") && words[2].equals("ok")) {
          acknowledged.merge(words[0], Long.parseLong(words[1]), Math::max);
          if (++seen == lines) {
            // Through the handle: what was printed before can still be read.
            writer.toHandle().destroyForcibly();
          }
        }
      }
      assertTrue(seen >= lines, "the writer ended by itself after " + seen + " lines");
    } finally {
      writer.destroyForcibly().waitFor();
    }
  }

  private void verify(Map<String, Long> acknowledged) throws IOException {
    try (StorageDirectory opened = StorageDirectory.open(directory, OptionalInt.empty())) {
      assertEquals(StorageDirectory.Start.SAME_BOOT, opened.start());
      Redo.all(opened.ahead(), opened.journal());
      SegmentLogs logs =
          new SegmentLogs(
              opened.journal(), new SegmentSizes(64 * 1024, 64 << 20), 64, StorageMetrics.NONE);
      for (Map.Entry<String, Long> each : acknowledged.entrySet()) {
        String id = each.getKey();
        long highest = logs.log(id).recover();
        assertTrue(highest >= each.getValue(), id + ": " + highest + " < " + each.getValue());
        long[] next = {1};
        logs.read(
            id,
            1,
            (sequenceNr, payload) -> {
              assertEquals(next[0]++, sequenceNr);
              assertTrue(StandardCharsets.UTF_8.decode(payload).toString().startsWith(id + "/"));
              return true;
            });
        assertEquals(highest + 1, next[0]);
      }
      logs.files().close();
    }
  }
}
