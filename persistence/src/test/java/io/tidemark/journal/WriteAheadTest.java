package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WriteAheadTest {
  private static final long SMALLEST = 1 << 20;

  @TempDir Path parent;
  private Path journal;
  private Path ahead;
  private LogFixture fixture;
  private WriteAhead files;
  private GroupCommit commit;
  private final ScheduledExecutorService background = Executors.newSingleThreadScheduledExecutor();

  @BeforeEach
  void open() throws IOException {
    journal = parent.resolve("journal");
    ahead = parent.resolve("ahead");
    fixture = new LogFixture(journal);
    files = new WriteAhead(ahead, "lane", SMALLEST, background);
    commit =
        new GroupCommit(
            fixture.logs(),
            new WriteBuffers(0),
            FlushPolicy.EACH_COMMIT,
            files,
            log -> {},
            StorageMetrics.NONE);
  }

  @AfterEach
  void close() {
    background.shutdownNow();
  }

  private Lane.Task task(String id, long sequenceNr, String payload) {
    return new Lane.Task(
        List.of(fixture.entries(id, sequenceNr, payload)), 0, null, new CompletableFuture<>(), 0);
  }

  private void commit(Lane.Task... tasks) {
    commit.commit(List.of(tasks));
    for (Lane.Task task : tasks) {
      task.done().join();
    }
  }

  /** As a power loss may: the segments' unforced pages are zeros. */
  private void loseSegmentContents() throws IOException {
    for (String id : List.of("a", "b")) {
      for (Path segment : fixture.segments(id)) {
        byte[] bytes = Files.readAllBytes(segment);
        Arrays.fill(bytes, SegmentHeader.SIZE, bytes.length, (byte) 0);
        Files.write(segment, bytes);
      }
    }
  }

  private void restart() throws IOException {
    Redo.all(ahead, journal, true);
    fixture.restart();
  }

  private List<Path> aheadFiles() throws IOException {
    try (Stream<Path> all = Files.list(ahead)) {
      return all.toList();
    }
  }

  @Test
  void a_group_is_on_disk_with_one_force_and_comes_home_after_a_power_loss() throws IOException {
    commit(task("a", 1, "a1"), task("b", 1, "b1"));
    commit(task("a", 2, "a2"), task("b", 2, "b2"));
    loseSegmentContents();

    restart();

    assertEquals(List.of("1=a1", "2=a2"), fixture.read("a", 1));
    assertEquals(List.of("1=b1", "2=b2"), fixture.read("b", 1));
    assertEquals(List.of(), aheadFiles());
  }

  @Test
  void a_group_of_one_log_or_of_large_writes_forces_the_logs_themselves() throws IOException {
    commit(task("a", 1, "a1"));
    assertFalse(Files.exists(ahead));

    commit(task("a", 2, "x".repeat(150_000)), task("b", 1, "x".repeat(150_000)));

    assertFalse(Files.exists(ahead));
    assertEquals(2, fixture.log("a").force());
  }

  @Test
  void an_unfinished_record_and_what_follows_was_never_acknowledged() throws IOException {
    commit(task("a", 1, "a1"), task("b", 1, "b1"));
    commit(task("a", 2, "a2"), task("b", 2, "b2"));
    Path file = aheadFiles().get(0);
    byte[] bytes = Files.readAllBytes(file);
    int cut = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("b2");
    bytes[cut] = 0;
    Files.write(file, bytes);
    loseSegmentContents();

    restart();

    assertEquals(List.of("1=a1", "2=a2"), fixture.read("a", 1));
    assertEquals(List.of("1=b1"), fixture.read("b", 1));
  }

  @Test
  void the_files_take_turns_for_ever() throws Exception {
    List<String> expected = new ArrayList<>();
    String payload = "x".repeat(3_000);
    for (int i = 1; i <= 2_000; i++) {
      commit(task("a", i, payload), task("b", i, payload));
      expected.add(i + "=" + payload);
    }
    background.submit(() -> {}).get(30, TimeUnit.SECONDS);
    assertEquals(2, aheadFiles().size());
    for (Path file : aheadFiles()) {
      assertEquals(SMALLEST, Files.size(file));
    }

    restart();

    assertEquals(expected, fixture.read("a", 1));
    assertEquals(expected, fixture.read("b", 1));
  }

  @Test
  void without_a_place_for_the_files_logs_are_forced_one_by_one() throws IOException {
    Files.writeString(ahead, "not a directory");

    commit(task("a", 1, "a1"), task("b", 1, "b1"));
    commit(task("a", 2, "a2"));

    List<Long> durable = new ArrayList<>();
    fixture.log("a").read(1, entry -> durable.add(entry.durableSequenceNr()));
    assertEquals(List.of(0L, 1L), durable);
    assertEquals(List.of("1=b1"), fixture.read("b", 1));
  }

  @Test
  void a_log_that_fails_gets_back_what_its_segment_has_lost() throws IOException {
    commit(task("a", 1, "a1"), task("b", 1, "b1"));
    Lane.Task wrong = task("a", 2, "a2");
    Path segment = fixture.segments("a").get(0);
    fixture.logs().files().close();
    Path aside = segment.resolveSibling("aside");
    Files.move(segment, aside);
    commit.commit(List.of(wrong));
    assertTrue(wrong.done().isCompletedExceptionally());
    Files.move(aside, segment);
    loseSegmentContents();

    assertEquals(1, commit.recover("a"));

    assertEquals(List.of("1=a1"), fixture.read("a", 1));
    commit(task("a", 2, "again"), task("b", 2, "b2"));
    assertEquals(List.of("1=a1", "2=again"), fixture.read("a", 1));
  }

  @Test
  void what_cannot_be_brought_home_is_missed_by_its_log_alone() throws IOException {
    commit(task("a", 1, "a1"), task("b", 1, "b1"));
    Path segment = fixture.segments("a").get(0);
    Files.delete(segment);

    restart();

    assertThrows(DamagedLogException.class, () -> fixture.log("a").recover());
    assertEquals(List.of("1=b1"), fixture.read("b", 1));
  }

  @Test
  void deleted_entries_do_not_come_back() throws IOException {
    commit(task("a", 1, "a1"), task("b", 1, "b1"));
    commit(task("a", 2, "a2"), task("b", 2, "b2"));
    fixture.log("a").deleteTo(2);

    restart();

    assertEquals(2, fixture.log("a").recover());
    assertEquals(List.of(), fixture.read("a", 1));
    assertEquals(2, fixture.read("b", 1).size());
  }

  @Test
  void a_rejected_write_in_a_group_uses_up_its_sequence_number() throws IOException {
    Lane.Task rejected =
        new Lane.Task(
            List.of(new AtomicEntries("a", 1, 1, null)), 0, null, new CompletableFuture<>(), 0);
    commit(rejected, task("b", 1, "b1"));
    commit(task("a", 2, "a2"), task("b", 2, "b2"));

    restart();

    assertEquals(List.of("2=a2"), fixture.read("a", 1));
  }
}
