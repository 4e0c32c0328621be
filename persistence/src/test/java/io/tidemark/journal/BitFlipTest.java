package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * One bit of a directory that a crash has left is another, for each of its bytes. Each log is as it
 * was, or its error names the damage, or the writes of its last group are cut and that is reported;
 * and the other logs are as they were.
 */
class BitFlipTest {
  private static final long SEED = Long.getLong("tidemark.bit-flip.seed", System.nanoTime());
  private static final List<String> IDS = List.of("a", "b", "c");
  private static final String DATA = "/data";
  private static final SegmentSizes SIZES = new SegmentSizes(1024, 2048);

  private enum Outcome {
    RIGHT,
    ERROR,
    CUT
  }

  private final Random random = new Random(SEED);
  private final Map<String, List<String>> events = new HashMap<>();
  private final Map<String, Long> lastGroupBegins = new HashMap<>();
  private long deletedOfB;

  @BeforeAll
  static void silence() {
    QuietLogs.begin();
    System.out.println("BitFlipTest: -Dtidemark.bit-flip.seed=" + SEED);
  }

  @AfterAll
  static void speak() {
    QuietLogs.end();
  }

  @Test
  void after_a_kill() throws IOException {
    SimulatedDisk left = history().copy();
    flipEveryByte(left, "boot", true);
  }

  @Test
  void after_a_power_loss_that_left_the_last_writes_in_the_write_ahead_file_only()
      throws IOException {
    SimulatedDisk left = history().afterPowerLoss(options -> 0);
    flipEveryByte(left, "next boot", false);
  }

  /** Rolled segments, an index, marks, snapshots, and groups in a write-ahead file. */
  private SimulatedDisk history() throws IOException {
    SimulatedDisk disk = new SimulatedDisk();
    StorageDirectory directory = StorageDirectory.open(disk.path(DATA), OptionalInt.of(1), "boot");
    SegmentLogs logs =
        new SegmentLogs(directory.journal(), SIZES, 8, StorageMetrics.NONE, Runnable::run);
    SnapshotFiles snapshots = new SnapshotFiles(directory.snapshots());
    WriteAhead ahead = new WriteAhead(directory.ahead(), "lane", 2048, new ManualExecutor());
    GroupCommit commit =
        new GroupCommit(
            logs,
            new WriteBuffers(0),
            FlushPolicy.EACH_COMMIT,
            ahead,
            log -> {},
            StorageMetrics.NONE);
    IDS.forEach(it -> events.put(it, new ArrayList<>()));
    for (int i = 0; i < 4; i++) {
      commit(commit, 350, "a");
    }
    commit(commit, 20, "c");
    commit(commit, 20, "b");
    commit(commit, 20, "b");
    logs.log("b").deleteTo(1);
    deletedOfB = 1;
    for (long sequenceNr : new long[] {2, 4}) {
      snapshots.save(
          "a",
          new SnapshotFiles.Key(sequenceNr, sequenceNr),
          new SnapshotFiles.Content(1, "m", ("state " + sequenceNr).getBytes()),
          () -> logs.log("a").checkpoint());
    }
    commit(commit, 20, "a", "b");
    commit(commit, 20, "a", "b");
    commit(commit, 20, "a", "b", "a");
    directory.close();
    return disk;
  }

  private void commit(GroupCommit commit, int length, String... ids) {
    List<Lane.Task> tasks = new ArrayList<>();
    for (String id : ids) {
      long next = events.get(id).size() + 1;
      if (!tasks.stream().anyMatch(it -> it.entries().get(0).persistenceId().equals(id))) {
        lastGroupBegins.put(id, next);
      }
      String payload = id + random.nextInt() + "-".repeat(length);
      events.get(id).add(next + "=" + payload);
      tasks.add(
          new Lane.Task(
              List.of(LogFixture.encoded(id, next, payload)),
              0,
              null,
              new CompletableFuture<>(),
              0));
    }
    commit.commit(tasks);
    tasks.forEach(it -> it.done().join());
  }

