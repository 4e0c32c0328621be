package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogViewTest {
  private static final int ENTRIES = 4_000;

  @TempDir Path directory;

  @Test
  void reading_is_safe_while_the_log_is_written_rolled_and_deleted() throws Exception {
    long seed = System.nanoTime();
    System.out.println("LogViewTest seed " + seed);
    LogFixture fixture = new LogFixture(directory);
    AtomicLong acknowledged = new AtomicLong();
    CompletableFuture<Void> reader =
        CompletableFuture.runAsync(() -> readUntilTheEnd(fixture, acknowledged, new Random(seed)));

    for (int i = 1; i <= ENTRIES && !reader.isDone(); i++) {
      fixture.write("a", i, i + "-".repeat(i % 600));
      fixture.log("a").acknowledge(i);
      acknowledged.set(i);
      if (i % 1_000 == 0) {
        fixture.log("a").deleteTo(i - 500);
      }
    }

    reader.get(60, TimeUnit.SECONDS);
  }

  /** What is read begins where it was asked for or above a deletion, and has no holes but those. */
  private static void readUntilTheEnd(LogFixture fixture, AtomicLong acknowledged, Random random) {
    for (long seen = 0; seen < ENTRIES; ) {
      long before = acknowledged.get();
      long from = 1 + (before == 0 ? 0 : random.nextInt((int) before));
      long[] last = {0};
      try {
        fixture
            .logs()
            .read(
                "a",
                from,
                (sequenceNr, payload) -> {
                  assertTrue(sequenceNr >= from && sequenceNr > last[0]);
                  String text = StandardCharsets.UTF_8.decode(payload).toString();
                  assertEquals(sequenceNr + "-".repeat((int) (sequenceNr % 600)), text);
                  last[0] = sequenceNr;
                  return true;
                });
      } catch (IOException e) {
        throw new AssertionError(e);
      }
      assertTrue(last[0] >= before, last[0] + " < " + before);
      seen = last[0];
    }
  }
}
