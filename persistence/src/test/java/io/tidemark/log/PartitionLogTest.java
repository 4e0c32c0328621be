package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.tidemark.journal.Storage;
import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogEvent.LeaderEpochStarted;
import io.tidemark.log.LogEvent.LogRestarted;
import io.tidemark.log.LogEvent.LogStartAdvanced;
import io.tidemark.log.LogEvent.LogTruncated;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatches;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log as an actor, on the segment journal. */
class PartitionLogTest {
  private static final String JOURNAL = "tidemark.journal.os";
  private static final int SEGMENT_HEADER_BYTES = 64;
  private static final int ENTRY_HEADER_BYTES = 56;
  private static final String SNAPSHOTS = "tidemark.log-snapshot-store";

  @TempDir Path directory;

  private Config config() {
    return ConfigFactory.parseMap(
            Map.of(
                "tidemark.storage.directory",
                directory.toString(),
                "tidemark.storage.segment.max-size",
                "1 MiB",
                "akka.coordinated-shutdown.run-by-jvm-shutdown-hook",
                "off"))
        .withFallback(ConfigFactory.load());
  }

  private record Started(
      ActorRef<PartitionLog.Command> log, TestProbe<PartitionLog.Notice> owner, LogState state) {

    LogState persist(LogEvent event) {
      log.tell(new PartitionLog.Persist(5, event));
      PartitionLog.Persisted done = owner.expectMessageClass(PartitionLog.Persisted.class);
      assertEquals(5, done.token());
      return done.state();
    }
  }

  private static Started start(ActorTestKit kit) {
    TestProbe<PartitionLog.Notice> owner = kit.createTestProbe(PartitionLog.Notice.class);
    ActorRef<PartitionLog.Command> log =
        kit.spawn(PartitionLog.create("topic-0@1", JOURNAL, SNAPSHOTS, owner.getRef()));
    return new Started(log, owner, owner.expectMessageClass(PartitionLog.Recovered.class).state());
  }

  private interface Body<T> {
    T with(ActorTestKit kit) throws IOException;
  }

  private <T> T inSystem(Body<T> body) throws IOException {
    ActorTestKit kit = ActorTestKit.create("partition-log", config());
    try {
      return body.with(kit);
    } finally {
      kit.shutdownTestKit();
    }
  }

  @Test
  void a_new_log_is_empty() throws IOException {
    assertEquals(LogState.EMPTY, inSystem(kit -> start(kit).state()));
  }

  @Test
  void what_was_persisted_is_there_after_a_restart() throws IOException {
    LogState written =
        inSystem(
            kit -> {
              Started log = start(kit);
              log.persist(new LeaderEpochStarted(1, 0));
              log.persist(new BatchesAppended(LogFixtures.batch(1, 0, 3, 77, 0), 0));
              log.persist(new BatchesAppended(LogFixtures.batch(1, 3, 2, 77, 3), 3));
              return log.persist(new LogTruncated(3));
            });

    assertEquals(3, written.endOffset());
    assertEquals(written, inSystem(kit -> start(kit).state()));
  }

  @Test
  void a_log_that_was_stopped_is_recovered_in_the_same_system() throws IOException {
    inSystem(
        kit -> {
          Started log = start(kit);
          LogState written = log.persist(new BatchesAppended(LogFixtures.batch(0, 0, 3), 0));
          log.log().tell(new PartitionLog.Stop());
          log.owner().expectTerminated(log.log());

          assertEquals(written, start(kit).state());
          return null;
        });
  }

  @Test
  void a_recovery_starts_at_the_snapshot() throws IOException {
    int batchBytes = 1 << 20;
    LogState written =
        inSystem(
            kit -> {
              Started log = start(kit);
              LogState state = log.state();
              while (state.bytes() < PartitionLog.SNAPSHOT_INTERVAL_BYTES + batchBytes) {
                state =
                    log.persist(
                        new BatchesAppended(
                            LogFixtures.largeBatch(0, state.endOffset(), batchBytes), 0));
              }
              log.owner()
                  .awaitAssert(
                      () -> {
                        assertTrue(hasSnapshot());
                        return null;
                      });
              return state;
            });

    assertEquals(written, inSystem(kit -> start(kit).state()));
  }

  private static LogState appendUntil(Started log, LogState from, long bytes) {
    LogState state = from;
    while (state.bytes() < bytes) {
      ByteBuffer batch = LogFixtures.largeBatch(0, state.endOffset(), 256 << 10);
      state = log.persist(new BatchesAppended(batch, state.endOffset()));
    }
    return state;
  }

  private long journalBytes() {
    try (Stream<Path> files = Files.walk(directory.resolve("journal"))) {
      return files.map(Path::toFile).filter(File::isFile).mapToLong(File::length).sum();
    } catch (IOException | UncheckedIOException e) {
      return Long.MAX_VALUE;
    }
  }

  private void awaitJournalBelow(Started log, long bytes) {
    log.owner()
        .awaitAssert(
            () -> {
              assertTrue(journalBytes() < bytes, () -> "journal of " + journalBytes() + " bytes");
              return null;
            });
  }

  @Test
  void disk_space_comes_back_when_the_start_advances_and_the_log_recovers_and_reads_after_it()
      throws IOException {
    LogState written =
        inSystem(
            kit -> {
              Started log = start(kit);
              LogState full = appendUntil(log, log.state(), 16 << 20);
              assertTrue(journalBytes() >= 16 << 20);
              log.persist(new LogStartAdvanced(full.endOffset() - 1));
              awaitJournalBelow(log, 6 << 20);
              LogState state = log.persist(new BatchesAppended(LogFixtures.batch(0, 64, 3), 64));
              assertEquals(List.of(63L, 64L), batchesFrom(kit, state, 63));
              return state;
            });

    LogState recovered = inSystem(kit -> start(kit).state());
    assertEquals(written, recovered);
    assertEquals(List.of(63L, 64L), inSystem(kit -> batchesFrom(kit, recovered, 63)));
  }

