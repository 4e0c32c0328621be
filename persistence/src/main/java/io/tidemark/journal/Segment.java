package io.tidemark.journal;

import io.tidemark.journal.OpenFiles.Access;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;

/**
 * One segment file. Its space is zeroed ahead of writes that are forced one by one, so that forcing
 * them does not have to change the file's size or block map.
 *
 * <p>Writing is guarded by its log; reading is free for all.
 */
class Segment {
  static final String SUFFIX = ".seg";
  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(256 * 1024).asReadOnlyBuffer();

  private final OpenFiles files;
  final Path file;
  final SegmentHeader header;
  final SparseIndex index = new SparseIndex();

  /** Where the next entry goes. */
  private volatile long end = SegmentHeader.SIZE;

  /** Bytes that the file has, zeros behind {@link #end}. */
  private volatile long allocated;

  Segment(OpenFiles files, Path file, SegmentHeader header, long allocated) {
    this.files = files;
    this.file = file;
    this.header = header;
    this.allocated = allocated;
  }

  /** Names sort as their sequence numbers do. */
  static String fileName(long firstSequenceNr) {
    return String.format("%019d%s", firstSequenceNr, SUFFIX);
  }

  /**
   * A new segment, on disk under its name when this returns. It takes the place of an empty one
   * that was begun for the same sequence number and is too small.
   */
  static Segment create(
      OpenFiles files, Path folder, SpareSegment spare, long first, long durable, long capacity)
      throws IOException {
    SegmentHeader header =
        new SegmentHeader(first, durable, capacity, ThreadLocalRandom.current().nextInt());
    Path file = folder.resolve(fileName(first));
    Path next = DurableFiles.next(file);
    long allocated = spare.takeAs(next);
    try (FileChannel channel = DurableFiles.openOrCreate(next)) {
      if (allocated == 0) {
        allocated = zero(channel, capacity);
      }
      DurableFiles.writeFully(channel, header.encode(), 0);
      channel.force(true);
    }
    DurableFiles.moveIntoPlace(next, file);
    files.forget(file);
    return new Segment(files, file, header, allocated);
  }

  /**
   * Makes it the file of a segment to be, not forced.
   *
   * @return how many zeros it has
   */
  static long zero(FileChannel channel, long capacity) throws IOException {
    long allocated = Math.min(capacity, SegmentSizes.step(capacity));
    channel.truncate(0);
    writeZeros(channel, 0, allocated);
    return allocated;
  }

  static void writeZeros(FileChannel channel, long from, long to) throws IOException {
    for (long at = from; at < to; ) {
      ByteBuffer zeros = ZEROS.duplicate();
      zeros.limit((int) Math.min(zeros.capacity(), to - at));
      at += channel.write(zeros, at);
    }
  }

  boolean hasRoomFor(int bytes) {
    return end + bytes <= header.capacity();
  }

  long end() {
    return end;
  }

  /** Bytes of the file. */
  long allocated() {
    return allocated;
  }

  /**
   * Writes the sealed entries, whose buffer is left as it is.
   *
   * @param zeroAhead whether to zero the space for what may follow, if there is none left
   * @return where they begin
   */
  long append(ByteBuffer entries, boolean zeroAhead) throws IOException {
    ByteBuffer sealed = entries.duplicate();
    long start = end;
    long after = start + sealed.remaining();
    long firstSequenceNr = sealed.getLong(sealed.position() + EntryFormat.SEQUENCE_NR);
    files.use(
        file,
        Access.WRITE,
        channel -> {
          long target = Math.max(allocated, after);
          if (after > allocated && zeroAhead) {
            target = Math.min(header.capacity(), after + SegmentSizes.step(header.capacity()));
            writeZeros(channel, after, target);
          }
          DurableFiles.writeFully(channel, sealed, start);
          allocated = target;
          return null;
        });
    end = after;
    index.note(firstSequenceNr, start);
    return start;
  }

  void force() throws IOException {
    files.use(
        file,
        Access.WRITE,
        channel -> {
          channel.force(false);
          return null;
        });
  }

  /** Fills the buffer from the position, short only at the end of the file. */
  void read(ByteBuffer into, long position) throws IOException {
    files.use(
        file,
        Access.READ,
        channel -> {
          DurableFiles.readFully(channel, into, position);
          return null;
        });
  }

  /**
   * Makes the segment end at {@link #end} for good: what is behind it is zeroed, what is before it
   * from the given position on is written again, and all is forced. Writing again matters after a
   * failed force, when the page cache may hold bytes that the kernel has given up on.
   */
  void settle(long from) throws IOException {
    files.use(
        file,
        Access.WRITE,
        channel -> {
          ByteBuffer chunk = ByteBuffer.allocate(64 * 1024);
          for (long at = from; at < allocated; at += chunk.limit()) {
            chunk.clear().limit((int) Math.min(chunk.capacity(), allocated - at));
            DurableFiles.readFully(channel, chunk, at);
            int keep = (int) Math.max(0, Math.min(chunk.limit(), end - at));
            if (keep > 0 || !isZero(chunk, keep)) {
              Arrays.fill(chunk.array(), keep, chunk.limit(), (byte) 0);
              DurableFiles.writeFully(channel, chunk.rewind(), at);
            }
          }
          channel.force(true);
          return null;
        });
  }

  /**
   * Recovery found the last whole write to end here.
   *
   * @return whether the index had points behind it, of entries that others will take the place of
   */
  boolean endsAt(long position) {
    end = position;
    return index.dropFrom(position);
  }

  /** Whether anything but zeros lies behind the position. */
  boolean hasBytesBehind(long position) throws IOException {
    ByteBuffer chunk = ByteBuffer.allocate(64 * 1024);
    for (long at = position; at < allocated; at += chunk.limit()) {
      chunk.clear().limit((int) Math.min(chunk.capacity(), allocated - at));
      read(chunk, at);
      if (!isZero(chunk, 0)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isZero(ByteBuffer chunk, int from) {
    for (int i = from; i < chunk.limit(); i++) {
      if (chunk.get(i) != 0) {
        return false;
      }
    }
    return true;
  }

  /** Takes the file from its folder; the caller forces the folder. */
  void remove() throws IOException {
    Files.deleteIfExists(file);
    Files.deleteIfExists(IndexFile.of(file));
    files.forget(file);
  }
}
