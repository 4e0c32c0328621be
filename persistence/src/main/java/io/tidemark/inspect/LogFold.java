package io.tidemark.inspect;

import io.tidemark.journal.Damage;
import io.tidemark.journal.StoredEntry;
import io.tidemark.journal.StoredSnapshot;
import io.tidemark.log.LogEvent;
import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogSerializer;
import io.tidemark.log.LogState;
import io.tidemark.record.CorruptRecordException;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatches;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Follows a replicated log as its actor would: all events, or those behind a snapshot when the ones
 * before are deleted. A log of other events is not followed.
 */
final class LogFold {
  private final List<Damage> damages = new ArrayList<>();
  private StoredSnapshot newest;
  private LogState snapshot;
  private LogState state;
  private boolean broken;

  /** Snapshots come before the entries, the newest first. */
  void snapshot(StoredSnapshot found) {
    if (!found.isReadable()) {
      damages.add(damage(found, "an unreadable snapshot"));
    } else if (snapshot == null && found.serializerId() == LogSerializer.IDENTIFIER) {
      try {
        snapshot = (LogState) LogSerializer.read(found.payload().duplicate(), found.manifest());
        newest = found;
      } catch (IllegalArgumentException | ClassCastException e) {
        damages.add(damage(found, e.getMessage()));
      }
    }
  }

  private static Damage damage(StoredSnapshot found, String what) {
    return new Damage(found.file(), 0, found.sequenceNr(), what);
  }

  /** The entry's log event, empty for another event or one that cannot be read at all. */
  Optional<LogEvent> entry(StoredEntry entry, Path file, long position) {
    if (entry.serializerId() != LogSerializer.IDENTIFIER) {
      return Optional.empty();
    }
    LogEvent event = null;
    try {
      event = (LogEvent) LogSerializer.read(entry.payload().duplicate(), entry.manifest());
      if (event instanceof BatchesAppended appended) {
        RecordBatches.list(appended.batches().duplicate()).forEach(RecordBatch::validate);
      }
      if (!broken) {
        follow(event, entry.sequenceNr());
      }
    } catch (IllegalArgumentException
        | IllegalStateException
        | ClassCastException
        | CorruptRecordException e) {
      if (!broken) {
        broken = true;
        damages.add(new Damage(file, position, entry.sequenceNr(), e.getMessage()));
      }
    }
    return Optional.ofNullable(event);
  }

  private void follow(LogEvent event, long sequenceNr) {
    if (state == null) {
      if (sequenceNr > 1 && snapshot == null) {
        throw new IllegalStateException("the events before it are gone, and no snapshot has them");
      }
      state = sequenceNr == 1 ? LogState.EMPTY : snapshot;
    }
    if (sequenceNr > state.sequenceNr()) {
      state = state.apply(event);
    }
    if (newest != null && sequenceNr == newest.sequenceNr() && !state.equals(snapshot)) {
      damages.add(damage(newest, "the snapshot is not what its events amount to"));
    }
  }

  /** Where the log is behind the last event that could be followed. */
  Optional<LogState> state() {
    return Optional.ofNullable(state == null ? snapshot : state);
  }

  List<Damage> damages() {
    return damages;
  }
}
