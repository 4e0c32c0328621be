package io.tidemark.journal;

import io.tidemark.record.Checksums;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Where an entry's fields are, from the entry's start; big-endian. Entries begin at multiples of 8.
 * {@code docs/storage-format.md} has the table.
 */
final class EntryFormat {
  static final int LENGTH = 0;
  static final int CRC = 4;
  static final int SEQUENCE_NR = 8;
  static final int PREVIOUS = 16;
  static final int DURABLE = 24;
  static final int TIMESTAMP = 32;
  static final int SERIALIZER_ID = 40;
  static final int PAYLOAD_LENGTH = 44;
  static final int MANIFEST_LENGTH = 48;
  static final int EVENT_MANIFEST_LENGTH = 50;
  static final int WRITER_LENGTH = 52;
  static final int FLAGS = 54;
  static final int FIXED = 56;

  /** The atomic write that this entry belongs to goes on with the next entry. */
  static final byte CONTINUES = 1;

  static final int LONGEST_STRING = 0xffff;

  /** Bytes of the longest entry: a segment of its own is made for whatever is not longer. */
  static final int LONGEST = 1 << 30;

  private EntryFormat() {}

  static int padded(int length) {
    return (length + 7) & ~7;
  }

  /** Whether an entry that is not sealed yet has its payload's checksum where its own will be. */
  static boolean isSummedAhead(int payloadLength) {
    return payloadLength >= Checksums.WORTH_JOINING;
  }

  /**
   * Completes encoded entries with what is known only when they are written: their place in the
   * log, and the checksums.
   */
  static void seal(ByteBuffer entries, int salt, long previous, long durable) {
    long before = previous;
    int at = entries.position();
    while (at < entries.limit()) {
      int length = entries.getInt(at + LENGTH);
      entries.putLong(at + PREVIOUS, before);
      entries.putLong(at + DURABLE, durable);
      int crc =
          isSummedAhead(entries.getInt(at + PAYLOAD_LENGTH))
              ? crcAround(entries, at, length, salt)
              : crc(entries, at, length, salt);
      entries.putInt(at + CRC, crc);
      before = entries.getLong(at + SEQUENCE_NR);
      at += length;
    }
  }

  /** The sequence number of the last of the entries. */
  static long lastSequenceNr(ByteBuffer entries) {
    long last = 0;
    for (int at = entries.position(); at < entries.limit(); at += entries.getInt(at + LENGTH)) {
      last = entries.getLong(at + SEQUENCE_NR);
    }
    return last;
  }

  static int crc(ByteBuffer bytes, int at, int length, int salt) {
    CRC32C crc = new CRC32C();
    crc.update(salt >>> 24);
    crc.update(salt >>> 16);
    crc.update(salt >>> 8);
    crc.update(salt);
    crc.update(bytes.slice(at + SEQUENCE_NR, length - SEQUENCE_NR));
    return (int) crc.getValue();
  }

  /** The same, when the payload's is already there. */
  private static int crcAround(ByteBuffer bytes, int at, int length, int salt) {
    int payloadLength = bytes.getInt(at + PAYLOAD_LENGTH);
    int payloadAt = at + FIXED + stringsLength(bytes, at);
    int payloadEnd = payloadAt + payloadLength;
    int crc = crc(bytes, at, payloadAt - at, salt);
    crc = Checksums.join(crc, bytes.getInt(at + CRC), payloadLength);
    return Checksums.join(
        crc, Checksums.of(bytes, payloadEnd, at + length), at + length - payloadEnd);
  }

  private static int stringsLength(ByteBuffer bytes, int at) {
    return Short.toUnsignedInt(bytes.getShort(at + MANIFEST_LENGTH))
        + Short.toUnsignedInt(bytes.getShort(at + EVENT_MANIFEST_LENGTH))
        + Short.toUnsignedInt(bytes.getShort(at + WRITER_LENGTH));
  }

  /** Whether the lengths at the position are those of an entry that ends within the limit. */
  static boolean isPlausible(ByteBuffer bytes, int at, long available) {
    int length = bytes.getInt(at + LENGTH);
    int payload = bytes.getInt(at + PAYLOAD_LENGTH);
    if (length < FIXED || length > available || length > LONGEST || (length & 7) != 0) {
      return false;
    }
    long unpadded = (long) FIXED + stringsLength(bytes, at) + payload;
    return payload >= 0 && ((unpadded + 7) & ~7L) == length;
  }
}
