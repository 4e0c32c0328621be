package io.tidemark.journal;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Map;
import java.util.NavigableMap;

/**
 * What one reader sees of a log: all that was acknowledged when the view was taken.
 *
 * @param segments by first sequence number; shared with the log, which may delete segments
 *     meanwhile
 * @param deleted entries up to here are not seen
 * @param upTo the last entry that is seen
 */
record LogView(
    String persistenceId, NavigableMap<Long, Segment> segments, long deleted, long upTo) {
  interface Reader {
    /** The cursor's current entry; false stops. */
    boolean on(EntryCursor entry) throws IOException;
  }

  private static final long UNKNOWN = -1;

  /** Gives the reader the entries from the sequence number on, in order. */
  void read(long fromSequenceNr, Reader reader) throws IOException {
    long from = Math.max(fromSequenceNr, deleted + 1);
    Map.Entry<Long, Segment> at = segments.floorEntry(from);
    if (at == null) {
      at = segments.firstEntry();
    }
    while (at != null && at.getKey() <= upTo) {
      Map.Entry<Long, Segment> next = segments.higherEntry(at.getKey());
      long last = next == null ? upTo : Math.min(upTo, next.getValue().header.previousSequenceNr());
      try {
        if (from <= last && !read(at.getValue(), from, last, reader)) {
          return;
        }
      } catch (NoSuchFileException e) {
        if (segments.containsKey(at.getKey())) {
          throw e;
        }
        // Deleted while it was read: what is not deleted comes behind it.
      }
      at = next;
    }
  }

  private boolean read(Segment segment, long from, long last, Reader reader) throws IOException {
    if (segment.index.size() == 0) {
      IndexFile.load(segment);
    }
    long start = segment.index.positionBefore(from, SegmentHeader.SIZE);
    EntryCursor cursor = new EntryCursor(segment, start, segment.allocated());
    boolean atStart = start == SegmentHeader.SIZE;
    long previous = atStart ? segment.header.previousSequenceNr() : UNKNOWN;
    while (previous < last) {
      if (!cursor.advance() || previous != UNKNOWN && cursor.previousSequenceNr() != previous) {
        throw new DamagedLogException(
            persistenceId,
            segment.file,
            cursor.position(),
            Math.max(previous + 1, segment.header.firstSequenceNr()),
            "an unreadable entry");
      }
      previous = cursor.sequenceNr();
      segment.index.note(previous, cursor.entryAt());
      if (previous >= from && previous <= last && !reader.on(cursor)) {
        return false;
      }
    }
    return true;
  }
}
