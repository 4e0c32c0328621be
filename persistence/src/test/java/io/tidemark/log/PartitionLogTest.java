package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogEvent.LeaderEpochStarted;
import io.tidemark.log.LogEvent.LogTruncated;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log as an actor, on the segment journal. */
class PartitionLogTest {
  private static final String JOURNAL = "tidemark.journal.os";
  private static final String SNAPSHOTS = "tidemark.snapshot-store";

  @TempDir Path directory;

  private Config config() {
    return ConfigFactory.parseMap(
            Map.of(
                "tidemark.storage.directory",
                directory.toString(),
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

  private boolean hasSnapshot() {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.anyMatch(
          file -> file.toString().contains("snapshot") && Files.isRegularFile(file));
    } catch (IOException e) {
      return false;
    }
  }
}
