package io.tidemark.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/**
 * Looks at the files of one log by the rules of {@link LogRecovery}, but from the first segment on
 * and without changing anything: what a start would cut is told as unfinished, what it would refuse
 * to open, or a reader to serve, as damage.
 */
final class OfflineLog {
  private static final int OPEN_FILES = 2;

  /** Entries of an atomic write whose end has not been seen. */
  private record Pending(StoredEntry entry, Path file, long position) {}

  private final Path folder;
  private final PendingRedo redo;
  private final OfflineStorage.Visitor visitor;
  private final LongConsumer progress;
  private final List<Segment> segments = new ArrayList<>();
  private final List<Pending> pending = new ArrayList<>();
  private LogMarks marks;
  private long durable;
  private long highest;
  private long entries;

  /** What was given to the visitor, also by an earlier look. */
  private long visited;

  /** The segment of the last whole atomic write, and where it ends there. */
  private int goodSegment;

  private long goodEnd;

  /** The first entry that does not hold, in that segment. */
  private long badSequenceNr;

  private long badAt;

  OfflineLog(Path folder, PendingRedo redo, OfflineStorage.Visitor visitor, LongConsumer progress) {
    this.folder = folder;
    this.redo = redo;
    this.visitor = visitor;
    this.progress = progress;
  }

  static boolean isSegment(Path file) {
    return file.getFileName().toString().endsWith(Segment.SUFFIX);
  }

  /** One look, from the first segment on; only entries that were not visited before are. */
  LogCheck check() throws IOException {
    segments.clear();
    pending.clear();
    marks = LogMarks.NONE;
    durable = 0;
    highest = 0;
    entries = 0;
    try (OpenFiles files = new OpenFiles(OPEN_FILES)) {
      return check(files);
    }
  }

  private LogCheck check(OpenFiles files) throws IOException {
    try {
      marks = LogMarks.read("", folder);
    } catch (DamagedLogException e) {
      return result(0, new Damage(e.file(), 0, 1, "unreadable marks"));
    }
    durable = marks.durable();
    highest = marks.durable();
    Optional<Damage> missing = openSegments(files);
    if (missing.isPresent()) {
      return result(0, missing.get());
    }
    long lost = redo.lastLost(folder.getFileName().toString(), segments);
    if (lost > marks.deleted()) {
      durable = Math.max(durable, lost);
    }
    if (segments.isEmpty()) {
      return durable > marks.deleted()
          ? result(0, new Damage(folder, 0, marks.deleted() + 1, "segments are missing"))
          : result(0, null);
    }
    follow();
    long behind = searchBehind();
    if (highest < marks.deleted() && durable <= marks.deleted()) {
      // A power loss has brought back segments of a log that was deleted as a whole.
      highest = marks.durable();
      return result(0, null);
    }
    if (highest < durable) {
      return result(
          0,
          new Damage(
              segments.get(goodSegment).file,
              badAt,
              badSequenceNr,
              "an entry that had been forced is unreadable; %d entries behind it are readable"
                  .formatted(behind)));
    }
    return result(unfinished(), null);
  }

  private LogCheck result(long unfinished, Damage damage) {
    long bytes = segments.stream().mapToLong(Segment::allocated).sum();
    return new LogCheck(
        marks.deleted(),
        highest,
        durable,
        entries,
        segments.size(),
        bytes,
        unfinished,
        Optional.ofNullable(damage));
  }

