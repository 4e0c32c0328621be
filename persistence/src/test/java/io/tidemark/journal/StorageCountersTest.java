package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StorageCountersTest {
  @TempDir Path directory;

  /** Named in the configuration. */
  public static final class Listener implements StorageMetrics {
    static volatile Listener latest;

    public Listener() {
      latest = this;
    }
  }

  @Test
  void commits_are_counted_whichever_thread_they_come_from() {
    StorageCounters counters = new StorageCounters(StorageMetrics.NONE);
    List<CompletableFuture<Void>> lanes = new ArrayList<>();
    for (int lane = 0; lane < 4; lane++) {
      lanes.add(
          CompletableFuture.runAsync(
              () -> {
                for (int i = 0; i < 10_000; i++) {
                  counters.committed(3, 100, 1_000_000);
                }
              }));
    }
    lanes.forEach(CompletableFuture::join);

    StorageCounters.Snapshot seen = counters.snapshot();

    assertEquals(40_000, seen.commits());
    assertEquals(120_000, seen.entries());
    assertEquals(4_000_000, seen.bytes());
    assertEquals(3.0, seen.entriesPerCommit());
    assertEquals(40_000, seen.flush().count());
    assertEquals(1_000_000, seen.flush().meanNanos());
    assertEquals(1_000_000, seen.flush().percentileNanos(50));
  }

  @Test
  void what_was_not_forced_has_no_flush_latency() {
    StorageCounters counters = new StorageCounters(StorageMetrics.NONE);

    counters.committed(1, 100, 0);

    assertEquals(1, counters.snapshot().commits());
    assertEquals(0, counters.snapshot().flush().count());
    assertEquals(0, counters.snapshot().flush().percentileNanos(99));
    assertEquals(0, counters.snapshot().flush().meanNanos());
  }

  @Test
  void a_percentile_is_at_most_an_eighth_above_the_true_one() {
    long seed = System.nanoTime();
    System.out.println("StorageCountersTest seed " + seed);
    Random random = new Random(seed);
    StorageCounters counters = new StorageCounters(StorageMetrics.NONE);
    long[] latencies = new long[5_000];
    for (int i = 0; i < latencies.length; i++) {
      latencies[i] = 1 + (random.nextLong() >>> (1 + random.nextInt(62)));
      counters.committed(1, 1, latencies[i]);
    }
    Arrays.sort(latencies);

    Latencies seen = counters.snapshot().flush();

    for (double percentile : new double[] {0.02, 1, 50, 90, 99, 99.9, 100}) {
      long exact = latencies[(int) Math.ceil(latencies.length * percentile / 100) - 1];
      long found = seen.percentileNanos(percentile);
      String context = "seed " + seed + " percentile " + percentile + ": " + found + " of " + exact;
      assertTrue(found >= exact && found - exact <= exact / 8, context);
    }
    assertEquals(latencies[latencies.length - 1], seen.maxNanos());
    assertThrows(IllegalArgumentException.class, () -> seen.percentileNanos(0));
    assertThrows(IllegalArgumentException.class, () -> seen.percentileNanos(Double.NaN));
  }

  @Test
  void recoveries_and_segments_are_counted_and_passed_on() {
    List<String> told = new ArrayList<>();
    StorageCounters counters =
        new StorageCounters(
            new StorageMetrics() {
              @Override
              public void committed(int entries, long bytes, long forceNanos) {
                told.add(entries + " entries " + bytes + " bytes " + forceNanos + " ns");
              }

              @Override
              public void recovered(String persistenceId, long nanos, long bytesScanned) {
                told.add(persistenceId + " " + nanos + " ns " + bytesScanned + " bytes");
              }

              @Override
              public void segments(int delta) {
                told.add("segments " + delta);
              }
            });

    counters.recovered("a", 5, 1_000);
    counters.segments(3);
    counters.segments(-1);
    counters.committed(1, 2, 3);

    assertEquals(
        List.of("a 5 ns 1000 bytes", "segments 3", "segments -1", "1 entries 2 bytes 3 ns"), told);
    StorageCounters.Snapshot seen = counters.snapshot();
    assertEquals(1, seen.recoveries());
    assertEquals(5, seen.recoveryNanos());
    assertEquals(1_000, seen.recoveryBytes());
    assertEquals(2, seen.segments());
  }

  @Test
  void a_listener_that_fails_fails_no_write_and_is_told_nothing_more() {
    int[] calls = {0};
    StorageCounters counters =
        new StorageCounters(
            new StorageMetrics() {
              @Override
              public void committed(int entries, long bytes, long forceNanos) {
                calls[0]++;
                throw new IllegalStateException("out of order");
              }
            });

    counters.committed(1, 1, 1);
    counters.committed(1, 1, 1);

    assertEquals(1, calls[0]);
    assertEquals(2, counters.snapshot().commits());
  }

  @Test
  void the_configured_listener_is_made_and_a_wrong_one_is_named() {
    ActorTestKit kit = ActorTestKit.create(config(Listener.class.getName()));
    Listener before = Listener.latest;
    Storage.get(kit.system());
    assertTrue(Listener.latest != before);
    kit.shutdownTestKit();

    for (String wrong : List.of("no.such.Class", "java.lang.String")) {
      ActorTestKit refused = ActorTestKit.create(config(wrong));
      StorageException e =
          assertThrows(StorageException.class, () -> Storage.get(refused.system()));
      assertTrue(e.getMessage().startsWith("tidemark.storage.metrics is \"" + wrong), e::toString);
      refused.shutdownTestKit();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"each-commit", "os"})
  void what_a_journal_commits_and_recovers_is_counted(String policy) {
    ActorTestKit kit = ActorTestKit.create(config(""));
    TestProbe<Long> probe = kit.createTestProbe();
    ActorRef<Counter.Command> counter =
        kit.spawn(Counter.create("a", "tidemark.journal." + policy));
    for (int i = 0; i < 20; i++) {
      counter.tell(new Counter.Add("text", probe.ref()));
      probe.receiveMessage();
    }

    StorageCounters.Snapshot seen = Storage.get(kit.system()).metrics();

    assertEquals(20, seen.entries());
    assertTrue(seen.commits() > 0 && seen.commits() <= 20, seen::toString);
    assertTrue(seen.bytes() >= 20 * EntryFormat.FIXED, seen::toString);
    assertEquals(1, seen.recoveries());
    assertEquals(1, seen.segments());
    assertEquals(policy.equals("os") ? 0 : seen.commits(), seen.flush().count());
    kit.shutdownTestKit();
  }

  private Config config(String listener) {
    return ConfigFactory.parseString("tidemark.storage.metrics = \"" + listener + "\"")
        .withFallback(TestConfig.withJournal("each-commit", directory));
  }
}
