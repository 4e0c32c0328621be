package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import akka.persistence.query.PersistenceQuery;
import akka.stream.javadsl.Sink;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Persistence ids are whatever an application makes them; folders are on a real file system. */
class PersistenceIdsTest {
  private static final List<String> NASTY =
      List.of(
          ".",
          "..",
          "../../up",
          "/etc/passwd",
          "a/b",
          "a\\b",
          "a\0b",
          "Twin",
          "twin",
          "TWIN",
          "%2e%2e",
          "=",
          "a?",
          "a b\n",
          "con",
          "größe",
          "gro\u0308ße",
          "🌊",
          "🌊".repeat(100),
          "x".repeat(4_000),
          "x".repeat(3_999) + "y",
          "X".repeat(4_000));

  @TempDir Path parent;

  private Path directory() {
    return parent.resolve("data");
  }

  private static void add(ActorTestKit kit, String id, long expected) {
    TestProbe<Long> probe = kit.createTestProbe();
    ActorRef<Counter.Command> counter =
        kit.spawn(Counter.create(id, "tidemark.journal.each-commit"));
    // The text has the event stored as a snapshot too.
    counter.tell(new Counter.Add("snapshot", probe.ref()));
    assertEquals(expected, probe.receiveMessage(), id);
    kit.stop(counter);
  }

  private Set<String> folders(String part) throws Exception {
    try (Stream<Path> folders = Files.list(directory().resolve(part))) {
      Set<String> names = new HashSet<>();
      folders.forEach(folder -> names.add(folder.getFileName().toString()));
      return names;
    }
  }

  @Test
  void each_has_folders_of_its_own_inside_the_directory() throws Exception {
    ActorTestKit kit = ActorTestKit.create(TestConfig.withJournal("each-commit", directory()));
    NASTY.forEach(id -> add(kit, id, 1));
    kit.shutdownTestKit();

    ActorTestKit again = ActorTestKit.create(TestConfig.withJournal("each-commit", directory()));
    NASTY.forEach(id -> add(again, id, 2));

    List<String> listed =
        PersistenceQuery.get(again.system())
            .getReadJournalFor(SegmentReadJournal.Java.class, SegmentReadJournal.IDENTIFIER)
            .currentPersistenceIds()
            .runWith(Sink.seq(), again.system())
            .toCompletableFuture()
            .get(30, TimeUnit.SECONDS);
    assertEquals(NASTY.size(), listed.size());
    assertEquals(Set.copyOf(NASTY), Set.copyOf(listed));
    for (String part : List.of("journal", "snapshots")) {
      assertEquals(NASTY.size(), folders(part).size());
    }
    try (Stream<Path> beside = Files.list(parent)) {
      assertEquals(List.of(directory()), beside.toList());
    }
    again.shutdownTestKit();
  }

  @Test
  void half_a_surrogate_pair_is_refused_instead_of_sharing_a_folder() throws Exception {
    ActorTestKit kit = ActorTestKit.create(TestConfig.withJournal("each-commit", directory()));
    add(kit, "a?", 1);

    for (String id : List.of("a\ud800", "a\udc00")) {
      TestProbe<Long> probe = kit.createTestProbe();
      ActorRef<Counter.Command> refused =
          kit.spawn(Counter.create(id, "tidemark.journal.each-commit"));
      refused.tell(new Counter.Add("text", probe.ref()));
      probe.expectTerminated(refused);
    }

    add(kit, "a?", 2);
    assertEquals(Set.of("a%3f"), folders("journal"));
    assertEquals(Set.of("a%3f"), folders("snapshots"));
    kit.shutdownTestKit();
  }

  @Test
  void everything_is_private_to_its_owner_whatever_the_umask() throws Exception {
    for (String umask : List.of("000", "027")) {
      Path written = parent.resolve("umask-" + umask);
      Process writer =
          new ProcessBuilder(
                  "sh",
                  "-c",
                  "umask " + umask + " && exec \"$@\"",
                  "sh",
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx256m",
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Writer.class.getName(),
                  written.toString())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      assertTrue(writer.waitFor(120, TimeUnit.SECONDS));
      assertEquals(0, writer.exitValue());

      int files = 0;
      try (Stream<Path> all = Files.walk(written)) {
        for (Path path : (Iterable<Path>) all::iterator) {
          files += Files.isDirectory(path) ? 0 : 1;
          assertEquals(
              Files.isDirectory(path) ? "rwx------" : "rw-------",
              PosixFilePermissions.toString(Files.getPosixFilePermissions(path)),
              path.toString());
        }
      }
      assertTrue(files > 8, "only " + files + " files");
      assertFalse(Files.exists(written.resolve("clean-shutdown")));
    }
  }

  /** Writes with and without snapshots, and dies with all of its files in place. */
  static final class Writer {
    private Writer() {}

    public static void main(String[] args) {
      ActorTestKit kit =
          ActorTestKit.create(TestConfig.withJournal("each-commit", Path.of(args[0])));
      for (String id : List.of("a", "b", "x".repeat(300))) {
        add(kit, id, 1);
        add(kit, id, 2);
      }
      Runtime.getRuntime().halt(0);
    }
  }
}
