package io.tidemark.journal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;

/**
 * The segment files of an open log: where the next entry goes, and which files must be forced.
 * Guarded by its log; only {@link #all} is for everyone.
 */
final class SegmentChain {
  private final String persistenceId;
  private final Path folder;
  private final OpenFiles files;
  private final SegmentSizes sizes;
  private final StorageMetrics metrics;
  private final NavigableMap<Long, Segment> segments = new ConcurrentSkipListMap<>();
  private final Set<Segment> unforced = new LinkedHashSet<>();
  private final SpareSegment spare;

  /** The last of them: looked up for each write. */
  private volatile Segment last;

  SegmentChain(
      String persistenceId,
      Path folder,
      OpenFiles files,
      SegmentSizes sizes,
      StorageMetrics metrics,
      Executor background,
      List<Segment> recovered) {
    this.persistenceId = persistenceId;
    this.folder = folder;
    this.files = files;
    this.sizes = sizes;
    this.metrics = metrics;
    this.spare = new SpareSegment(folder, background);
    recovered.forEach(
        it -> {
          segments.put(it.header.firstSequenceNr(), it);
          last = it;
        });
    metrics.segments(segments.size());
  }

  /** By first sequence number; may be read while it changes. */
  NavigableMap<Long, Segment> all() {
    return segments;
  }

  /** The segment that is written to, null when there is none. */
  Segment last() {
    return last;
  }

  /**
   * The segment that has room for the bytes, a new one when the last has not.
   *
   * @param highest the last entry
   * @param durable everything up to here survives a power loss
   * @param settled everything up to here is on disk in its segment
   */
  Segment segmentFor(int bytes, long highest, long durable, long settled) throws IOException {
    if (last != null && last.hasRoomFor(bytes)) {
      if (sizes.isLarge(last.header.capacity()) && last.end() > last.header.capacity() / 2) {
        spare.prepare(sizes.next(last.header.capacity()));
      }
      return last;
    }
    if (last == null) {
      FolderNames.create(folder, persistenceId);
    } else {
      // Recovery takes a durable entry before the last segment for settled.
      if (durable > settled) {
        last.force();
        unforced.remove(last);
      }
      IndexFile.write(last, Math.max(durable, settled) == highest, highest);
    }
    long capacity = sizes.next(last == null ? 0 : last.header.capacity());
    Segment next =
        Segment.create(
            files,
            folder,
            spare,
            highest + 1,
            durable,
            Math.max(capacity, SegmentHeader.SIZE + bytes));
    Segment tooSmall = segments.put(next.header.firstSequenceNr(), next);
    unforced.remove(tooSmall);
    last = next;
    metrics.segments(tooSmall == null ? 1 : 0);
    return next;
  }

  /** The segment is about to be written to. */
  void touched(Segment segment) {
    unforced.add(segment);
  }

  /** What has to be forced so that all that was written is on disk; the caller does it. */
  List<Segment> takeUnforced() {
    List<Segment> taken = new ArrayList<>(unforced);
    unforced.clear();
    return taken;
  }

  /**
   * Removes the segments all of whose entries are deleted.
   *
   * @param deleted the highest deleted sequence number
   * @param highest the last entry
   */
  void removeUpTo(long deleted, long highest) throws IOException {
    boolean removed = false;
    while (!segments.isEmpty()) {
      Map.Entry<Long, Segment> oldest = segments.firstEntry();
      Map.Entry<Long, Segment> second = segments.higherEntry(oldest.getKey());
      long end = second == null ? highest : second.getValue().header.previousSequenceNr();
      if (end > deleted) {
        break;
      }
      segments.remove(oldest.getKey());
      unforced.remove(oldest.getValue());
      last = second == null ? null : last;
      oldest.getValue().remove();
      metrics.segments(-1);
      removed = true;
    }
    if (segments.isEmpty()) {
      spare.drop();
    }
    if (removed) {
      DurableFiles.forceDirectory(folder);
    }
  }
}
