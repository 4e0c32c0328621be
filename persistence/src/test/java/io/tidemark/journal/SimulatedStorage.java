package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.journal.SimulatedDisk.Op;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * A storage directory on a simulated disk that is used at random, on one thread, and that knows
 * what it was promised. All lanes' groups are made here, so that one seed makes one history.
 */
final class SimulatedStorage {
  static final List<String> EACH_COMMIT = List.of("a", "b", "c", "d");
  static final List<String> OS = List.of("x", "y");
  static final String DIRECTORY = "/data";
  private static final long WRITE_AHEAD_BYTES = 16 * 1024;
  private static final Set<Op> CHANGES =
      EnumSet.of(Op.WRITE, Op.FORCE, Op.CREATE, Op.MOVE, Op.DELETE, Op.FORCE_DIRECTORY);

  private final Random random;
  private final Map<String, ExpectedLog> expected = new TreeMap<>();
  private String context;
  private SimulatedDisk disk;
  private boolean powerLost;
  private int lives;
  private int timestamps;

  private StorageDirectory directory;
  private SegmentLogs logs;
  private SnapshotFiles snapshots;
  private WriteAhead ahead;
  private GroupCommit eachCommit;
  private GroupCommit os;
  private ManualExecutor background;
  private final Set<String> failed = new HashSet<>();
  private UUID directoryId;
  private boolean wasOpen;

  SimulatedStorage(SimulatedDisk disk, Random random, String context) {
    this.disk = disk;
    this.random = random;
    this.context = context;
    EACH_COMMIT.forEach(it -> expected.put(it, new ExpectedLog(it)));
    OS.forEach(it -> expected.put(it, new ExpectedLog(it)));
  }

  SimulatedDisk disk() {
    return disk;
  }

  void context(String next) {
    context = next;
  }

  /** From now on every operation fails, once this many changes have been made. */
  void dieAfter(int changes) {
    int[] left = {changes};
    disk.faults(
        (op, path) -> {
          if (CHANGES.contains(op)) {
            left[0]--;
          }
          if (left[0] < 0) {
            throw new IOException("The power is off");
          }
        });
  }

  void assertWell() {
    assertTrue(failed.isEmpty(), () -> context + ": failed on a good disk: " + failed);
  }

  /** Opens the logs that have failed. */
  void recoverFailed() throws IOException {
    for (ExpectedLog log : expected.values()) {
      if (failed.contains(log.id) || logs.log(log.id).hasFailed()) {
        recover(log);
      }
    }
  }

  /** The process is gone, and maybe the machine with all that the disk may lose. */
  void restartOn(SimulatedDisk next, boolean lost) throws IOException {
    if (directory != null) {
      directory.close();
    }
    next.well();
    disk = next;
    powerLost |= lost;
    failed.clear();
  }

  /** Opens everything and checks it. */
  void open() throws IOException {
    directory =
        StorageDirectory.open(
            disk.path(DIRECTORY), OptionalInt.empty(), powerLost ? "boot " + ++lives : "boot");
    checkIdentity();
    Redo.all(
        directory.ahead(),
        directory.journal(),
        directory.start() == StorageDirectory.Start.UNCLEAN);
    StorageMetrics metrics = StorageMetrics.NONE;
    logs = new SegmentLogs(directory.journal(), LogFixture.SMALL, 8, metrics, Runnable::run);
    snapshots = new SnapshotFiles(directory.snapshots());
    background = new ManualExecutor();
    ahead = new WriteAhead(directory.ahead(), "lane-0", WRITE_AHEAD_BYTES, background);
    WriteBuffers buffers = new WriteBuffers(0);
    eachCommit = new GroupCommit(logs, buffers, FlushPolicy.EACH_COMMIT, ahead, log -> {}, metrics);
    os = new GroupCommit(logs, buffers, FlushPolicy.OS, null, log -> {}, metrics);
    for (ExpectedLog log : expected.values()) {
      recover(log);
    }
    powerLost = false;
  }

  private void checkIdentity() {
    assertTrue(directoryId == null || directoryId.equals(directory.directoryId()), context);
    directoryId = directory.directoryId();
    if (powerLost && wasOpen) {
      assertEquals(StorageDirectory.Start.UNCLEAN, directory.start(), context);
    }
    wasOpen = true;
  }

  private void recover(ExpectedLog log) throws IOException {
    long highest = commitOf(log.id).recover(log.id);
    log.found(highest, read(log.id), powerLost, context);
    Map<SnapshotFiles.Key, String> found = new HashMap<>();
    for (SnapshotFiles.Key key : snapshots.list(log.id)) {
      SnapshotFiles.Content content = snapshots.load(log.id, key).orElse(null);
      assertTrue(content != null, context + ": snapshot " + key + " of " + log.id + " is damaged");
      found.put(key, new String(content.payload(), StandardCharsets.UTF_8));
    }
    log.foundSnapshots(found, highest, context);
    failed.remove(log.id);
  }

