package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OfflineStorageTest {
  private static final int ROUNDS = Integer.getInteger("tidemark.offline.rounds", 40);

  @TempDir Path parent;
  private Path directory;
  private LogFixture fixture;

  @BeforeEach
  void create() throws IOException {
    directory = parent.resolve("data");
    StorageDirectory.open(directory, OptionalInt.of(7)).markCleanAndClose();
    fixture = new LogFixture(directory.resolve("journal"));
  }

  /** What was found, and the entries that were visited. */
  private record Look(LogCheck check, List<String> entries, long bytesRead) {}

  private static Look look(Path directory, String id) throws IOException {
    List<String> entries = new ArrayList<>();
    long[] read = {0};
    LogCheck check =
        OfflineStorage.open(directory)
            .check(
                id,
                (entry, file, position) ->
                    entries.add(
                        entry.sequenceNr() + "=" + StandardCharsets.UTF_8.decode(entry.payload())),
                bytes -> read[0] += bytes);
    return new Look(check, entries, read[0]);
  }

  private static Map<Path, byte[]> contents(Path directory) throws IOException {
    Map<Path, byte[]> contents = new TreeMap<>();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        // To open the lock file here would end this process's lock on it.
        boolean closed = Files.isDirectory(file) || file.endsWith("lock");
        contents.put(file, closed ? new byte[0] : Files.readAllBytes(file));
      }
    }
    return contents;
  }

  private static void assertSame(Map<Path, byte[]> before, Map<Path, byte[]> after) {
    assertEquals(before.keySet(), after.keySet());
    before.forEach((file, bytes) -> assertArrayEquals(bytes, after.get(file), file.toString()));
  }

  @Test
  void a_sound_log_is_read_from_its_first_entry_to_its_last() throws IOException {
    for (int i = 1; i <= 40; i++) {
      fixture.commit("a", i, i + "-" + "x".repeat(700));
    }
    fixture.log("a").deleteTo(12);

    Look look = look(directory, "a");

    assertEquals(fixture.read("a", 1), look.entries());
    assertEquals(12, look.check().deleted());
    assertEquals(40, look.check().highest());
    assertEquals(28, look.check().entries());
    assertEquals(fixture.segments("a").size(), look.check().segments());
    assertTrue(look.check().damage().isEmpty());
    assertEquals(0, look.check().unfinished());
    assertEquals(look.check().bytes(), look.bytesRead());
    assertEquals(look.check().bytes(), OfflineStorage.open(directory).bytes("a"));
  }

  @Test
  void a_log_that_is_deleted_as_a_whole_and_one_that_never_was_are_sound() throws IOException {
    fixture.commit("a", 1, "one");
    fixture.log("a").deleteTo(1);

    assertEquals(1, look(directory, "a").check().highest());
    assertTrue(look(directory, "a").check().damage().isEmpty());
    assertEquals(0, look(directory, "nobody").check().highest());
    assertTrue(look(directory, "nobody").check().damage().isEmpty());
  }

  /** One damaged byte, or a file cut short: told exactly when a start or a reader would fail. */
  @Test
  void what_is_told_as_damage_is_what_would_not_be_served() throws IOException {
    long seed = System.nanoTime();
    System.out.println("OfflineStorageTest seed " + seed);
    Random random = new Random(seed);
    int damaged = 0;
    for (int round = 0; round < ROUNDS; round++) {
      String context = "seed " + seed + " round " + round;
      Path copy = parent.resolve("round-" + round);
      StorageDirectory.open(copy, OptionalInt.empty()).close();
      LogFixture log = new LogFixture(copy.resolve("journal"));
      write(log, random);
      harm(log, random);
      Map<Path, byte[]> before = contents(copy);

      Look look = look(copy, "a");

      assertSame(before, contents(copy));
      log.restart();
      List<String> served = new ArrayList<>();
      DamagedLogException failure = null;
      long highest = -1;
      try {
        highest = log.log("a").recover();
        log.logs()
            .read(
                "a",
                1,
                (sequenceNr, payload) ->
                    served.add(sequenceNr + "=" + StandardCharsets.UTF_8.decode(payload)));
      } catch (DamagedLogException e) {
        failure = e;
      }
      assertEquals(
          failure != null, look.check().damage().isPresent(), context + " " + look.check());
      if (failure == null) {
        assertEquals(highest, look.check().highest(), context);
        assertEquals(served, look.entries(), context);
        assertEquals(log.log("a").cutBytes() > 0, look.check().unfinished() > 0, context);
      } else {
        damaged++;
        assertEquals(failure.file(), look.check().damage().get().file(), context);
        // A start counts from the last whole atomic write, of up to three entries here.
        long later = look.check().damage().get().sequenceNr() - failure.sequenceNr();
        assertTrue(later >= 0 && later < 3, context + " " + look.check() + failure.getMessage());
      }
    }
    assertTrue(damaged > 0 && damaged < ROUNDS, damaged + " of " + ROUNDS);
  }

  private static void write(LogFixture log, Random random) throws IOException {
    long next = 1;
    for (int i = 5 + random.nextInt(40); i > 0; i--) {
      String[] payloads = new String[1 + random.nextInt(3)];
      Arrays.setAll(payloads, p -> random.nextInt() + "-".repeat(random.nextInt(900)));
      log.write("a", next, payloads);
      next += payloads.length;
      if (random.nextInt(3) == 0) {
        log.log("a").force();
      }
    }
    if (random.nextInt(3) == 0) {
      List<Path> before = log.segments("a");
      Path one = before.get(random.nextInt(before.size()));
      byte[] bytes = Files.readAllBytes(one);
      log.log("a").deleteTo(random.nextInt((int) next));
      if (Files.exists(one.getParent()) && random.nextBoolean()) {
        // As a power loss may: what was removed is there again.
        Files.write(one, bytes);
      }
    }
  }

  private static void harm(LogFixture log, Random random) throws IOException {
    List<Path> files = log.segments("a");
    if (files.isEmpty()) {
      return;
    }
    Path file = files.get(random.nextInt(files.size()));
    List<Integer> entries = LogFixture.entryPositions(file);
    int end = entries.isEmpty() ? 64 : entries.get(entries.size() - 1) + 80;
    int at = random.nextInt(Math.min(end, (int) Files.size(file)));
    if (random.nextInt(4) == 0) {
      Files.write(file, Arrays.copyOf(Files.readAllBytes(file), at));
    } else {
      LogFixture.damage(file, at);
    }
  }

  /** A power loss has taken unforced pages of the segments; write-ahead files have some of it. */
  @Test
  void what_write_ahead_files_bring_home_at_the_next_start_is_seen_before() throws IOException {
    long seed = System.nanoTime();
    System.out.println("OfflineStorageTest seed " + seed);
    Random random = new Random(seed);
    ScheduledExecutorService background = Executors.newSingleThreadScheduledExecutor();
    int damaged = 0;
    for (int round = 0; round < ROUNDS; round++) {
      String context = "seed " + seed + " round " + round;
      Path copy = parent.resolve("round-" + round);
      StorageDirectory.open(copy, OptionalInt.empty()).close();
      LogFixture log = new LogFixture(copy.resolve("journal"));
      WriteAhead ahead = new WriteAhead(copy.resolve("ahead"), "lane", 1 << 20, background);
      GroupCommit commit =
          new GroupCommit(
              log.logs(),
              new WriteBuffers(0),
              FlushPolicy.EACH_COMMIT,
              ahead,
              unforced -> {},
              StorageMetrics.NONE);
      for (int i = 1; i <= 20; i++) {
        String text = "-".repeat(random.nextInt(900));
        List<Lane.Task> group = new ArrayList<>();
        for (String id : List.of("a", "b")) {
          AtomicEntries entries = log.entries(id, i, id + i + text);
          group.add(new Lane.Task(List.of(entries), 0, null, new CompletableFuture<>(), 0));
        }
        commit.commit(group);
        group.forEach(task -> task.done().join());
      }
      List<Path> segments = log.segments("a");
      Path torn = segments.get(random.nextInt(segments.size()));
      byte[] bytes = Files.readAllBytes(torn);
      Arrays.fill(bytes, 64 + random.nextInt(bytes.length - 64), bytes.length, (byte) 0);
      Files.write(torn, bytes);
      if (random.nextInt(4) == 0) {
        Files.delete(torn);
      }
      Map<Path, byte[]> before = contents(copy);

      Look look = look(copy, "a");

      assertSame(before, contents(copy));
      Redo.all(copy.resolve("ahead"), copy.resolve("journal"), false);
      log.restart();
      try {
        long highest = log.log("a").recover();
        List<String> served = log.read("a", 1);
        assertEquals(highest, look.check().highest(), context);
        assertEquals(served, look.entries(), context);
        assertTrue(look.check().damage().isEmpty(), context + " " + look.check());
      } catch (DamagedLogException e) {
        damaged++;
        assertTrue(look.check().damage().isPresent(), context + " " + look.check());
      }
    }
    background.shutdownNow();
    assertTrue(damaged > 0 && damaged < ROUNDS, damaged + " of " + ROUNDS);
  }

  @Test
  void unreadable_marks_and_missing_segments_are_damage() throws IOException {
    for (int i = 1; i <= 20; i++) {
      fixture.commit("a", i, "x".repeat(700));
    }
    List<Path> segments = fixture.segments("a");
    Files.delete(segments.get(1));
    Damage hole = look(directory, "a").check().damage().orElseThrow();
    assertEquals(segments.get(0), hole.file());

    Files.delete(segments.get(0));
    Damage start = look(directory, "a").check().damage().orElseThrow();
    assertEquals("the segment before it is missing", start.what());
    assertEquals(1, start.sequenceNr());

    fixture.commit("b", 1, "one");
    fixture.log("b").deleteTo(1);
    LogFixture.damage(directory.resolve("journal/b/marks"), 9);
    assertEquals("unreadable marks", look(directory, "b").check().damage().orElseThrow().what());
  }

  @Test
  void a_segment_of_a_newer_version_is_told_as_such() throws IOException {
    fixture.commit("a", 1, "one");
    LogFixture.damage(fixture.segments("a").get(0), 7);

    Damage damage = look(directory, "a").check().damage().orElseThrow();

    assertEquals("a segment of a newer version", damage.what());
  }

  @Test
  void snapshots_are_read_and_damaged_ones_told() throws IOException {
    SnapshotFiles snapshots = new SnapshotFiles(directory.resolve("snapshots"));
    for (int i = 1; i <= 2; i++) {
      SnapshotFiles.Content content = new SnapshotFiles.Content(4, "m", new byte[] {1, 2, 3});
      snapshots.save("s", new SnapshotFiles.Key(i, 1_000 + i), content, () -> {});
    }
    LogFixture.damage(snapshots.file("s", new SnapshotFiles.Key(2, 1_002)), 41);
    List<StoredSnapshot> found = new ArrayList<>();

    OfflineStorage.open(directory).snapshots("s", found::add);

    assertEquals(List.of("s"), OfflineStorage.open(directory).persistenceIds());
    assertEquals(List.of(2L, 1L), found.stream().map(StoredSnapshot::sequenceNr).toList());
    assertEquals(List.of(false, true), found.stream().map(StoredSnapshot::isReadable).toList());
    assertEquals("m", found.get(1).manifest());
    assertEquals(44, found.get(1).size());
  }

  @Test
  void the_use_of_the_directory_is_told_without_locking_it() throws IOException {
    assertEquals(OfflineStorage.Use.CLOSED, OfflineStorage.open(directory).use());
    try (StorageDirectory held = StorageDirectory.open(directory, OptionalInt.empty())) {
      Map<Path, byte[]> before = contents(directory);
      OfflineStorage looked = OfflineStorage.open(directory);
      if (Files.isReadable(Path.of("/proc/locks"))) {
        assertEquals(OfflineStorage.Use.IN_USE, looked.use());
      }
      assertEquals(held.directoryId(), looked.identity().directoryId());
      assertEquals(OptionalInt.of(7), looked.identity().brokerId());
      assertSame(before, contents(directory));
    }
    assertEquals(OfflineStorage.Use.NOT_CLOSED, OfflineStorage.open(directory).use());
  }

  @Test
  void a_write_ahead_file_that_has_lost_what_was_forced_is_told() throws IOException {
    ScheduledExecutorService background = Executors.newSingleThreadScheduledExecutor();
    Path folder = directory.resolve("ahead");
    WriteAhead ahead = new WriteAhead(folder, "lane", 1 << 20, background);
    for (int i = 1; i <= 2; i++) {
      List<Placed> group = new ArrayList<>();
      for (String id : List.of("a", "b")) {
        group.add(fixture.log(id).append(fixture.entries(id, i, "event"), true));
      }
      assertTrue(ahead.write(group));
    }
    ahead.close(false);
    background.shutdown();
    assertEquals(Map.of(), OfflineStorage.open(directory).damagedWriteAhead());

    LogFixture.damage(folder.resolve("lane-0.wal"), 64 + 60);

    assertEquals(
        Map.of(folder.resolve("lane-0.wal"), 64L),
        OfflineStorage.open(directory).damagedWriteAhead());
  }

  @Test
  void folders_whose_id_is_lost_are_told_and_others_are_ignored() throws IOException {
    String longId = "x".repeat(300);
    fixture.commit(longId, 1, "one");
    Path folder = directory.resolve("journal").resolve(FolderNames.encode(longId));
    Files.createDirectories(directory.resolve("journal/lost+found"));
    assertEquals(List.of(), OfflineStorage.open(directory).namelessFolders());

    Files.delete(folder.resolve("id"));

    assertEquals(List.of(folder), OfflineStorage.open(directory).namelessFolders());
    assertEquals(List.of(), OfflineStorage.open(directory).persistenceIds());
  }

  @Test
  void what_is_no_storage_directory_or_a_newer_one_is_refused() throws IOException {
    assertThrows(StorageException.class, () -> OfflineStorage.open(parent.resolve("none")));
    Path meta = directory.resolve("meta.properties");
    Files.writeString(meta, Files.readString(meta).replace("format.version=1", "format.version=9"));

    StorageException newer =
        assertThrows(StorageException.class, () -> OfflineStorage.open(directory));

    assertTrue(newer.getMessage().contains("format version 9"), newer.getMessage());
  }

  @Test
  void reading_while_the_log_is_written_finds_no_damage() throws Exception {
    StorageDirectory held = StorageDirectory.open(directory, OptionalInt.empty());
    Thread writer =
        new Thread(
            () -> {
              try {
                for (int i = 1; i <= 3_000; i++) {
                  fixture.commit("a", i, "-".repeat(i % 600));
                  if (i % 700 == 0) {
                    fixture.log("a").deleteTo(i - 300);
                  }
                }
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
    writer.start();
    int looks = 0;
    while (writer.isAlive() || looks == 0) {
      Look look = look(directory, "a");
      assertTrue(look.check().damage().isEmpty(), look.check().toString());
      if (Files.isReadable(Path.of("/proc/locks"))) {
        assertEquals(0, look.check().unfinished());
      }
      looks++;
    }
    held.close();
    assertEquals(3_000, look(directory, "a").check().highest());
  }
}
