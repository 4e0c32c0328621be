package io.tidemark.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A segment's sparse index as a file beside it, and how far the segment has been checked. It is
 * only a short cut: when it is missing, old or damaged, reading the segment makes it anew.
 */
final class IndexFile {
  static final String SUFFIX = ".idx";
  private static final Logger LOG = LoggerFactory.getLogger(IndexFile.class);
  private static final int MAGIC = 0x544d4958;
  private static final int VERSION = 1;
  private static final int FIXED = 48;
  private static final int CRC_AT = 40;
  private static final int POINT = 16;

  /**
   * Entries up to here are whole and were on disk.
   *
   * @param position where the next entry begins
   * @param sequenceNr the last of them
   */
  record Checked(long position, long sequenceNr) {}

  private IndexFile() {}

  static Path of(Path segment) {
    String name = segment.getFileName().toString();
    return segment.resolveSibling(
        name.substring(0, name.length() - Segment.SUFFIX.length()) + SUFFIX);
  }

  /**
   * Writes the index of a segment that gets no more entries.
   *
   * @param forced whether it has been forced as a whole
   * @param last its last sequence number
   */
  static void write(Segment segment, boolean forced, long last) {
    write(
        segment,
        forced
            ? new Checked(segment.end(), last)
            : new Checked(SegmentHeader.SIZE, segment.header.previousSequenceNr()));
  }

  /**
   * Not forced: a power loss may take it, and the checksum tells when it has taken a part. A disk
   * that does not take it fails nothing.
   */
  static void write(Segment segment, Checked checked) {
    // The writer that fills a segment and the checkpoint of a snapshot may meet.
    synchronized (segment.index) {
      try {
        replace(segment, checked);
      } catch (IOException e) {
        LOG.warn(
            "No index for {}, which is read from its start instead: {}",
            segment.file,
            e.toString());
      }
    }
  }

  private static void replace(Segment segment, Checked checked) throws IOException {
    ByteBuffer points = segment.index.encode();
    ByteBuffer bytes = ByteBuffer.allocate(FIXED + points.remaining());
    bytes.putInt(MAGIC).putInt(VERSION);
    bytes.putInt(segment.header.salt()).putInt(points.remaining() / POINT);
    bytes.putLong(segment.header.firstSequenceNr());
    bytes.putLong(checked.position()).putLong(checked.sequenceNr());
    bytes.position(FIXED);
    bytes.put(points).flip();
    bytes.putInt(CRC_AT, crc(bytes));
    Path file = of(segment.file);
    Path next = DurableFiles.next(file);
    try (FileChannel channel = DurableFiles.openOrCreate(next)) {
      channel.truncate(0);
      DurableFiles.writeFully(channel, bytes, 0);
    }
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Fills the segment's index, which must be empty, when there is a file that belongs to it. */
  static Optional<Checked> load(Segment segment) {
    ByteBuffer bytes;
    try {
      bytes = ByteBuffer.wrap(Files.readAllBytes(of(segment.file)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      LOG.warn("Index {} cannot be read, its segment is: {}", of(segment.file), e.toString());
      return Optional.empty();
    }
    if (bytes.limit() < FIXED
        || bytes.getInt(CRC_AT) != crc(bytes)
        || bytes.getInt() != MAGIC
        || bytes.getInt() != VERSION
        || bytes.getInt() != segment.header.salt()
        || bytes.getInt() != (bytes.limit() - FIXED) / POINT
        || bytes.getLong() != segment.header.firstSequenceNr()) {
      return Optional.empty();
    }
    Checked checked = new Checked(bytes.getLong(), bytes.getLong());
    bytes.position(FIXED);
    while (bytes.hasRemaining()) {
      segment.index.note(bytes.getLong(), bytes.getLong());
    }
    return Optional.of(checked);
  }

  private static int crc(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.slice(0, CRC_AT));
    crc.update(bytes.slice(FIXED, bytes.limit() - FIXED));
    return (int) crc.getValue();
  }
}
