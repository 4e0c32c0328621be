package io.tidemark.journal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One force for a group of writes, however many logs they belong to: a lane's writes go into one
 * file together, and their segments are forced later, all at once, before the file is used again.
 *
 * <p>Two files take turns. It is a help and never a must: while there is no file to write to, the
 * lane forces each log by itself. Used by the lane's thread; the background only settles.
 */
final class WriteAhead {
  private static final Logger LOG = LoggerFactory.getLogger(WriteAhead.class);
  private static final long RETRY_MILLIS = 1_000;

  private final List<Path> paths;
  private final long capacity;
  private final ScheduledExecutorService background;

  /** The files that hold what may not be in its segment yet, the older first. */
  private final List<Path> needed = new ArrayList<>();

  private WriteAheadFile active;
  private Set<SegmentLog> activeLogs = new LinkedHashSet<>();
  private long round;

  /** The other file, when there is one and all that it holds is settled. */
  private WriteAheadFile spare;

  /** Files whose logs the background has yet to force. */
  private int settling;

  /** When a file can be made again after that has failed; monotonic. */
  private long retryAtNanos = System.nanoTime();

  /**
   * The write-ahead files of a lane, which are made when they are first needed.
   *
   * @param capacity bytes of each of the two files
   */
  WriteAhead(Path folder, String name, long capacity, ScheduledExecutorService background) {
    this.paths =
        List.of(
            folder.resolve(name + "-0" + WriteAheadFile.SUFFIX),
            folder.resolve(name + "-1" + WriteAheadFile.SUFFIX));
    this.capacity = capacity;
    this.background = background;
  }

  /**
   * Writes and forces the group.
   *
   * @return false when that was not possible now, and the logs have to be forced one by one
   */
  boolean write(List<Placed> group) {
    long bytes = 0;
    for (Placed placed : group) {
      int folder = placed.log().folder().getFileName().toString().length();
      bytes += WriteAheadFile.recordLength(folder, placed.bytes().remaining());
    }
    if (!makeRoom(bytes)) {
      return false;
    }
    try {
      for (Placed placed : group) {
        activeLogs.add(placed.log());
        active.add(placed);
      }
      active.force();
      return true;
    } catch (IOException | RuntimeException | Error e) {
      LOG.error("Write-ahead file {} failed; logs are forced one by one now", active.file, e);
      giveUp();
      return false;
    }
  }

  private boolean makeRoom(long bytes) {
    if (active != null && active.hasRoomFor(bytes)) {
      return true;
    }
    synchronized (this) {
      if (settling > 0 || retryAtNanos - System.nanoTime() > 0) {
        return false;
      }
    }
    try {
      WriteAheadFile next = spare != null ? spare : create();
      spare = null;
      begin(next);
      if (active != null) {
        settle(active, activeLogs, true);
        activeLogs = new LinkedHashSet<>();
      }
      active = next;
      synchronized (this) {
        needed.add(active.file);
      }
      return active.hasRoomFor(bytes);
    } catch (IOException | RuntimeException | Error e) {
      LOG.warn(
          "No write-ahead file in {}, logs are forced one by one: {}",
          paths.get(0).getParent(),
          e.toString());
      synchronized (this) {
        retryAtNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS);
      }
      return false;
    }
  }

  private void begin(WriteAheadFile next) throws IOException {
    try {
      next.begin(++round);
    } catch (IOException e) {
      next.close();
      throw e;
    }
  }

  private WriteAheadFile create() throws IOException {
    Path path = active != null && active.file.equals(paths.get(0)) ? paths.get(1) : paths.get(0);
    DurableFiles.createDirectory(path.toAbsolutePath().getParent());
    return WriteAheadFile.create(path, capacity);
  }

  private void giveUp() {
    settle(active, activeLogs, false);
    active = null;
    activeLogs = new LinkedHashSet<>();
  }

  private synchronized void settle(WriteAheadFile file, Set<SegmentLog> logs, boolean again) {
    settling++;
    background.execute(() -> forceAll(file, List.copyOf(logs), again));
  }

  /** A log that has failed keeps the file until it has been recovered. */
  private void forceAll(WriteAheadFile file, List<SegmentLog> logs, boolean again) {
    List<SegmentLog> left = new ArrayList<>();
    for (SegmentLog log : logs) {
      try {
        log.force();
      } catch (IOException | RuntimeException e) {
        LOG.debug("Log of [{}] cannot be settled, which it has reported", log.persistenceId, e);
        left.add(log);
      }
    }
    if (left.isEmpty()) {
      settled(file, again);
    } else if (!background.isShutdown()) {
      background.schedule(() -> forceAll(file, left, again), RETRY_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private synchronized void settled(WriteAheadFile file, boolean again) {
    if (again) {
      spare = file;
    } else {
      try {
        file.close();
        Files.deleteIfExists(file.file);
      } catch (IOException e) {
        LOG.error("Write-ahead file {} cannot be removed", file.file, e);
        return;
      }
    }
    needed.remove(file.file);
    settling--;
  }

  /**
   * No more is written.
   *
   * @param settled whether all that the files hold is in its segment, so that they can go
   */
  synchronized void close(boolean settled) throws IOException {
    for (WriteAheadFile file : new WriteAheadFile[] {active, spare}) {
      if (file != null) {
        file.close();
      }
    }
    for (Path path : paths) {
      if (settled) {
        Files.deleteIfExists(path);
      }
    }
  }

  /** The files to look into when a log's segments may have lost what was acknowledged. */
  synchronized List<Path> needed() {
    return List.copyOf(needed);
  }
}
