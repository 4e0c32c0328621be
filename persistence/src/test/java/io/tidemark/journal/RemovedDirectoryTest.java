package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.LoggingTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Somebody removes the directory under a running system. */
class RemovedDirectoryTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir Path parent;
  private Path directory;
  private ActorTestKit kit;

  @BeforeEach
  void start() {
    directory = parent.resolve("data");
    kit = ActorTestKit.create(TestConfig.withJournal("each-commit", directory));
  }

  @AfterEach
  void stop() {
    kit.shutdownTestKit();
  }

  private ActorRef<Counter.Command> counter(String id) {
    return kit.spawn(Counter.create(id, "tidemark.journal.each-commit"));
  }

  private void remove() {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void it_is_noticed_and_nothing_more_is_acknowledged_or_made_anew() {
    ActorRef<Counter.Command> counter = counter("a");
    TestProbe<Long> probe = kit.createTestProbe();
    counter.tell(new Counter.Add("first", probe.ref()));
    assertEquals(1, probe.receiveMessage(LONG));

    LoggingTestKit.error("was removed or replaced while it was in use")
        .withOccurrences(1)
        .expect(
            kit.system(),
            () -> {
              remove();
              awaitRefused();
              return null;
            });

    counter.tell(new Counter.Add("second", probe.ref()));
    kit.createTestProbe().expectTerminated(counter, LONG);
    kit.createTestProbe().expectTerminated(counter("b"), LONG);
    probe.expectNoMessage(Duration.ZERO);
    assertFalse(Files.exists(directory));
  }

  private void awaitRefused() {
    kit.createTestProbe()
        .awaitAssert(
            LONG,
            () -> {
              assertFalse(Storage.get(kit.system()).logs().isUsable());
              return null;
            });
  }

  @Test
  void another_one_in_its_place_is_noticed_too() throws IOException {
    ActorRef<Counter.Command> counter = counter("a");
    TestProbe<Long> probe = kit.createTestProbe();
    counter.tell(new Counter.Add("first", probe.ref()));
    assertEquals(1, probe.receiveMessage(LONG));

    Files.move(directory, parent.resolve("aside"));
    Files.createDirectory(directory);
    Files.createFile(directory.resolve("lock"));
    awaitRefused();

    counter.tell(new Counter.Add("second", probe.ref()));
    kit.createTestProbe().expectTerminated(counter, LONG);
    try (Stream<Path> files = Files.list(directory)) {
      assertEquals(List.of(directory.resolve("lock")), files.toList());
    }
  }
}
