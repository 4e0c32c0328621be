package io.tidemark.inspect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.journal.StoredEntry;
import io.tidemark.log.LogEvent;
import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogEvent.HighWatermarkCheckpointed;
import io.tidemark.log.LogEvent.LeaderEpochStarted;
import io.tidemark.log.LogEvent.LogRestarted;
import io.tidemark.log.LogEvent.LogStartAdvanced;
import io.tidemark.log.LogEvent.LogTruncated;
import io.tidemark.log.LogEvent.QuorumVote;
import io.tidemark.log.LogEvent.SnapshotInstalled;
import io.tidemark.log.LogEvent.SnapshotTaken;
import io.tidemark.log.LogEvent.VoteRecorded;
import io.tidemark.log.LogEvent.Voter;
import io.tidemark.log.LogEvent.VotersRecorded;
import io.tidemark.log.LogSnapshot;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class EventFieldsTest {
  private static final UUID DIRECTORY = new UUID(0, 5);
  private static final List<Voter> VOTERS = List.of(new Voter(1, DIRECTORY, "host:1"));
  private static final LogSnapshot SNAPSHOT =
      new LogSnapshot(40, 3, VOTERS, ByteBuffer.allocate(7));
  private static final List<LogEvent> ALL =
      List.of(
          new BatchesAppended(ByteBuffer.allocate(0), 8),
          new LeaderEpochStarted(3, 9),
          new LogTruncated(5),
          new LogRestarted(6),
          new HighWatermarkCheckpointed(7),
          new LogStartAdvanced(2),
          new SnapshotTaken(SNAPSHOT, 30),
          new SnapshotInstalled(SNAPSHOT),
          new VoteRecorded(new QuorumVote(4, -1, 1, DIRECTORY)),
          new VotersRecorded(VOTERS));

  private static FoundEntry entry(LogEvent event) {
    StoredEntry stored = new StoredEntry(1, 2, 3, "m", "", "w", ByteBuffer.allocate(0));
    return EventFields.entryOf(stored, Path.of("segment"), 64, event);
  }

  @Test
  void every_log_event_has_a_kind_and_its_fields() {
    Set<Class<?>> covered = ALL.stream().map(Object::getClass).collect(Collectors.toSet());
    Set<Class<?>> events =
        Stream.of(LogEvent.class.getPermittedSubclasses()).collect(Collectors.toSet());
    assertEquals(events, covered);

    for (LogEvent event : ALL) {
      FoundEntry entry = entry(event);
      assertTrue(!entry.event().isEmpty() && !entry.fields().isEmpty(), event::toString);
    }
    assertEquals(10, ALL.stream().map(event -> entry(event).event()).distinct().count());
    assertEquals(
        "{startOffset=30, endOffset=40, epoch=3, contentBytes=7, voters=[1 %s host:1]}"
            .formatted(DIRECTORY),
        entry(ALL.get(6)).fields().toString());
    assertEquals(
        "{epoch=4, leaderId=-1, votedFor=1, votedDirectory=%s}".formatted(DIRECTORY),
        entry(ALL.get(8)).fields().toString());
  }

  @Test
  void an_entry_that_is_no_log_event_has_neither() {
    assertEquals("", entry(null).event());
    assertTrue(entry(null).fields().isEmpty());
  }
}
