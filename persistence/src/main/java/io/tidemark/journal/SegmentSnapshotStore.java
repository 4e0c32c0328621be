package io.tidemark.journal;

import akka.actor.ActorSystem;
import akka.dispatch.Futures;
import akka.persistence.SelectedSnapshot;
import akka.persistence.SnapshotMetadata;
import akka.persistence.SnapshotSelectionCriteria;
import akka.persistence.snapshot.japi.SnapshotStore;
import akka.serialization.Serialization;
import akka.serialization.SerializationExtension;
import akka.serialization.Serializer;
import akka.serialization.Serializers;
import com.typesafe.config.Config;
import io.tidemark.journal.SnapshotFiles.Content;
import io.tidemark.journal.SnapshotFiles.Key;
import io.tidemark.settings.SettingsReader;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.concurrent.Future;

/**
 * The snapshot store plugin. It works on its own dispatcher, which may block, one request after the
 * other. A snapshot can be found only after the journal has been forced up to it: a recovery never
 * meets a snapshot of events that are lost.
 */
public final class SegmentSnapshotStore extends SnapshotStore {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentSnapshotStore.class);

  /** Of the replicated logs, which delete what is older than their snapshots. */
  static final String OF_LOGS = "tidemark.log-snapshot-store";

  private final int keep;
  private final Storage storage;
  private final SnapshotFiles files;
  private final Serialization serialization;

  /** Made by Akka: {@code path} is where the instance is configured. */
  public SegmentSnapshotStore(Config config, String path) {
    keep = keep(config.atPath(path), path);
    ActorSystem system = context().system();
    storage = Storage.get(system);
    files = storage.snapshots();
    serialization = SerializationExtension.get(system);
  }

  /**
   * @param config with the plugin's settings at the path
   */
  static int keep(Config config, String path) {
    // A log whose only snapshot is damaged would be lost.
    int least = path.equals(OF_LOGS) ? 2 : 0;
    return new SettingsReader(config).number(path + ".keep", least, Integer.MAX_VALUE);
  }

  @Override
  public Future<Optional<SelectedSnapshot>> doLoadAsync(
      String persistenceId, SnapshotSelectionCriteria criteria) {
    return now(() -> load(persistenceId, criteria));
  }

  private Optional<SelectedSnapshot> load(String persistenceId, SnapshotSelectionCriteria criteria)
      throws IOException {
    List<Key> candidates = select(persistenceId, matching(criteria));
    for (Key key : candidates) {
      Optional<Content> content = files.load(persistenceId, key);
      if (content.isPresent()) {
        Object snapshot =
            serialization
                .deserialize(
                    content.get().payload(), content.get().serializerId(), content.get().manifest())
                .get();
        return Optional.of(SelectedSnapshot.create(metadata(persistenceId, key), snapshot));
      }
      LOG.warn(
          "Snapshot of [{}] in {} is damaged; the one before it is tried",
          persistenceId,
          files.file(persistenceId, key));
    }
    if (!candidates.isEmpty()) {
      throw new IOException(
          "All snapshots of ["
              + persistenceId
              + "] are damaged, the newest is "
              + files.file(persistenceId, candidates.get(0))
              + ". Restore one from a copy, or remove them when no events have been deleted.");
    }
    return Optional.empty();
  }

  private static SnapshotMetadata metadata(String persistenceId, Key key) {
    return new SnapshotMetadata(persistenceId, key.sequenceNr(), key.timestamp());
  }

  private static Predicate<Key> matching(SnapshotSelectionCriteria criteria) {
    return key ->
        key.sequenceNr() >= criteria.minSequenceNr()
            && key.sequenceNr() <= criteria.maxSequenceNr()
            && key.timestamp() >= criteria.minTimestamp()
            && key.timestamp() <= criteria.maxTimestamp();
  }

  private List<Key> select(String persistenceId, Predicate<Key> wanted) throws IOException {
    return files.list(persistenceId).stream().filter(wanted).toList();
  }

  @Override
  public Future<Void> doSaveAsync(SnapshotMetadata metadata, Object snapshot) {
    return now(
        () -> {
          storage.logs().files().check();
          Serializer serializer = serialization.serializerFor(snapshot.getClass());
          Content content =
              new Content(
                  serializer.identifier(),
                  Serializers.manifestFor(serializer, snapshot),
                  serialization.serialize(snapshot).get());
          String id = metadata.persistenceId();
          Key key = new Key(metadata.sequenceNr(), metadata.timestamp());
          files.save(id, key, content, () -> storage.logs().log(id).checkpoint());
          dropOld(id);
          return null;
        });
  }

  private void dropOld(String persistenceId) throws IOException {
    List<Key> newestFirst = files.list(persistenceId);
    if (keep > 0 && newestFirst.size() > keep) {
      files.delete(persistenceId, newestFirst.subList(keep, newestFirst.size()));
    }
  }

  @Override
  public Future<Void> doDeleteAsync(SnapshotMetadata metadata) {
    return delete(
        metadata.persistenceId(),
        key ->
            key.sequenceNr() == metadata.sequenceNr()
                && (metadata.timestamp() == 0 || key.timestamp() == metadata.timestamp()));
  }

  @Override
  public Future<Void> doDeleteAsync(String persistenceId, SnapshotSelectionCriteria criteria) {
    return delete(persistenceId, matching(criteria));
  }

  private Future<Void> delete(String persistenceId, Predicate<Key> wanted) {
    return now(
        () -> {
          files.delete(persistenceId, select(persistenceId, wanted));
          return null;
        });
  }

  private static <T> Future<T> now(Callable<T> action) {
    try {
      return Futures.successful(action.call());
    } catch (Exception e) {
      return Futures.failed(e);
    }
  }
}