  private Optional<Damage> openSegments(OpenFiles files) throws IOException {
    if (!Files.isDirectory(folder)) {
      return Optional.empty();
    }
    List<Path> found;
    try (Stream<Path> all = Files.list(folder)) {
      found = all.filter(OfflineLog::isSegment).sorted().toList();
    }
    for (int i = 0; i < found.size(); i++) {
      Path file = found.get(i);
      if (i + 1 < found.size() && firstOf(found.get(i + 1)) - 1 <= marks.deleted()) {
        // It holds deleted entries only: a crash has left it, and the next start removes it.
        continue;
      }
      ByteBuffer bytes = ByteBuffer.allocate(SegmentHeader.SIZE);
      long size;
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
        DurableFiles.readFully(channel, bytes, 0);
        size = channel.size();
      }
      Optional<SegmentHeader> header = SegmentHeader.decode(bytes.flip());
      if (header.isEmpty() || !file.endsWith(Segment.fileName(header.get().firstSequenceNr()))) {
        boolean newer = SegmentHeader.isNewer(bytes.rewind());
        String what = newer ? "a segment of a newer version" : "an unreadable header";
        return Optional.of(new Damage(file, 0, firstOf(file), what));
      }
      segments.add(redo.segment(files, file, header.get(), size));
    }
    if (!segments.isEmpty() && segments.get(0).header.previousSequenceNr() > marks.deleted()) {
      return Optional.of(
          new Damage(
              segments.get(0).file, 0, marks.deleted() + 1, "the segment before it is missing"));
    }
    return Optional.empty();
  }

  /** By the file's name: its first sequence number. */
  private long firstOf(Path file) {
    String name = file.getFileName().toString();
    try {
      return Long.parseLong(name.substring(0, name.length() - Segment.SUFFIX.length()));
    } catch (NumberFormatException e) {
      return marks.deleted() + 1;
    }
  }

  /** Follows the entries from the first segment on, as far as they hold together. */
  private void follow() throws IOException {
    highest = segments.get(0).header.previousSequenceNr();
    for (int i = 0; i < segments.size(); i++) {
      Segment segment = segments.get(i);
      durable = Math.max(durable, segment.header.durableSequenceNr());
      if (segment.header.previousSequenceNr() != highest) {
        return;
      }
      goodSegment = i;
      goodEnd = SegmentHeader.SIZE;
      follow(segment);
    }
  }

  private void follow(Segment segment) throws IOException {
    // Only for what it says of itself: an index is a short cut, and this takes none.
    IndexFile.load(segment).ifPresent(it -> durable = Math.max(durable, it.sequenceNr()));
    EntryCursor cursor = new EntryCursor(segment, SegmentHeader.SIZE, segment.allocated());
    long previous = highest;
    long told = 0;
    while (cursor.advance()
        && cursor.previousSequenceNr() == previous
        && cursor.sequenceNr() > previous) {
      previous = cursor.sequenceNr();
      durable = Math.max(durable, cursor.durableSequenceNr());
      pending.add(new Pending(cursor.entry(), segment.file, cursor.entryAt()));
      if (!cursor.continues()) {
        highest = previous;
        goodEnd = cursor.position();
        visitPending();
      }
      progress.accept(cursor.position() - told);
      told = cursor.position();
    }
    badSequenceNr = previous + 1;
    badAt = told == 0 ? SegmentHeader.SIZE : told;
    pending.clear();
    progress.accept(segment.allocated() - told);
  }

  private void visitPending() throws IOException {
    for (Pending each : pending) {
      long sequenceNr = each.entry.sequenceNr();
      if (sequenceNr > marks.deleted()) {
        entries++;
        if (sequenceNr > visited) {
          visitor.entry(each.entry, each.file, each.position);
          visited = sequenceNr;
        }
      }
    }
    pending.clear();
  }

  /** What is behind the last good entry may tell that more had been forced. */
  private long searchBehind() throws IOException {
    long found = 0;
    for (int i = goodSegment; i < segments.size(); i++) {
      Segment segment = segments.get(i);
      long from = i == goodSegment ? goodEnd : SegmentHeader.SIZE;
      durable = Math.max(durable, segment.header.durableSequenceNr());
      EntryCursor cursor = new EntryCursor(segment, from, segment.allocated());
      while (cursor.search()) {
        durable = Math.max(durable, cursor.durableSequenceNr());
        found++;
      }
    }
    return found;
  }

  private long unfinished() throws IOException {
    Segment last = segments.get(goodSegment);
    long bytes = last.hasBytesBehind(goodEnd) ? last.allocated() - goodEnd : 0;
    for (Segment unreachable : segments.subList(goodSegment + 1, segments.size())) {
      bytes += unreachable.allocated();
    }
    return bytes;
  }
}
