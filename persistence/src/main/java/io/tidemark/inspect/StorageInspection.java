package io.tidemark.inspect;

import io.tidemark.inspect.LogReport.Damaged;
import io.tidemark.inspect.LogReport.Epoch;
import io.tidemark.inspect.LogReport.Offsets;
import io.tidemark.journal.Damage;
import io.tidemark.journal.DirectoryIdentity;
import io.tidemark.journal.LogCheck;
import io.tidemark.journal.OfflineStorage;
import io.tidemark.journal.StorageException;
import io.tidemark.journal.StoredSnapshot;
import io.tidemark.log.LogState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A storage directory that is looked at. Nothing in it is created, changed or locked: it may be a
 * copy, and it may be in use.
 */
public final class StorageInspection {

  /** Is told of what is found, in this order: snapshots, entries; of bytes meanwhile. */
  public interface Listener {
    default void snapshot(FoundSnapshot snapshot) {}

    default void entry(FoundEntry entry) {}

    /** So many more bytes of segments were read. */
    default void read(long bytes) {}
  }

  private final OfflineStorage storage;

  private StorageInspection(OfflineStorage storage) {
    this.storage = storage;
  }

  /** Whether the path is a directory that a node has stored something in. */
  public static boolean isStorage(Path path) {
    return OfflineStorage.isOne(path);
  }

  /**
   * @throws IOException when the directory cannot be read, or a newer version wrote it; the message
   *     says so
   */
  public static StorageInspection open(Path path) throws IOException {
    try {
      return new StorageInspection(OfflineStorage.open(path));
    } catch (StorageException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /** Format version, directory id, and the broker and the cluster when they are known. */
  public Map<String, Object> identity() {
    DirectoryIdentity found = storage.identity();
    Map<String, Object> identity = new LinkedHashMap<>();
    identity.put("formatVersion", found.formatVersion());
    identity.put("directoryId", found.directoryId().toString());
    found.brokerId().ifPresent(id -> identity.put("brokerId", id));
    found.clusterId().ifPresent(id -> identity.put("clusterId", id.toString()));
    return identity;
  }

  /** "closed", "in use", or "not closed" when its last user has died. */
  public String use() throws IOException {
    return storage.use().name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
  }

  /** All persistence ids, in order. */
  public List<String> persistenceIds() throws IOException {
    return storage.persistenceIds();
  }

  /** Folders whose persistence id is not known any more, although they hold data. */
  public List<String> namelessFolders() throws IOException {
    return storage.namelessFolders().stream().map(Path::toString).toList();
  }

  /** The write-ahead files that have lost what had been forced, and at which position. */
  public Map<Path, Long> damagedWriteAhead() throws IOException {
    return storage.damagedWriteAhead();
  }

  /** Bytes of the id's segments: what {@link #inspect} is going to read. */
  public long bytes(String persistenceId) throws IOException {
    return storage.bytes(persistenceId);
  }

  /** Reads everything of the id and checks it. */
  public LogReport inspect(String persistenceId, Listener listener) throws IOException {
    LogFold fold = new LogFold();
    List<StoredSnapshot> snapshots = new ArrayList<>();
    storage.snapshots(
        persistenceId,
        found -> {
          fold.snapshot(found);
          snapshots.add(withoutPayload(found));
          listener.snapshot(snapshotOf(found));
        });
    LogCheck check =
        storage.check(
            persistenceId,
            (entry, file, position) ->
                listener.entry(
                    EventFields.entryOf(
                        entry, file, position, fold.entry(entry, file, position).orElse(null))),
            listener::read);
    List<Damage> damages = new ArrayList<>();
    check.damage().ifPresent(damages::add);
    damages.addAll(fold.damages());
    if (check.damage().isEmpty()) {
      snapshots.stream()
          .filter(it -> it.sequenceNr() > check.highest())
          .map(it -> new Damage(it.file(), 0, it.sequenceNr(), "a snapshot beyond the log's end"))
          .forEach(damages::add);
    }
    return new LogReport(
        persistenceId,
        check.deleted(),
        check.highest(),
        check.entries(),
        check.segments(),
        check.bytes(),
        check.unfinished(),
        snapshots.size(),
        fold.state().map(StorageInspection::offsetsOf),
        damages.stream().map(StorageInspection::damagedOf).toList());
  }

  private static StoredSnapshot withoutPayload(StoredSnapshot it) {
    return new StoredSnapshot(
        it.file(), it.sequenceNr(), it.timestamp(), it.size(), it.serializerId(), "", null);
  }

  private static FoundSnapshot snapshotOf(StoredSnapshot it) {
    return new FoundSnapshot(
        it.file().toString(),
        it.sequenceNr(),
        it.timestamp(),
        it.size(),
        it.serializerId(),
        it.manifest(),
        it.isReadable());
  }

  private static Offsets offsetsOf(LogState state) {
    return new Offsets(
        state.startOffset(),
        state.endOffset(),
        state.highWatermark(),
        state.epochs().entries().stream()
            .map(it -> new Epoch(it.epoch(), it.startOffset()))
            .toList());
  }

  private static Damaged damagedOf(Damage it) {
    return new Damaged(it.file().toString(), it.position(), it.sequenceNr(), it.what());
  }
}