  private List<String> read(String id) throws IOException {
    List<String> entries = new ArrayList<>();
    logs.read(
        id,
        1,
        (sequenceNr, payload) ->
            entries.add(sequenceNr + "=" + StandardCharsets.UTF_8.decode(payload)));
    return entries;
  }

  private GroupCommit commitOf(String id) {
    return EACH_COMMIT.contains(id) ? eachCommit : os;
  }

  /** Does one thing. */
  void step() {
    ExpectedLog any = expected.get(pick(random.nextBoolean() ? EACH_COMMIT : OS));
    try {
      switch (random.nextInt(16)) {
        case 0 -> background.runAll();
        case 1 -> delete(any);
        case 2 -> logs.log(any.id).checkpoint();
        case 3 -> saveSnapshot(any);
        case 4 -> dropSnapshot(any);
        case 5 -> force(any);
        case 6, 7, 8 -> commit(os, OS);
        default -> commit(eachCommit, EACH_COMMIT);
      }
    } catch (IOException e) {
      assertFalse(e instanceof DamagedLogException, context + ": " + e);
      if (logs.log(any.id).hasFailed()) {
        failed.add(any.id);
      }
    }
  }

  private String pick(List<String> from) {
    return from.get(random.nextInt(from.size()));
  }

  private void force(ExpectedLog log) throws IOException {
    log.promised = Math.max(log.promised, logs.log(log.id).force());
  }

  private void delete(ExpectedLog log) throws IOException {
    if (failed.contains(log.id)) {
      return;
    }
    long to = log.lastEntryAt(log.acknowledged - random.nextInt(4));
    log.deleting = Math.max(log.deleting, Math.min(to, log.acknowledged));
    logs.log(log.id).deleteTo(to);
    log.deleted = Math.max(log.deleted, to);
  }

  private void saveSnapshot(ExpectedLog log) throws IOException {
    if (failed.contains(log.id) || log.lastEntryAt(log.acknowledged) == 0) {
      return;
    }
    SnapshotFiles.Key key = new SnapshotFiles.Key(log.lastEntryAt(log.acknowledged), ++timestamps);
    String state = "state " + key.sequenceNr();
    SnapshotFiles.Content content =
        new SnapshotFiles.Content(1, "m", state.getBytes(StandardCharsets.UTF_8));
    snapshots.save(log.id, key, content, () -> logs.log(log.id).checkpoint());
    log.snapshots.put(key, state);
    log.promised = Math.max(log.promised, key.sequenceNr());
  }

  private void dropSnapshot(ExpectedLog log) throws IOException {
    List<SnapshotFiles.Key> newestFirst = snapshots.list(log.id);
    if (newestFirst.size() > 1) {
      SnapshotFiles.Key oldest = newestFirst.get(newestFirst.size() - 1);
      log.dropping.add(oldest);
      snapshots.delete(log.id, List.of(oldest));
      log.snapshots.remove(oldest);
    }
  }

  /** A group of writes, after the recovery of the logs that have failed. */
  void commit(GroupCommit commit, List<String> ids) throws IOException {
    List<Lane.Task> tasks = new ArrayList<>();
    List<ExpectedLog> logsOfTasks = new ArrayList<>();
    List<Long> ends = new ArrayList<>();
    for (int i = random.nextInt(6); i >= 0; i--) {
      ExpectedLog log = expected.get(pick(ids));
      if (failed.contains(log.id)) {
        recover(log);
      }
      logsOfTasks.add(log);
    }
    for (ExpectedLog log : logsOfTasks) {
      tasks.add(task(log));
      ends.add((long) log.written.size());
    }
    commit.commit(tasks);
    for (int i = 0; i < tasks.size(); i++) {
      ExpectedLog log = logsOfTasks.get(i);
      if (tasks.get(i).done().isCompletedExceptionally()) {
        failed.add(log.id);
      } else {
        log.acknowledged = Math.max(log.acknowledged, ends.get(i));
        log.promised = commit == eachCommit ? log.acknowledged : log.promised;
      }
    }
  }

  private Lane.Task task(ExpectedLog log) {
    long first = log.next();
    AtomicEntries entries;
    if (random.nextInt(20) == 0) {
      log.rejected();
      entries = new AtomicEntries(log.id, first, first, null);
    } else {
      String[] payloads = new String[1 + random.nextInt(3)];
      for (int i = 0; i < payloads.length; i++) {
        int length = random.nextInt(random.nextInt(25) == 0 ? 40_000 : 700);
        payloads[i] = lives + "." + random.nextInt() + "-".repeat(length);
      }
      log.wrote(payloads);
      entries = LogFixture.encoded(log.id, first, payloads);
    }
    return new Lane.Task(List.of(entries), 0, null, new CompletableFuture<>(), 0);
  }

  /** Closes in order, as an ActorSystem does at its end. */
  void close() throws IOException {
    background.runAll();
    boolean clean = logs.close();
    ahead.close(clean);
    if (clean) {
      directory.markCleanAndClose();
      wasOpen = false;
    }
    for (ExpectedLog log : expected.values()) {
      log.promised = clean ? log.acknowledged : log.promised;
    }
  }
}
