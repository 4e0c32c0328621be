package io.tidemark.journal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;

/** The logs of all persistence ids of a storage directory. */
final class SegmentLogs implements EventReader {
  private final Path folder;
  private final SegmentSizes sizes;
  private final OpenFiles files;
  private final StorageMetrics metrics;
  private final Executor background;
  private final ConcurrentMap<String, SegmentLog> logs = new ConcurrentHashMap<>();

  /**
   * @param background does what writers should not wait for
   */
  SegmentLogs(
      Path folder, SegmentSizes sizes, int openFiles, StorageMetrics metrics, Executor background)
      throws IOException {
    DurableFiles.createDirectory(folder);
    this.folder = folder;
    this.sizes = sizes;
    this.metrics = metrics;
    this.background = background;
    this.files = new OpenFiles(openFiles);
  }

  /** The id's log, which is opened at its first use. */
  SegmentLog log(String persistenceId) {
    SegmentLog known = logs.get(persistenceId);
    return known != null ? known : logs.computeIfAbsent(persistenceId, this::newLog);
  }

  private SegmentLog newLog(String persistenceId) {
    Path home = folder.resolve(FolderNames.encode(persistenceId));
    return new SegmentLog(persistenceId, home, files, sizes, metrics, background);
  }

  /** All persistence ids that have a folder: those that were ever written. */
  List<String> persistenceIds() throws IOException {
    return FolderNames.list(folder);
  }

  @Override
  public void read(String persistenceId, long fromSequenceNr, EntryVisitor visitor)
      throws IOException {
    log(persistenceId)
        .read(fromSequenceNr, entry -> visitor.entry(entry.sequenceNr(), entry.payload()));
  }

  /** Those logs of which something was cut, and how many bytes. */
  Map<String, Long> cuts() {
    Map<String, Long> cuts = new HashMap<>();
    for (SegmentLog log : logs.values()) {
      if (log.cutBytes() > 0) {
        cuts.put(log.persistenceId, log.cutBytes());
      }
    }
    return cuts;
  }

  /** Bytes cut as unfinished writes since the start, over all logs. */
  long cutBytes() {
    return logs.values().stream().mapToLong(SegmentLog::cutBytes).sum();
  }

  /** Whether files may be touched still. */
  boolean isUsable() {
    return files.isUsable();
  }

  /** Nothing is read or written any more: everything fails with this. */
  void giveUp(IOException cause) {
    files.giveUp(cause);
  }

  OpenFiles files() {
    return files;
  }

  /**
   * Forces and closes all logs.
   *
   * @return whether everything that was ever acknowledged is on disk
   */
  boolean close() throws IOException {
    boolean clean = true;
    for (SegmentLog log : logs.values()) {
      clean &= log.close();
    }
    files.close();
    return clean;
  }
}
