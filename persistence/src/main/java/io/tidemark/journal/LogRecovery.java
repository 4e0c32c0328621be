package io.tidemark.journal;

import io.tidemark.journal.IndexFile.Checked;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the files of a log after whatever happened to them.
 *
 * <p>Every entry tells how far the log had been forced when it was written. So what is found tells
 * what must be there: an unreadable entry above all of that was never on disk for sure and is cut,
 * one at or below it is damage. An atomic write is kept whole or not at all. When this is done, all
 * that is left is on disk, and behind it there are zeros only: nothing of an old write can come
 * back to life when the log grows over it.
 */
final class LogRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(LogRecovery.class);

  /**
   * A log that is on disk as a whole.
   *
   * @param highest the last sequence number
   * @param cut bytes that were no whole write and are gone
   * @param scanned bytes that were read and checked
   */
  record Recovered(List<Segment> segments, LogMarks marks, long highest, long cut, long scanned) {}

  private final String persistenceId;
  private final Path folder;
  private final OpenFiles files;
  private final long settled;
  private final LogMarks marks;
  private final List<Segment> segments = new ArrayList<>();

  /** Index files that know entries which are cut: others would be looked for there. */
  private final List<Path> overtaken = new ArrayList<>();

  /** Everything up to here was once forced. */
  private long durable;

  /** The last whole atomic write: which segment it ends in, where, and its last entry. */
  private int goodSegment;

  private long goodEnd;
  private long scanned;
  private long highest;

  private LogRecovery(
      String persistenceId, Path folder, OpenFiles files, long acknowledged, long settled)
      throws IOException {
    this.persistenceId = persistenceId;
    this.folder = folder;
    this.files = files;
    this.settled = settled;
    this.marks = LogMarks.read(persistenceId, folder);
    this.durable = Math.max(marks.durable(), acknowledged);
    this.highest = marks.durable();
  }

  /**
   * Recovers the log.
   *
   * @param acknowledged what this process knows to have been there, 0 at a start
   * @param settled the last entry that this process has forced in its segment; above all entries
   *     when there is no doubt about any, as at a start
   */
  static Recovered recover(
      String persistenceId, Path folder, OpenFiles files, long acknowledged, long settled)
      throws IOException {
    return new LogRecovery(persistenceId, folder, files, acknowledged, settled).recover();
  }

  private Recovered recover() throws IOException {
    openSegments();
    if (segments.isEmpty()) {
      if (durable > marks.deleted()) {
        throw damage(folder, 0, marks.deleted() + 1, "segments are missing");
      }
      return new Recovered(List.of(), marks, highest, 0, 0);
    }
    int first = firstToScan();
    scan(first);
    scanBeyond();
    Segment last = segments.get(goodSegment);
    if (highest < marks.deleted() && durable <= marks.deleted()) {
      return dropDeleted();
    }
    if (highest < durable) {
      throw damage(last.file, goodEnd, highest + 1, "an entry that had been forced is unreadable");
    }
    long cut = settle(first);
    return new Recovered(List.copyOf(segments), marks, highest, cut, scanned);
  }

  /** A power loss has brought back some of the segments of a log that was deleted as a whole. */
  private Recovered dropDeleted() throws IOException {
    for (Segment segment : segments) {
      segment.remove();
    }
    DurableFiles.forceDirectory(folder);
    return new Recovered(List.of(), marks, marks.durable(), 0, scanned);
  }

  private void openSegments() throws IOException {
    List<Path> found = new ArrayList<>();
    for (Path file : DurableFiles.list(folder)) {
      String name = file.getFileName().toString();
      if (name.endsWith(Segment.SUFFIX)) {
        found.add(file);
      } else if (name.endsWith(".next")) {
        // Whoever makes a spare one removes it when that fails, at any time.
        Files.deleteIfExists(file);
      }
    }
    for (int i = 0; i < found.size(); i++) {
      if (i + 1 < found.size() && sequenceNrIn(nameOf(found.get(i + 1))) - 1 <= marks.deleted()) {
        removeDeleted(found.get(i));
      } else {
        segments.add(openSegment(found.get(i)));
      }
    }
    if (!segments.isEmpty() && segments.get(0).header.previousSequenceNr() > marks.deleted()) {
      Segment oldest = segments.get(0);
      throw damage(oldest.file, 0, marks.deleted() + 1, "the segment before it is missing");
    }
  }

  /** A crash has left it, or a power loss has brought it back; without those beside it, maybe. */
  private static void removeDeleted(Path segment) throws IOException {
    Files.deleteIfExists(segment);
    Files.deleteIfExists(IndexFile.of(segment));
  }

  private Segment openSegment(Path file) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(SegmentHeader.SIZE);
    long size;
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      DurableFiles.readFully(channel, bytes, 0);
      size = channel.size();
    }
    SegmentHeader header =
        SegmentHeader.decode(bytes.flip())
            .filter(it -> Segment.fileName(it.firstSequenceNr()).equals(nameOf(file)))
            .orElse(null);
    if (header == null) {
      throw damage(file, 0, sequenceNrIn(nameOf(file)), "an unreadable header");
    }
    return new Segment(files, file, header, size);
  }

  private static String nameOf(Path file) {
    return file.getFileName().toString();
  }

  private static long sequenceNrIn(String fileName) {
    try {
      return Long.parseLong(fileName.substring(0, fileName.length() - Segment.SUFFIX.length()));
    } catch (NumberFormatException e) {
      return 1;
    }
  }

  /** The last segment, or an earlier one when that was not forced before the next was begun. */
  private int firstToScan() {
    int index = segments.size() - 1;
    while (index > 0
        && segments.get(index).header.durableSequenceNr()
            < segments.get(index).header.previousSequenceNr()) {
      index--;
    }
    return index;
  }

  private void scan(int first) throws IOException {
    goodSegment = first;
    goodEnd = SegmentHeader.SIZE;
    highest = segments.get(first).header.previousSequenceNr();
    for (int i = first; i < segments.size(); i++) {
      Segment segment = segments.get(i);
      durable = Math.max(durable, segment.header.durableSequenceNr());
      if (segment.header.previousSequenceNr() != highest) {
        return;
      }
      goodSegment = i;
      scan(segment);
    }
  }

  /** What lies before the position that was checked once is looked at when it is read. */
  private void scan(Segment segment) throws IOException {
    goodEnd = SegmentHeader.SIZE;
    Checked checked = IndexFile.load(segment).orElse(new Checked(goodEnd, 0));
    durable = Math.max(durable, checked.sequenceNr());
    if (checked.sequenceNr() > highest && checked.position() <= segment.allocated()) {
      highest = checked.sequenceNr();
      goodEnd = checked.position();
    }
    long began = goodEnd;
    EntryCursor cursor = new EntryCursor(segment, goodEnd, segment.allocated());
    long previous = highest;
    while (cursor.advance()
        && cursor.previousSequenceNr() == previous
        && cursor.sequenceNr() > previous) {
      previous = cursor.sequenceNr();
      durable = Math.max(durable, cursor.durableSequenceNr());
      segment.index.note(previous, cursor.entryAt());
      if (!cursor.continues()) {
        highest = previous;
        goodEnd = cursor.position();
      }
    }
    if (segment.endsAt(goodEnd)) {
      overtaken.add(IndexFile.of(segment.file));
    }
    scanned += cursor.position() - began;
  }

  /** What still is behind the last good entry may tell that more had been forced. */
  private void scanBeyond() throws IOException {
    for (int i = goodSegment; i < segments.size(); i++) {
      Segment segment = segments.get(i);
      long from = i == goodSegment ? goodEnd : SegmentHeader.SIZE;
      durable = Math.max(durable, segment.header.durableSequenceNr());
      EntryCursor cursor = new EntryCursor(segment, from, segment.allocated());
      while (cursor.search()) {
        durable = Math.max(durable, cursor.durableSequenceNr());
      }
    }
  }

  private long settle(int first) throws IOException {
    Segment last = segments.get(goodSegment);
    long cut = last.hasBytesBehind(goodEnd) ? last.allocated() - goodEnd : 0;
    while (segments.size() - 1 > goodSegment) {
      Segment unreachable = segments.remove(segments.size() - 1);
      cut += unreachable.allocated();
      unreachable.remove();
    }
    for (Path index : overtaken) {
      Files.deleteIfExists(index);
    }
    // What was found may have got its name just before a kill.
    DurableFiles.forceDirectory(folder);
    for (Segment segment : segments.subList(first, segments.size())) {
      long from = Math.min(durable, settled);
      segment.settle(segment.index.positionBefore(from, SegmentHeader.SIZE));
    }
    if (cut > 0) {
      LOG.warn(
          "Log of [{}]: cut an unfinished write behind sequence number {} in {} at position {};"
              + " it was not on disk yet, and acknowledged only if the flush policy is os",
          persistenceId,
          highest,
          last.file,
          goodEnd);
    }
    return cut;
  }

  private DamagedLogException damage(Path file, long position, long sequenceNr, String what) {
    return new DamagedLogException(persistenceId, file, position, sequenceNr, what);
  }
}
