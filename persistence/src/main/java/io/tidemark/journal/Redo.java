package io.tidemark.journal;

import io.tidemark.journal.OpenFiles.Access;
import io.tidemark.journal.WriteAheadFile.Entry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings what write-ahead files hold into the segments that it belongs to. Doing it twice does no
 * harm: a record's bytes are those that its segment has, or had lost.
 */
final class Redo {
  private static final Logger LOG = LoggerFactory.getLogger(Redo.class);

  private final Path journal;
  private final OpenFiles files;

  /** The salt of each segment that a record names; null when it is gone or unreadable. */
  private final Map<Path, Integer> salts = new HashMap<>();

  /** The last entry of each folder that a record holds but that could not be brought home. */
  private final Map<Path, Long> lost = new HashMap<>();

  private long bytes;

  private Redo(Path journal, OpenFiles files) {
    this.journal = journal;
    this.files = files;
  }

  /**
   * Before any log is opened: settles everything, and removes the write-ahead files.
   *
   * @param powerLost whether segments may lack what only these files hold
   * @throws IOException when the disk fails, or when such a file is damaged; all of it is left then
   */
  static void all(Path ahead, Path journal, boolean powerLost) throws IOException {
    List<Path> found = files(ahead);
    if (found.isEmpty()) {
      return;
    }
    try (OpenFiles files = new OpenFiles(64)) {
      Redo redo = new Redo(journal, files);
      for (Path file : found) {
        WriteAheadFile.read(file, powerLost ? strict(redo) : redo::apply);
      }
      redo.force();
      LOG.info("Brought {} bytes home from {} write-ahead files", redo.bytes, found.size());
    }
    for (Path file : found) {
      Files.delete(file);
    }
    DurableFiles.forceDirectory(ahead);
  }

  /** Which logs a damaged record was for cannot be told: none may be opened as if nothing was. */
  private static WriteAheadFile.Visitor strict(Redo redo) {
    return new WriteAheadFile.Visitor() {
      @Override
      public void on(Entry entry) throws IOException {
        redo.apply(entry);
      }

      @Override
      public void damaged(Path file, long position) throws IOException {
        throw new IOException(
            ("Write-ahead file %s is damaged at position %d: what logs had acknowledged shortly"
                    + " before the machine went down may be missing from their segments. Restore"
                    + " the file from a copy, or remove it and let replication fill what is"
                    + " missing.")
                .formatted(file, position));
      }
    };
  }

  /** The write-ahead files in the order of their rounds. */
  static List<Path> files(Path ahead) throws IOException {
    Map<Path, Long> rounds = new HashMap<>();
    for (Path file : DurableFiles.list(ahead)) {
      if (file.toString().endsWith(WriteAheadFile.SUFFIX)) {
        rounds.put(file, WriteAheadFile.round(file));
      }
    }
    List<Path> ordered = new ArrayList<>(rounds.keySet());
    ordered.sort(Comparator.<Path>comparingLong(rounds::get).thenComparing(it -> it));
    return ordered;
  }

  /** For one log, which nobody writes to meanwhile. */
  static void one(SegmentLog log, List<Path> ahead, OpenFiles files) throws IOException {
    Redo redo = new Redo(log.folder().getParent(), files);
    String wanted = log.folder().getFileName().toString();
    for (Path file : ahead) {
      WriteAheadFile.read(
          file,
          entry -> {
            if (entry.folder().equals(wanted)) {
              redo.apply(entry);
            }
          });
    }
    // Its recovery forces only the last segments, and the files are used again after it.
    redo.force();
  }

  private void apply(Entry entry) throws IOException {
    Path home = journal.resolve(entry.folder());
    Path file = home.resolve(Segment.fileName(entry.firstSequenceNr()));
    ByteBuffer data = entry.data();
    if (!salts.containsKey(file)) {
      salts.put(file, saltOf(file));
    }
    if (salts.get(file) == null || salts.get(file) != entry.segmentSalt()) {
      lost.merge(home, EntryFormat.lastSequenceNr(data), Math::max);
      return;
    }
    bytes += data.remaining();
    files.use(
        file,
        Access.WRITE,
        channel -> {
          DurableFiles.writeFully(channel, data, entry.position());
          return null;
        });
  }

  private Integer saltOf(Path file) throws IOException {
    if (!DurableFiles.exists(file)) {
      return null;
    }
    ByteBuffer header = ByteBuffer.allocate(SegmentHeader.SIZE);
    files.use(
        file,
        Access.WRITE,
        channel -> {
          DurableFiles.readFully(channel, header, 0);
          return null;
        });
    return SegmentHeader.decode(header.flip()).map(SegmentHeader::salt).orElse(null);
  }

  private void force() throws IOException {
    for (Map.Entry<Path, Integer> segment : salts.entrySet()) {
      if (segment.getValue() != null) {
        files.use(
            segment.getKey(),
            Access.WRITE,
            channel -> {
              channel.force(true);
              return null;
            });
      }
    }
    for (Map.Entry<Path, Long> claim : lost.entrySet()) {
      claim(claim.getKey(), claim.getValue());
    }
  }

  /** The log's recovery must not take what is missing for never acknowledged, unless deleted. */
  private static void claim(Path folder, long lastSequenceNr) throws IOException {
    if (!DurableFiles.exists(folder)) {
      return;
    }
    LogMarks marks;
    try {
      marks = LogMarks.read(folder.getFileName().toString(), folder);
    } catch (DamagedLogException e) {
      LOG.debug("The log's own recovery reports it", e);
      return;
    }
    if (lastSequenceNr > Math.max(marks.deleted(), marks.durable())) {
      new LogMarks(marks.deleted(), lastSequenceNr).write(folder);
    }
  }
}
