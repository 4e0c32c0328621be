package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.tidemark.journal.StorageDirectory.Start;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StorageTest {
  @TempDir Path directory;

  private Config config() {
    return TestConfig.withJournal("each-commit", directory);
  }

  private static void add(ActorTestKit kit, long expected, String id, String journal, String text) {
    TestProbe<Long> probe = kit.createTestProbe();
    ActorRef<Counter.Command> counter =
        kit.spawn(Counter.create(id, "tidemark.journal." + journal));
    counter.tell(new Counter.Add(text, probe.ref()));
    assertEquals(expected, probe.receiveMessage());
    kit.stop(counter);
  }

  @Test
  void events_and_identity_survive_an_orderly_restart_which_is_clean() {
    ActorTestKit kit = ActorTestKit.create(config());
    UUID id = Storage.get(kit.system()).directory().directoryId();
    for (String journal : List.of("quorum", "each-commit", "os")) {
      add(kit, 1, "id-" + journal, journal, "one");
      add(kit, 2, "id-" + journal, journal, "snapshot");
    }
    kit.shutdownTestKit();

    ActorTestKit again = ActorTestKit.create(config());

    StorageDirectory opened = Storage.get(again.system()).directory();
    assertEquals(id, opened.directoryId());
    assertEquals(Start.CLEAN_SHUTDOWN, opened.start());
    for (String journal : List.of("quorum", "each-commit", "os")) {
      add(again, 3, "id-" + journal, journal, "three");
    }
    again.shutdownTestKit();
  }

  @Test
  void a_second_system_on_the_same_directory_is_refused() {
    ActorTestKit first = ActorTestKit.create(config());
    ActorTestKit second = ActorTestKit.create(config());
    Storage.get(first.system());

    StorageException refused =
        assertThrows(StorageException.class, () -> Storage.get(second.system()));

    assertTrue(refused.getMessage().contains("in use"), refused.getMessage());
    second.shutdownTestKit();
    add(first, 1, "a", "each-commit", "one");
    first.shutdownTestKit();
  }

  @Test
  void a_missing_directory_setting_is_named() {
    ActorTestKit kit =
        ActorTestKit.create(
            ConfigFactory.parseString("tidemark.storage.directory = \"\"").withFallback(config()));

    StorageException refused =
        assertThrows(StorageException.class, () -> Storage.get(kit.system()));

    assertTrue(refused.getMessage().contains("tidemark.storage.directory"), refused.getMessage());
    kit.shutdownTestKit();
  }

  @Test
  void a_setting_out_of_range_is_named_with_its_range() {
    Config wrong =
        ConfigFactory.parseString("tidemark.storage.max-open-files = 1").withFallback(config());

    StorageException refused =
        assertThrows(StorageException.class, () -> Storage.checkSettings(wrong));

    assertEquals(
        "tidemark.storage.max-open-files is 1; allowed: 2 to 1000000", refused.getMessage());
  }

  @Test
  void a_damaged_newest_snapshot_falls_back_to_the_one_before() throws Exception {
    ActorTestKit kit = ActorTestKit.create(config());
    add(kit, 1, "a", "each-commit", "snapshot 1");
    add(kit, 2, "a", "each-commit", "snapshot 2");
    add(kit, 3, "a", "each-commit", "three");
    kit.shutdownTestKit();
    List<Path> snapshots;
    try (Stream<Path> files = Files.list(directory.resolve("snapshots/a"))) {
      snapshots = files.sorted().toList();
    }
    assertEquals(2, snapshots.size());
    LogFixture.damage(snapshots.get(1), Files.size(snapshots.get(1)) - 1);

    ActorTestKit again = ActorTestKit.create(config());

    add(again, 4, "a", "each-commit", "four");
    again.shutdownTestKit();
  }

  @Test
  void a_damaged_log_fails_its_own_id_only() throws Exception {
    ActorTestKit kit = ActorTestKit.create(config());
    for (int i = 1; i <= 3; i++) {
      add(kit, i, "a", "each-commit", "text");
      add(kit, i, "b", "each-commit", "text");
    }
    kit.shutdownTestKit();
    Path segment = directory.resolve("journal/a").resolve(Segment.fileName(1));
    LogFixture.damage(segment, LogFixture.entryPositions(segment).get(1) + 60);

    ActorTestKit again = ActorTestKit.create(config());
    ActorRef<Counter.Command> failing =
        again.spawn(Counter.create("a", "tidemark.journal.each-commit"));

    TestProbe<Void> probe = again.createTestProbe();
    probe.expectTerminated(failing);
    add(again, 4, "b", "each-commit", "text");
    again.shutdownTestKit();
  }

  @Test
  void a_store_that_keeps_two_snapshots_drops_the_older_ones() throws Exception {
    Config keepsTwo =
        ConfigFactory.parseString("tidemark.snapshot-store.keep = 2").withFallback(config());
    ActorTestKit kit = ActorTestKit.create(keepsTwo);
    for (int i = 1; i <= 4; i++) {
      add(kit, i, "id", "each-commit", "snapshot");
    }

    kit.createTestProbe()
        .awaitAssert(
            () -> {
              List<Long> numbers =
                  Storage.get(kit.system()).snapshots().list("id").stream()
                      .map(SnapshotFiles.Key::sequenceNr)
                      .toList();
              assertEquals(List.of(4L, 3L), numbers);
              return null;
            });
    kit.shutdownTestKit();
  }

  @Test
  void settings_that_a_plugin_would_fail_at_later_are_told_ahead() {
    Storage.checkSettings(config());
    for (String[] wrong :
        new String[][] {
          {"tidemark.journal.quorum.lanes = 0", "tidemark.journal.quorum.lanes is 0"},
          {"tidemark.journal.os.flush-policy = maybe", "tidemark.journal.os.flush-policy"},
          {"tidemark.journal.quorum.flush-policy = os", "only each-commit is allowed"},
          {"tidemark.storage.max-open-files = x", "tidemark.storage.max-open-files is x"},
          {"tidemark.storage.segment.initial-size = 1B", "tidemark.storage.segment.initial-size"},
          {"tidemark.storage.write-buffers = much", "tidemark.storage.write-buffers is much"},
          {"tidemark.storage.queue.max-wait = []", "tidemark.storage.queue.max-wait is []"},
          {"tidemark.journal.os.lanes = few", "tidemark.journal.os.lanes is few"},
          {"tidemark.snapshot-store.keep = -1", "tidemark.snapshot-store.keep is -1; allowed: 0"},
          {"tidemark.log-snapshot-store.keep = 1", "log-snapshot-store.keep is 1; allowed: 2"},
          {
            "tidemark.read-journal.refresh-interval = 0",
            "tidemark.read-journal.refresh-interval is 0 ms; allowed: 1 ms"
          },
          {
            "tidemark.storage.segmnt.max-size = 1MiB",
            "tidemark.storage.segmnt.max-size is no setting; is tidemark.storage.segment.max-size meant?"
          },
          {"tidemark.storage.directory = \"\"", "tidemark.storage.directory is not set"}
        }) {
      Config config = ConfigFactory.parseString(wrong[0]).withFallback(config());

      StorageException refused =
          assertThrows(StorageException.class, () -> Storage.checkSettings(config));

      assertTrue(refused.getMessage().contains(wrong[1]), refused.getMessage());
    }
  }
}
