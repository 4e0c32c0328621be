package io.tidemark.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file of a fixed size that is written from its start again and again. Each record says which
 * bytes belong where in which segment. A new salt at each start makes records of earlier rounds
 * unreadable. Used by one thread.
 */
final class WriteAheadFile {
  static final String SUFFIX = ".wal";

  /**
   * Bytes that belong into a segment.
   *
   * @param folder the name of the log's folder
   * @param firstSequenceNr the segment's
   * @param segmentSalt the segment's
   * @param position where in the segment the bytes belong
   */
  record Entry(
      String folder, long firstSequenceNr, int segmentSalt, long position, ByteBuffer data) {}

  interface Visitor {
    void on(Entry entry) throws IOException;

    /** Bytes from the position on had been forced and cannot be read. */
    default void damaged(Path file, long position) throws IOException {
      LOG.error("Write-ahead file {} is damaged at position {}", file, position);
    }
  }

  private static final Logger LOG = LoggerFactory.getLogger(WriteAheadFile.class);

  private static final int MAGIC = 0x544d5741;
  private static final int VERSION = 1;
  private static final int HEADER = 64;
  private static final int HEADER_CRC_AT = 60;

  private static final int LENGTH = 0;
  private static final int CRC = 4;
  private static final int SEGMENT_SALT = 8;
  private static final int DATA_LENGTH = 12;
  private static final int FIRST = 16;
  private static final int POSITION = 24;
  private static final int FOLDER_LENGTH = 32;
  private static final int FORCED = 40;
  private static final int FIXED = 48;

  final Path file;
  private final long capacity;
  private final FileChannel channel;
  private final ByteBuffer pending = ByteBuffer.allocateDirect(1 << 20);
  private int salt;

  /** Where the pending bytes go. */
  private long end;

  /** Up to here the file is on disk. */
  private long forced;

  private WriteAheadFile(Path file, long capacity, FileChannel channel) {
    this.file = file;
    this.capacity = capacity;
    this.channel = channel;
  }

  /** A file whose space is on disk already, so that forcing a write changes nothing but data. */
  static WriteAheadFile create(Path file, long capacity) throws IOException {
    FileChannel channel = DurableFiles.openOrCreate(file);
    try {
      channel.truncate(0);
      Segment.writeZeros(channel, 0, capacity);
      channel.force(true);
      DurableFiles.forceDirectory(file.toAbsolutePath().getParent());
      return new WriteAheadFile(file, capacity, channel);
    } catch (IOException | RuntimeException | Error e) {
      try (channel) {
        Files.deleteIfExists(file);
      }
      throw e;
    }
  }

  /**
   * Begins a new round and gives up what the file holds. The header is forced ahead of all records:
   * old ones that are still there must not be taken for those of a round that has lost some.
   *
   * @param round above that of all files in use beside it: they are read in this order
   */
  void begin(long round) throws IOException {
    salt = ThreadLocalRandom.current().nextInt();
    end = 0;
    forced = 0;
    pending.clear();
    pending.putInt(MAGIC).putInt(VERSION).putLong(round).putInt(salt);
    while (pending.position() < HEADER) {
      pending.put((byte) 0);
    }
    pending.putInt(HEADER_CRC_AT, headerCrc(pending));
    force();
  }

  static int recordLength(int folderLength, int dataLength) {
    return EntryFormat.padded(FIXED + folderLength + dataLength);
  }

  boolean hasRoomFor(long bytes) {
    return end + pending.position() + bytes <= capacity;
  }

  /** Adds a record; it is on disk after the next {@link #force}. */
  void add(Placed placed) throws IOException {
    byte[] folder = placed.log().folder().getFileName().toString().getBytes(StandardCharsets.UTF_8);
    int length = recordLength(folder.length, placed.bytes().remaining());
    if (pending.remaining() < length) {
      writePending();
    }
    int at = pending.position();
    pending.putInt(length).putInt(0).putInt(placed.segment().header.salt());
    pending.putInt(placed.bytes().remaining());
    pending.putLong(placed.segment().header.firstSequenceNr()).putLong(placed.position());
    pending.putShort((short) folder.length).putShort((short) 0).putInt(0).putLong(forced);
    pending.put(folder).put(placed.bytes().duplicate());
    while (pending.position() < at + length) {
      pending.put((byte) 0);
    }
    pending.putInt(at + CRC, crc(pending, at, length, salt));
  }

