package io.tidemark.journal;

import io.tidemark.record.Checksums;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Encodes the entries of one atomic write into one buffer that grows as needed. */
final class EntryEncoder {
  interface PayloadWriter {
    /** Puts the payload into the buffer; called again with a larger one when it overflows. */
    void write(ByteBuffer into);

    /** The checksum of what was written between the two positions. */
    default int checksum(ByteBuffer written, int from, int to) {
      return Checksums.of(written, from, to);
    }
  }

  private static final byte[] ZEROS = new byte[8];

  /** A buffer above this that has more than {@link #MAX_ROOM} times what was written is changed. */
  private static final int SMALL = 16 * 1024;

  private static final int MAX_ROOM = 8;

  private final WriteBuffers buffers;
  private ByteBuffer bytes;

  /**
   * @param expected bytes to begin with
   */
  EntryEncoder(WriteBuffers buffers, int expected) {
    this.buffers = buffers;
    this.bytes = buffers.take(expected);
  }

  /** Appends one entry, all but what {@link EntryFormat#seal} adds. */
  void add(
      long sequenceNr,
      long timestamp,
      int serializerId,
      String manifest,
      String eventManifest,
      String writerUuid,
      boolean continues,
      PayloadWriter payload) {
    byte[] manifestUtf8 = utf8("serializer manifest", manifest);
    byte[] eventManifestUtf8 = utf8("event manifest", eventManifest);
    byte[] writerUtf8 = utf8("writer uuid", writerUuid);
    int start = bytes.position();
    int payloadAt =
        start
            + EntryFormat.FIXED
            + manifestUtf8.length
            + eventManifestUtf8.length
            + writerUtf8.length;
    reserve(payloadAt + 8);
    bytes.position(start + EntryFormat.FIXED);
    bytes.put(manifestUtf8).put(eventManifestUtf8).put(writerUtf8);
    int payloadEnd = writePayload(payloadAt, payload);
    reserve(payloadEnd + 8);
    int length = EntryFormat.padded(payloadEnd - start);
    bytes.position(payloadEnd).put(ZEROS, 0, length - (payloadEnd - start));
    bytes.putInt(start + EntryFormat.LENGTH, length);
    if (EntryFormat.isSummedAhead(payloadEnd - payloadAt)) {
      bytes.putInt(start + EntryFormat.CRC, payload.checksum(bytes, payloadAt, payloadEnd));
    }
    bytes.putLong(start + EntryFormat.SEQUENCE_NR, sequenceNr);
    bytes.putLong(start + EntryFormat.TIMESTAMP, timestamp);
    bytes.putInt(start + EntryFormat.SERIALIZER_ID, serializerId);
    bytes.putInt(start + EntryFormat.PAYLOAD_LENGTH, payloadEnd - payloadAt);
    bytes.putShort(start + EntryFormat.MANIFEST_LENGTH, (short) manifestUtf8.length);
    bytes.putShort(start + EntryFormat.EVENT_MANIFEST_LENGTH, (short) eventManifestUtf8.length);
    bytes.putShort(start + EntryFormat.WRITER_LENGTH, (short) writerUtf8.length);
    bytes.putShort(start + EntryFormat.FLAGS, (short) (continues ? EntryFormat.CONTINUES << 8 : 0));
  }

  private int writePayload(int at, PayloadWriter payload) {
    while (true) {
      try {
        bytes.position(at);
        payload.write(bytes);
        return bytes.position();
      } catch (BufferOverflowException e) {
        bytes.position(at);
        reserve(Math.multiplyExact(bytes.capacity(), 2));
      }
    }
  }

  /** The buffer's position survives, and all bytes before it. */
  private void reserve(int capacity) {
    if (capacity > EntryFormat.LONGEST) {
      throw new IllegalArgumentException(
          "An atomic write must not be longer than " + EntryFormat.LONGEST + " bytes");
    }
    if (capacity > bytes.capacity()) {
      ByteBuffer larger = buffers.take(Math.max(capacity, bytes.capacity() * 2));
      larger.put(bytes.flip());
      buffers.giveBack(bytes);
      bytes = larger;
    }
  }

  private static byte[] utf8(String what, String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    if (utf8.length > EntryFormat.LONGEST_STRING) {
      throw new IllegalArgumentException(
          "The " + what + " is longer than " + EntryFormat.LONGEST_STRING + " bytes");
    }
    return utf8;
  }

  /** What waits for the disk counts by its bytes: a small write does not keep a large buffer. */
  ByteBuffer finish() {
    bytes.flip();
    if (bytes.capacity() > SMALL && bytes.capacity() / MAX_ROOM > bytes.limit()) {
      ByteBuffer fitting = buffers.take(bytes.limit()).put(bytes).flip();
      buffers.giveBack(bytes);
      bytes = fitting;
    }
    return bytes;
  }

  void abandon() {
    buffers.giveBack(bytes);
  }
}
