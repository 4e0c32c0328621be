package io.tidemark.inspect;

import io.tidemark.journal.StoredEntry;
import io.tidemark.log.LogEvent;
import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogEvent.HighWatermarkCheckpointed;
import io.tidemark.log.LogEvent.LeaderEpochStarted;
import io.tidemark.log.LogEvent.LogRestarted;
import io.tidemark.log.LogEvent.LogStartAdvanced;
import io.tidemark.log.LogEvent.LogTruncated;
import io.tidemark.log.LogEvent.SnapshotInstalled;
import io.tidemark.log.LogEvent.SnapshotTaken;
import io.tidemark.log.LogEvent.VoteRecorded;
import io.tidemark.log.LogEvent.Voter;
import io.tidemark.log.LogEvent.VotersRecorded;
import io.tidemark.log.LogSnapshot;
import io.tidemark.record.CorruptRecordException;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatches;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Log events as a kind and named fields. */
final class EventFields {
  private final Map<String, Object> fields = new LinkedHashMap<>();
  private List<RecordBatch> batches = List.of();
  private String kind = "";

  private EventFields() {}

  /**
   * @param event null when the entry is no log event, or an unreadable one
   */
  static FoundEntry entryOf(StoredEntry entry, Path file, long position, LogEvent event) {
    EventFields of = new EventFields();
    if (event != null) {
      of.read(event);
    }
    return new FoundEntry(
        entry.sequenceNr(),
        entry.timestamp(),
        file.toString(),
        position,
        entry.serializerId(),
        entry.manifest(),
        entry.payload().remaining(),
        of.kind,
        of.fields,
        of.batches);
  }

  private void read(LogEvent event) {
    if (event instanceof BatchesAppended e) {
      kind("batches-appended").with("highWatermark", e.highWatermark());
      batches = batchesOf(e);
    } else if (event instanceof LeaderEpochStarted e) {
      kind("leader-epoch-started").with("epoch", e.epoch()).with("startOffset", e.startOffset());
    } else if (event instanceof LogTruncated e) {
      kind("log-truncated").with("endOffset", e.endOffset());
    } else if (event instanceof LogRestarted e) {
      kind("log-restarted").with("startOffset", e.startOffset());
    } else if (event instanceof HighWatermarkCheckpointed e) {
      kind("high-watermark-checkpointed").with("highWatermark", e.highWatermark());
    } else if (event instanceof LogStartAdvanced e) {
      kind("log-start-advanced").with("startOffset", e.startOffset());
    } else if (event instanceof SnapshotTaken e) {
      kind("snapshot-taken").with("startOffset", e.startOffset()).snapshot(e.snapshot());
    } else if (event instanceof SnapshotInstalled e) {
      kind("snapshot-installed").snapshot(e.snapshot());
    } else if (event instanceof VoteRecorded e) {
      kind("vote-recorded").with("epoch", e.vote().epoch()).with("leaderId", e.vote().leaderId());
      with("votedFor", e.vote().votedFor()).with("votedDirectory", e.vote().votedDirectory());
    } else if (event instanceof VotersRecorded e) {
      kind("voters-recorded").voters(e.voters());
    }
  }

  private void snapshot(LogSnapshot snapshot) {
    with("endOffset", snapshot.endOffset()).with("epoch", snapshot.epoch());
    with("contentBytes", snapshot.content().remaining()).voters(snapshot.voters());
  }

  private void voters(List<Voter> voters) {
    with(
        "voters",
        voters.stream().map(it -> it.id() + " " + it.directoryId() + " " + it.address()).toList());
  }

  /** None when the bytes are no batches, which is told as damage. */
  private static List<RecordBatch> batchesOf(BatchesAppended event) {
    try {
      return RecordBatches.list(event.batches().duplicate());
    } catch (CorruptRecordException e) {
      return List.of();
    }
  }

  private EventFields kind(String name) {
    kind = name;
    return this;
  }

  private EventFields with(String name, Object value) {
    fields.put(name, value instanceof Number || value instanceof List ? value : text(value));
    return this;
  }

  private static String text(Object value) {
    return value == null ? null : value.toString();
  }
}