  private void writePending() throws IOException {
    pending.flip();
    long at = end;
    end += pending.remaining();
    DurableFiles.writeFully(channel, pending, at);
    pending.clear();
  }

  void force() throws IOException {
    writePending();
    channel.force(false);
    forced = end;
  }

  void close() throws IOException {
    channel.close();
  }

  private static int headerCrc(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.slice(0, HEADER_CRC_AT));
    return (int) crc.getValue();
  }

  private static int crc(ByteBuffer bytes, int at, int length, int salt) {
    CRC32C crc = new CRC32C();
    crc.update(ByteBuffer.allocate(4).putInt(0, salt));
    crc.update(bytes.slice(at + SEGMENT_SALT, length - SEGMENT_SALT));
    return (int) crc.getValue();
  }

  /** The file's round; −1 when it never held a record. */
  static long round(Path file) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      DurableFiles.readFully(channel, header, 0);
    } catch (NoSuchFileException e) {
      return -1;
    }
    return isHeader(header.flip()) ? header.getLong(8) : -1;
  }

  private static boolean isHeader(ByteBuffer bytes) {
    return bytes.limit() >= HEADER
        && bytes.getInt(HEADER_CRC_AT) == headerCrc(bytes)
        && bytes.getInt(0) == MAGIC
        && bytes.getInt(4) == VERSION;
  }

  /**
   * Gives the visitor the whole records of the file's last round, in order. One that is not whole
   * was never acknowledged, unless one behind it tells that it had been forced; that is reported,
   * and the logs' own recovery finds out whether their segments have what it held.
   */
  static void read(Path file, Visitor visitor) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
    if (!isHeader(bytes)) {
      // A file that never held a record is all zeros.
      if (hasBytes(bytes, Math.min(bytes.limit(), HEADER))) {
        visitor.damaged(file, 0);
      }
      return;
    }
    int salt = bytes.getInt(16);
    int broken = -1;
    boolean reported = false;
    for (int at = HEADER; bytes.limit() - at >= FIXED; ) {
      if (isRecord(bytes, at, salt)) {
        if (broken >= 0 && broken < bytes.getLong(at + FORCED) && !reported) {
          reported = true;
          visitor.damaged(file, broken);
        }
        visitor.on(entry(bytes, at));
        at += bytes.getInt(at + LENGTH);
      } else {
        broken = broken < 0 ? at : broken;
        at += 8;
      }
    }
  }

  private static boolean hasBytes(ByteBuffer bytes, int length) {
    for (int i = 0; i < length; i++) {
      if (bytes.get(i) != 0) {
        return true;
      }
    }
    return false;
  }

  private static Entry entry(ByteBuffer bytes, int at) {
    int folderLength = bytes.getShort(at + FOLDER_LENGTH);
    return new Entry(
        new String(bytes.array(), at + FIXED, folderLength, StandardCharsets.UTF_8),
        bytes.getLong(at + FIRST),
        bytes.getInt(at + SEGMENT_SALT),
        bytes.getLong(at + POSITION),
        bytes.slice(at + FIXED + folderLength, bytes.getInt(at + DATA_LENGTH)));
  }

  private static boolean isRecord(ByteBuffer bytes, int at, int salt) {
    if (bytes.limit() - at < FIXED) {
      return false;
    }
    int length = bytes.getInt(at + LENGTH);
    int data = bytes.getInt(at + DATA_LENGTH);
    int folder = bytes.getShort(at + FOLDER_LENGTH);
    return length >= FIXED
        && length <= bytes.limit() - at
        && data >= 0
        && data < length
        && folder >= 0
        && recordLength(folder, data) == length
        && bytes.getInt(at + CRC) == crc(bytes, at, length, salt);
  }
}
