package io.tidemark.journal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of one persistence id.
 *
 * <p>After a failed write or force it refuses everything until {@link #recover} has looked at the
 * files again: what is on disk is not known before. Readers see acknowledged entries only and need
 * no lock.
 */
final class SegmentLog {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentLog.class);

  private static final long MUCH_UNFORCED = 8 << 20;

  final String persistenceId;
  private final Path folder;
  private final OpenFiles files;
  private final SegmentSizes sizes;
  private final StorageMetrics metrics;
  private final Executor background;

  /** Held while files are forced, so that whoever finds nothing to force knows that it is done. */
  private final Object forcing = new Object();

  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

  /** Null until the files have been looked at. */
  private volatile SegmentChain segments;

  private volatile Throwable failure;
  private volatile LogMarks marks = LogMarks.NONE;

  /** Readers go up to here. */
  private volatile long acknowledged;

  /** The last entry; at least {@link #durable}. */
  private long highest;

  /** Everything up to here survives a power loss: in its segment or in a write-ahead file. */
  private long durable;

  /** Everything up to here is on disk in its segment; at most {@link #durable}. */
  private long settled;

  /** What the next write has to begin with; above highest + 1 after rejected events. */
  private long expected;

  private long cutBytes;

  /** What {@link #hasMuchUnforced} has not told of. */
  private long unforcedBytes;

  /** So that each retry of a recovery does not log the same again. */
  private String reportedDamage = "";

  SegmentLog(
      String persistenceId,
      Path folder,
      OpenFiles files,
      SegmentSizes sizes,
      StorageMetrics metrics,
      Executor background) {
    this.persistenceId = persistenceId;
    this.folder = folder;
    this.files = files;
    this.sizes = sizes;
    this.metrics = metrics;
    this.background = background;
  }

  /**
   * Opens the log unless it is open and well.
   *
   * @return the highest sequence number, 0 when there never was an entry
   */
  long recover() throws IOException {
    synchronized (forcing) {
      synchronized (this) {
        if (segments == null || failure != null) {
          long began = System.nanoTime();
          LogRecovery.Recovered recovered = recoverFiles();
          if (segments != null) {
            metrics.segments(-segments.all().size());
          }
          metrics.recovered(persistenceId, System.nanoTime() - began, recovered.scanned());
          cutBytes += recovered.cut();
          marks = recovered.marks();
          highest = recovered.highest();
          durable = highest;
          settled = highest;
          // A reader that sees the log open, or sees more acknowledged, sees the files of it too.
          if (segments == null) {
            acknowledged = highest;
          }
          segments =
              new SegmentChain(
                  persistenceId, folder, files, sizes, metrics, background, recovered.segments());
          acknowledged = highest;
          failure = null;
          segments.removeUpTo(marks.deleted(), highest);
        }
        expected = highest + 1;
        return highest;
      }
    }
  }

  private LogRecovery.Recovered recoverFiles() throws IOException {
    try {
      boolean first = segments == null;
      long known = first ? 0 : Math.max(acknowledged, durable);
      long forced = first ? Long.MAX_VALUE : settled;
      return files.opening(() -> LogRecovery.recover(persistenceId, folder, files, known, forced));
    } catch (DamagedLogException e) {
      if (!e.getMessage().equals(reportedDamage)) {
        reportedDamage = e.getMessage();
        LOG.error(e.getMessage());
      }
      throw e;
    }
  }

  /** Opens the log when nobody has; a failed one is left as it is. */
  private void open() throws IOException {
    if (segments == null) {
      recover();
    }
  }

  /** Bytes that recoveries of this log have cut as unfinished writes. */
  synchronized long cutBytes() {
    return cutBytes;
  }

  /**
   * Writes the entries behind the last one, into the page cache.
   *
   * @param zeroAhead whether the writes are forced one by one, which is quicker where zeros are
   * @return where they are; null when the write was a rejected one
   * @throws WriteRefusedException when they do not follow the last sequence number, or the log has
   *     failed before; nothing was written
   * @throws IOException when the write failed; how much of it is on disk, recovery will tell
   */
  Placed append(AtomicEntries write, boolean zeroAhead) throws IOException {
    open();
    synchronized (this) {
      refuseIfFailed();
      if (write.firstSequenceNr() != expected) {
        throw new WriteRefusedException(
            "Log of ["
                + persistenceId
                + "] expects sequence number "
                + expected
                + " next but was given "
                + write.firstSequenceNr()
                + ". Two writers use this persistence id; let only one be active.");
      }
      Placed placed = write.bytes() == null ? null : place(write, zeroAhead);
      expected = write.lastSequenceNr() + 1;
      return placed;
    }
  }

  private Placed place(AtomicEntries write, boolean zeroAhead) throws IOException {
    try {
      Segment segment =
          files.opening(() -> segments.segmentFor(write.size(), highest, durable, settled));
      EntryFormat.seal(write.bytes(), segment.header.salt(), highest, durable);
      segments.touched(segment);
      long position = segment.append(write.bytes(), zeroAhead);
      unforcedBytes += write.size();
      highest = write.lastSequenceNr();
      return new Placed(this, segment, position, write.bytes(), highest);
    } catch (IOException | RuntimeException | Error e) {
      throw failed(e);
    }
  }

  /**
   * Everything appended before this call is on disk when it returns.
   *
   * @return the last sequence number that is
   */
  long force() throws IOException {
    synchronized (forcing) {
      List<Segment> dirty;
      long upTo;
      synchronized (this) {
        open();
        refuseIfFailed();
        dirty = segments.takeUnforced();
        unforcedBytes = 0;
        upTo = highest;
      }
      try {
        for (Segment segment : dirty) {
          segment.force();
        }
      } catch (IOException | RuntimeException | Error e) {
        throw failed(e);
      }
      synchronized (this) {
        refuseIfFailed();
        durable = Math.max(durable, upTo);
        settled = upTo;
        return upTo;
      }
    }
  }

  /**
   * Whether so much was appended and not forced that the disk should begin with it: what it gets
   * all at once makes everything else wait. Tells so once.
   */
  synchronized boolean hasMuchUnforced() {
    boolean much = unforcedBytes >= MUCH_UNFORCED;
    unforcedBytes = much ? 0 : unforcedBytes;
    return much;
  }

  /** What was appended up to the sequence number is on disk in a write-ahead file. */
  synchronized void isAhead(long sequenceNr) throws WriteRefusedException {
    refuseIfFailed();
    durable = Math.max(durable, Math.min(sequenceNr, highest));
  }

  /**
   * Forces the log and notes how far, so that the next opening need not look at what is before.
   *
   * @return the last sequence number that is on disk
   */
  long checkpoint() throws IOException {
    synchronized (forcing) {
      Segment last;
      IndexFile.Checked checked;
      synchronized (this) {
        open();
        last = segments.last();
        checked = last == null ? null : new IndexFile.Checked(last.end(), highest);
      }
      long forced = force();
      if (last != null) {
        IndexFile.write(last, checked);
      }
      return forced;
    }
  }

  private synchronized IOException failed(Throwable cause) {
    if (failure == null) {
      failure = cause;
      LOG.error(
          "Log of [{}] in {} failed behind sequence number {}; nothing is acknowledged until its"
              + " persistent actor has recovered",
          persistenceId,
          folder,
          acknowledged,
          cause);
    }
    return new IOException("Log of [" + persistenceId + "] failed: " + cause, cause);
  }

  private void refuseIfFailed() throws WriteRefusedException {
    if (failure != null) {
      throw new WriteRefusedException(
          "Log of [" + persistenceId + "] failed earlier and has not been recovered", failure);
    }
  }

  /** Lets readers see everything up to the sequence number. */
  void acknowledge(long sequenceNr) {
    synchronized (this) {
      acknowledged = Math.max(acknowledged, Math.min(sequenceNr, highest));
    }
    listeners.forEach(Runnable::run);
  }

  /** The highest deleted sequence number, 0 when none is. */
  long deleted() {
    return marks.deleted();
  }

  /** Whether so many bytes can be written without making a file. */
  boolean hasRoomFor(int bytes) {
    SegmentChain open = segments;
    Segment last = open == null ? null : open.last();
    return last != null && last.hasRoomFor(bytes);
  }

  boolean hasFailed() {
    return failure != null;
  }

  Path folder() {
    return folder;
  }

  synchronized long highest() {
    return highest;
  }

  /** The last sequence number that readers see; opens the log when nobody has. */
  long acknowledged() throws IOException {
    open();
    return acknowledged;
  }

  /** Deletes entries up to the sequence number for good; segments without others leave the disk. */
  void deleteTo(long sequenceNr) throws IOException {
    long forced = force();
    synchronized (forcing) {
      synchronized (this) {
        long to = Math.min(sequenceNr, forced);
        if (to > marks.deleted()) {
          replaceMarks(new LogMarks(to, forced));
        }
        segments.removeUpTo(marks.deleted(), highest);
      }
    }
  }

  private void replaceMarks(LogMarks next) throws IOException {
    marks =
        files.opening(
            () -> {
              FolderNames.create(folder, persistenceId);
              next.write(folder);
              return next;
            });
  }

  /**
   * Gives the reader the acknowledged entries from the sequence number on, in order, up to what was
   * acknowledged at the call.
   */
  void read(long fromSequenceNr, LogView.Reader reader) throws IOException {
    long upTo = acknowledged();
    new LogView(persistenceId, segments.all(), marks.deleted(), upTo).read(fromSequenceNr, reader);
  }

  /** Calls the listener, on the writer's thread, whenever more has been acknowledged. */
  void addListener(Runnable listener) {
    listeners.add(listener);
  }

  void removeListener(Runnable listener) {
    listeners.remove(listener);
  }

  int listeners() {
    return listeners.size();
  }

  /**
   * Forces the log and notes that all of it has to be there: from now on damage at its end cannot
   * be taken for an unfinished write.
   *
   * @return false when the log has failed, and so may have lost what was not forced
   */
  boolean close() {
    if (failure != null) {
      return false;
    }
    if (segments == null) {
      return true;
    }
    try {
      long forced = checkpoint();
      if (forced > marks.durable()) {
        replaceMarks(new LogMarks(marks.deleted(), forced));
      }
      return true;
    } catch (IOException e) {
      failed(e);
      return false;
    }
  }
}
