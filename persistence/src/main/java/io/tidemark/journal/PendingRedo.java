package io.tidemark.journal;

import io.tidemark.journal.WriteAheadFile.Entry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What {@link Redo} is going to do at the next start, seen without doing it: the segments look as
 * they will then.
 */
final class PendingRedo implements WriteAheadFile.Visitor {
  static final PendingRedo NONE = new PendingRedo();

  private record Key(String folder, long firstSequenceNr, int salt) {}

  private final Map<Key, List<Entry>> pieces = new HashMap<>();
  private final Map<Path, Long> damaged = new TreeMap<>();

  private PendingRedo() {}

  static PendingRedo of(Path ahead) throws IOException {
    PendingRedo redo = new PendingRedo();
    for (Path file : Redo.files(ahead)) {
      WriteAheadFile.read(file, redo);
    }
    return redo;
  }

  @Override
  public void damaged(Path file, long position) {
    damaged.put(file, position);
  }

  /** The files that have lost what was forced, and where. */
  Map<Path, Long> damaged() {
    return damaged;
  }

  @Override
  public void on(Entry entry) {
    pieces
        .computeIfAbsent(
            new Key(entry.folder(), entry.firstSequenceNr(), entry.segmentSalt()),
            key -> new ArrayList<>())
        .add(entry);
  }

  /** The last entry that belongs to none of the folder's segments, 0 when there is none. */
  long lastLost(String folder, List<Segment> segments) {
    long last = 0;
    for (Map.Entry<Key, List<Entry>> each : pieces.entrySet()) {
      Key key = each.getKey();
      boolean home =
          segments.stream()
              .anyMatch(
                  it ->
                      it.header.firstSequenceNr() == key.firstSequenceNr
                          && it.header.salt() == key.salt);
      if (key.folder.equals(folder) && !home) {
        for (Entry entry : each.getValue()) {
          last = Math.max(last, EntryFormat.lastSequenceNr(entry.data()));
        }
      }
    }
    return last;
  }

  /** The segment as it will be. */
  Segment segment(OpenFiles files, Path file, SegmentHeader header, long size) {
    String folder = file.getParent().getFileName().toString();
    List<Entry> own = pieces.get(new Key(folder, header.firstSequenceNr(), header.salt()));
    return own == null
        ? new Segment(files, file, header, size)
        : new Redone(files, file, header, size, own);
  }

  private static final class Redone extends Segment {
    private final List<Entry> pieces;

    private Redone(
        OpenFiles files, Path file, SegmentHeader header, long size, List<Entry> pieces) {
      super(files, file, header, Math.max(size, endOf(pieces)));
      this.pieces = pieces;
    }

    private static long endOf(List<Entry> pieces) {
      return pieces.stream().mapToLong(it -> it.position() + it.data().remaining()).max().orElse(0);
    }

    @Override
    void read(ByteBuffer into, long position) throws IOException {
      int start = into.position();
      super.read(into, position);
      while (into.hasRemaining() && position + into.position() - start < allocated()) {
        into.put((byte) 0);
      }
      for (Entry piece : pieces) {
        long from = Math.max(position, piece.position());
        long to =
            Math.min(
                position + into.position() - start, piece.position() + piece.data().remaining());
        if (from < to) {
          into.put(
              (int) (from - position) + start,
              piece.data(),
              piece.data().position() + (int) (from - piece.position()),
              (int) (to - from));
        }
      }
    }
  }
}
