package io.tidemark.inspect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.persistence.typed.javadsl.RetentionCriteria;
import io.tidemark.inspect.LogReport.Damaged;
import io.tidemark.inspect.LogReport.Epoch;
import io.tidemark.inspect.LogReport.Offsets;
import io.tidemark.log.LogEvent;
import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogEvent.LeaderEpochStarted;
import io.tidemark.log.LogEvent.LogStartAdvanced;
import io.tidemark.log.LogEvent.LogTruncated;
import io.tidemark.log.LogState;
import io.tidemark.record.Compression;
import io.tidemark.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StorageInspectionTest {
  private static final String ID = "orders-0@1";
  private static final RetentionCriteria NO_SNAPSHOTS = RetentionCriteria.disabled();

  @TempDir Path directory;

  private static ByteBuffer batch(int epoch, long baseOffset, int count) {
    RecordBatchBuilder builder = new RecordBatchBuilder(Compression.NONE, 64);
    for (int i = 0; i < count; i++) {
      builder.append(1_700_000_000_000L, null, ByteBuffer.wrap(new byte[300]), List.of());
    }
    return builder.build(baseOffset, epoch);
  }

  private static BatchesAppended appended(int epoch, long baseOffset, int count) {
    return new BatchesAppended(batch(epoch, baseOffset, count), baseOffset);
  }

  private static List<LogEvent> life() {
    List<LogEvent> events = new ArrayList<>();
    events.add(new LeaderEpochStarted(0, 0));
    for (int i = 0; i < 10; i++) {
      events.add(appended(0, i * 4L, 4));
    }
    events.add(new LogTruncated(38));
    events.add(new LeaderEpochStarted(3, 38));
    events.add(appended(3, 38, 2));
    events.add(new LogStartAdvanced(12));
    return events;
  }

  private LogReport inspect(List<FoundEntry> entries) throws IOException {
    return StorageInspection.open(directory)
        .inspect(
            ID,
            new StorageInspection.Listener() {
              @Override
              public void entry(FoundEntry entry) {
                entries.add(entry);
              }
            });
  }

  private LogReport inspect() throws IOException {
    return inspect(new ArrayList<>());
  }

  private Damaged onlyDamage() throws IOException {
    List<Damaged> damages = inspect().damages();
    assertEquals(1, damages.size(), damages::toString);
    return damages.get(0);
  }

  private List<Path> files(String folder) throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve(folder).resolve("orders-0%401"))) {
      return files.sorted().toList();
    }
  }

  @Test
  void a_replicated_log_is_followed_from_its_first_event() throws IOException {
    EventWriter.write(directory, ID, LogState::apply, NO_SNAPSHOTS, life());
    List<FoundEntry> entries = new ArrayList<>();

    LogReport report = inspect(entries);

    assertEquals(List.of(), report.damages());
    assertEquals(15, report.highest());
    assertEquals(15, report.entries());
    assertTrue(report.segments() > 2);
    assertEquals(
        new Offsets(12, 40, 38, List.of(new Epoch(0, 12), new Epoch(3, 38))),
        report.offsets().orElseThrow());
    assertEquals("batches-appended", entries.get(1).event());
    assertEquals(3, entries.get(1).batches().get(0).lastOffset());
    assertEquals("log-truncated", entries.get(11).event());
    assertEquals(38L, entries.get(11).fields().get("endOffset"));
  }

  @Test
  void a_log_whose_first_events_are_deleted_is_followed_from_its_snapshot() throws IOException {
    RetentionCriteria deleting = RetentionCriteria.snapshotEvery(4, 1).withDeleteEventsOnSnapshot();
    EventWriter.write(directory, ID, LogState::apply, deleting, life());

    LogReport report = inspect();

    assertEquals(List.of(), report.damages());
    assertTrue(report.deleted() > 0, report::toString);
    assertEquals(
        new Offsets(12, 40, 38, List.of(new Epoch(0, 12), new Epoch(3, 38))),
        report.offsets().orElseThrow());
  }

  @Test
  void deleted_events_without_a_snapshot_are_damage() throws IOException {
    RetentionCriteria deleting = RetentionCriteria.snapshotEvery(4, 1).withDeleteEventsOnSnapshot();
    EventWriter.write(directory, ID, LogState::apply, deleting, life());
    for (Path snapshot : files("snapshots")) {
      Files.delete(snapshot);
    }

    assertTrue(onlyDamage().what().contains("no snapshot has them"));
  }

  @Test
  void a_batch_with_a_wrong_checksum_is_named_although_its_entry_is_sound() throws IOException {
    ByteBuffer rotten = batch(0, 0, 2);
    rotten.put(rotten.limit() - 1, (byte) 1);
    List<LogEvent> events = List.of(new LeaderEpochStarted(0, 0), new BatchesAppended(rotten, 0));
    EventWriter.write(directory, ID, LogState::apply, NO_SNAPSHOTS, events);
    List<FoundEntry> entries = new ArrayList<>();

    LogReport report = inspect(entries);

    Damaged damage = report.damages().get(0);
    assertEquals(2, damage.sequenceNr());
    assertEquals(entries.get(1).position(), damage.position());
    assertTrue(damage.what().contains("checksum"), damage::what);
    assertTrue(!entries.get(1).batches().get(0).checksumMatches());
  }

  @Test
  void bytes_that_are_no_batch_and_an_event_that_cannot_follow_are_damage() throws IOException {
    List<LogEvent> events =
        List.of(new LeaderEpochStarted(0, 0), new BatchesAppended(ByteBuffer.allocate(90), 0));
    EventWriter.write(directory, ID, (state, event) -> state, NO_SNAPSHOTS, events);
    assertTrue(onlyDamage().what().contains("magic"));

    EventWriter.write(
        directory, "b", (state, event) -> state, NO_SNAPSHOTS, List.of(new LogTruncated(9)));
    LogReport report =
        StorageInspection.open(directory).inspect("b", new StorageInspection.Listener() {});
    assertTrue(report.damages().get(0).what().startsWith("event cannot follow"), report::toString);
  }

  @Test
  void a_snapshot_that_is_not_what_its_events_amount_to_is_damage() throws IOException {
    RetentionCriteria snapshots = RetentionCriteria.snapshotEvery(4, 9);
    EventWriter.write(directory, ID, (state, event) -> state, snapshots, life());

    Damaged damage = onlyDamage();

    assertTrue(damage.file().endsWith(".snap"), damage::toString);
    assertEquals(12, damage.sequenceNr());
  }

  @Test
  void a_snapshot_beyond_the_end_of_the_log_is_damage() throws IOException {
    RetentionCriteria snapshots = RetentionCriteria.snapshotEvery(14, 9);
    EventWriter.write(directory, ID, LogState::apply, snapshots, life());
    for (Path file : files("journal")) {
      Files.delete(file);
    }

    assertEquals("a snapshot beyond the log's end", onlyDamage().what());
  }

  @Test
  void a_snapshot_that_cannot_be_read_is_damage() throws IOException {
    RetentionCriteria snapshots = RetentionCriteria.snapshotEvery(14, 9);
    EventWriter.write(directory, ID, LogState::apply, snapshots, life());
    Path snapshot = files("snapshots").get(0);
    byte[] bytes = Files.readAllBytes(snapshot);
    bytes[bytes.length - 1] ^= 1;
    Files.write(snapshot, bytes);

    assertEquals("an unreadable snapshot", onlyDamage().what());
  }
}