  private void flipEveryByte(SimulatedDisk left, String boot, boolean killed) throws IOException {
    Map<String, Integer> outcomes = new HashMap<>();
    assertEquals(
        Set.of(Outcome.RIGHT), new HashSet<>(outcomes(left.copy(), boot, "nothing").values()));
    for (Map.Entry<String, byte[]> file : left.files().entrySet()) {
      String name = file.getKey();
      boolean marks = name.endsWith("/marks");
      for (int at = 0; at < file.getValue().length; at += step(file.getValue(), at)) {
        SimulatedDisk damaged = left.copy();
        damaged.files().get(name)[at] ^= (byte) (1 << random.nextInt(8));
        String context = "seed " + SEED + ", byte " + at + " of " + name;
        Map<String, Outcome> found = outcomes(damaged, boot, context);
        for (String id : IDS) {
          Outcome outcome = found.get(id);
          outcomes.merge(outcome.toString(), 1, Integer::sum);
          boolean shared = name.startsWith(DATA + "/ahead") || name.endsWith("properties");
          if (outcome != Outcome.RIGHT) {
            assertTrue(shared || name.contains("/" + id + "/"), context + " disturbs " + id);
          }
          if (killed && name.startsWith(DATA + "/ahead") || name.endsWith(".idx")) {
            assertEquals(Outcome.RIGHT, outcome, context);
          }
          assertTrue(!marks || outcome != Outcome.CUT, context);
        }
      }
    }
    System.out.println("BitFlipTest: " + boot + " " + outcomes);
    for (Outcome outcome : Outcome.values()) {
      assertTrue(outcomes.containsKey(outcome.toString()), "never " + outcome);
    }
  }

  /** Each byte, but not each of those that nobody has written. */
  private static int step(byte[] bytes, int at) {
    for (int i = at; i < at + 64; i++) {
      if (i >= bytes.length || bytes[i] != 0) {
        return 1;
      }
    }
    return 61;
  }

  private Map<String, Outcome> outcomes(SimulatedDisk disk, String boot, String context)
      throws IOException {
    Map<String, Outcome> found = new HashMap<>();
    StorageDirectory directory;
    try {
      directory = StorageDirectory.open(disk.path(DATA), OptionalInt.of(1), boot);
    } catch (StorageException e) {
      assertTrue(e.getMessage().contains(DATA), context + ": " + e);
      IDS.forEach(it -> found.put(it, Outcome.ERROR));
      return found;
    }
    try {
      Redo.all(
          directory.ahead(),
          directory.journal(),
          directory.start() == StorageDirectory.Start.UNCLEAN);
      SegmentLogs logs =
          new SegmentLogs(directory.journal(), SIZES, 8, StorageMetrics.NONE, Runnable::run);
      for (String id : IDS) {
        boolean reported = directory.start() == StorageDirectory.Start.UNCLEAN;
        found.put(id, outcome(logs, id, reported, context));
      }
      snapshotsAreRight(new SnapshotFiles(directory.snapshots()), context);
    } catch (IOException e) {
      assertTrue(e.getMessage().contains(DATA + "/ahead"), context + ": " + e);
      IDS.forEach(it -> found.put(it, Outcome.ERROR));
    } finally {
      directory.close();
    }
    return found;
  }

  /**
   * @param reported whether it is told anyway that the last writes may be lost
   */
  private Outcome outcome(SegmentLogs logs, String id, boolean reported, String context)
      throws IOException {
    List<String> read = new ArrayList<>();
    List<String> all = events.get(id);
    List<String> expected = id.equals("b") ? all.subList((int) deletedOfB, all.size()) : all;
    try {
      long highest = logs.log(id).recover();
      logs.read(
          id,
          1,
          (sequenceNr, payload) ->
              read.add(sequenceNr + "=" + StandardCharsets.UTF_8.decode(payload)));
      if (highest == all.size()) {
        assertEquals(expected, read, context);
        return Outcome.RIGHT;
      }
      assertEquals(expected.subList(0, read.size()), read, context);
      assertTrue(highest + 1 >= lastGroupBegins.get(id), context + ": ends at " + highest);
      assertTrue(
          reported || logs.cuts().containsKey(id), context + ": not reported, ends at " + highest);
      return Outcome.CUT;
    } catch (DamagedLogException e) {
      assertEquals(expected.subList(0, read.size()), read, context);
      assertTrue(e.getMessage().contains(DATA + "/journal/" + id), context + ": " + e);
      assertTrue(e.sequenceNr() > 0 && e.position() >= 0, context + ": " + e);
      return Outcome.ERROR;
    }
  }

  private static void snapshotsAreRight(SnapshotFiles snapshots, String context)
      throws IOException {
    List<SnapshotFiles.Key> newestFirst = snapshots.list("a");
    assertEquals(2, newestFirst.size(), context);
    int damaged = 0;
    for (SnapshotFiles.Key key : newestFirst) {
      SnapshotFiles.Content content = snapshots.load("a", key).orElse(null);
      if (content == null) {
        damaged++;
      } else {
        assertEquals(1, content.serializerId(), context);
        assertEquals("m", content.manifest(), context);
        assertEquals("state " + key.sequenceNr(), new String(content.payload()), context);
      }
    }
    assertTrue(damaged <= 1, context);
  }
}