  @Test
  void a_log_that_is_dropped_gives_its_space_back_and_is_written_anew() throws IOException {
    LogState written =
        inSystem(
            kit -> {
              Started log = start(kit);
              appendUntil(log, log.state(), 16 << 20);
              log.persist(new LogRestarted(1_000));
              awaitJournalBelow(log, 6 << 20);
              return log.persist(new BatchesAppended(LogFixtures.batch(0, 1_000, 3), 1_000));
            });

    assertEquals(written, inSystem(kit -> start(kit).state()));
  }

  @Test
  void when_the_newest_snapshot_is_damaged_nothing_that_the_older_one_needs_is_missing()
      throws IOException {
    LogState written =
        inSystem(
            kit -> {
              Started log = start(kit);
              LogState full = appendUntil(log, log.state(), 16 << 20);
              LogState advanced = log.persist(new LogStartAdvanced(full.endOffset() - 1));
              awaitJournalBelow(log, 6 << 20);
              return log.persist(
                  new BatchesAppended(LogFixtures.batch(0, 64, 3), advanced.endOffset()));
            });
    Path newest = snapshots().get(snapshots().size() - 1);
    Files.write(newest, new byte[] {1});

    assertEquals(written, inSystem(kit -> start(kit).state()));
  }

  @Test
  void a_log_whose_snapshots_are_gone_says_what_to_do_instead_of_starting_with_a_hole()
      throws IOException {
    inSystem(
        kit -> {
          Started log = start(kit);
          LogState full = appendUntil(log, log.state(), 16 << 20);
          log.persist(new LogStartAdvanced(full.endOffset() - 1));
          awaitJournalBelow(log, 6 << 20);
          return null;
        });
    for (Path snapshot : snapshots()) {
      Files.delete(snapshot);
    }

    inSystem(
        kit -> {
          TestProbe<PartitionLog.Notice> owner = kit.createTestProbe(PartitionLog.Notice.class);
          ActorRef<PartitionLog.Command> log =
              kit.spawn(PartitionLog.create("topic-0@1", JOURNAL, SNAPSHOTS, owner.getRef()));
          owner.expectTerminated(log);
          owner.expectNoMessage(Duration.ZERO);
          return null;
        });
  }

  @Test
  void s39_damage_in_what_had_been_flushed_is_found_and_not_served() throws IOException {
    LogState written =
        inSystem(
            kit -> {
              Started log = start(kit);
              log.persist(new BatchesAppended(LogFixtures.batch(0, 0, 3), 0));
              return log.persist(new BatchesAppended(LogFixtures.batch(0, 3, 3), 3));
            });
    damageFirstBatch();

    inSystem(
        kit -> {
          assertThrows(IOException.class, () -> batchesFrom(kit, written, 0));
          TestProbe<PartitionLog.Notice> owner = kit.createTestProbe(PartitionLog.Notice.class);
          ActorRef<PartitionLog.Command> log =
              kit.spawn(PartitionLog.create("topic-0@1", JOURNAL, SNAPSHOTS, owner.getRef()));
          owner.expectTerminated(log);
          return null;
        });
  }

  private void damageFirstBatch() throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve("journal"))) {
      Path segment =
          files.filter(file -> file.toString().endsWith(".seg")).sorted().findFirst().orElseThrow();
      byte[] bytes = Files.readAllBytes(segment);
      bytes[SEGMENT_HEADER_BYTES + ENTRY_HEADER_BYTES + 100] ^= 1;
      Files.write(segment, bytes);
    }
  }

  private List<Path> snapshots() throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve("snapshots"))) {
      return files.filter(file -> file.toString().endsWith(".snap")).sorted().toList();
    }
  }

  private static List<Long> batchesFrom(ActorTestKit kit, LogState state, long from)
      throws IOException {
    EntrySource disk =
        (id, first, visitor) ->
            Storage.get(kit.system()).eventReader().read(id, first, visitor::entry);
    ByteBuffer found =
        new BatchReader(disk, "topic-0@1").read(state, from, state.endOffset(), 1 << 20);
    return RecordBatches.list(found).stream().map(RecordBatch::baseOffset).toList();
  }

  @Test
  void an_erased_log_is_gone_from_the_disk_and_begins_anew() throws IOException {
    LogState erased =
        inSystem(
            kit -> {
              Started log = start(kit);
              log.persist(new BatchesAppended(LogFixtures.batch(3, 0, 3, 77, 0), 3));
              log.log().tell(new PartitionLog.Erase());
              log.owner().expectMessageClass(PartitionLog.Erased.class);
              log.log().tell(new PartitionLog.Stop());
              log.owner().expectTerminated(log.log());
              return start(kit).state();
            });
    assertEquals(0, erased.endOffset());
    assertEquals(-1, erased.lastEpoch());
    assertFalse(hasSegment());

    LogState written =
        inSystem(
            kit -> {
              Started log = start(kit);
              assertEquals(erased, log.state());
              return log.persist(new BatchesAppended(LogFixtures.batch(5, 0, 2), 0));
            });

    assertEquals(2, written.endOffset());
    assertEquals(written, inSystem(kit -> start(kit).state()));
  }

  private boolean hasSegment() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.anyMatch(file -> file.toString().endsWith(".seg"));
    }
  }

  private boolean hasSnapshot() {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.anyMatch(
          file -> file.toString().contains("snapshot") && Files.isRegularFile(file));
    } catch (IOException e) {
      return false;
    }
  }
}
