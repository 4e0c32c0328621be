package io.tidemark.journal;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The first bytes of a segment file.
 *
 * @param firstSequenceNr one above the last entry before this segment; also the file's name. The
 *     first entry may be above it, since a rejected event uses up its sequence number
 * @param durableSequenceNr everything up to here had been forced when the segment was begun
 * @param capacity bytes the file may grow to
 * @param salt random, part of each entry's checksum: bytes of another file are never an entry
 */
record SegmentHeader(long firstSequenceNr, long durableSequenceNr, long capacity, int salt) {
  static final int SIZE = 64;
  private static final int MAGIC = 0x544d5347;
  private static final int VERSION = 1;
  private static final int CRC_AT = 60;

  /** The last entry before this segment, 0 when there is none. */
  long previousSequenceNr() {
    return firstSequenceNr - 1;
  }

  ByteBuffer encode() {
    ByteBuffer bytes = ByteBuffer.allocate(SIZE);
    bytes.putInt(MAGIC).putInt(VERSION);
    bytes.putLong(firstSequenceNr).putLong(durableSequenceNr).putLong(capacity).putInt(salt);
    bytes.putInt(CRC_AT, crc(bytes));
    return bytes.clear();
  }

  /** Empty when the bytes are no header of a version that is known here. */
  static Optional<SegmentHeader> decode(ByteBuffer bytes) {
    if (bytes.remaining() < SIZE
        || bytes.getInt(CRC_AT) != crc(bytes)
        || bytes.getInt() != MAGIC
        || bytes.getInt() != VERSION) {
      return Optional.empty();
    }
    return Optional.of(
        new SegmentHeader(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getInt()));
  }

  /** Whether a newer version wrote these bytes; {@link #decode} does not read them. */
  static boolean isNewer(ByteBuffer bytes) {
    return bytes.remaining() >= SIZE
        && bytes.getInt(bytes.position()) == MAGIC
        && bytes.getInt(bytes.position() + 4) > VERSION;
  }

  private static int crc(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.slice(0, CRC_AT));
    return (int) crc.getValue();
  }
}
