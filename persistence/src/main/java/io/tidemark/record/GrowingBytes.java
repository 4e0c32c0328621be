package io.tidemark.record;

import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A heap array that grows as it is written, behind some room for a header. Emptied, it keeps its
 * room; given away, the next one begins with as much.
 */
final class GrowingBytes extends OutputStream {
  /** The longest array that every JVM can allocate. */
  static final int MAX_BYTES = Integer.MAX_VALUE - 8;

  /** An array is given away when no more than this fraction of its content is empty behind it. */
  private static final int MAX_EMPTY = 4;

  private static final byte[] NONE = new byte[0];

  private final int start;
  private byte[] array;
  private int size;

  /** What the last batch that was given away took: room for the next one; 0 before. */
  private int expected;

  GrowingBytes(int initialBytes) {
    this(initialBytes, 0);
  }

  /**
   * @param start where writing begins; what is before it is the header's
   */
  GrowingBytes(int initialBytes, int start) {
    this.start = start;
    array = new byte[Math.max(start, initialBytes)];
    size = start;
  }

  int start() {
    return start;
  }

  /** Where writing ends, the header's room included. */
  int size() {
    return size;
  }

  /** Bytes behind the header's room. */
  int written() {
    return size - start;
  }

  byte[] array() {
    return array;
  }

  void clear() {
    size = start;
  }

  /**
   * The header's room and what was written: an array of its own, which is not written again. Not
   * copied, unless much of it would be empty.
   */
  ByteBuffer giveAway() {
    int bytes = size;
    byte[] whole = array;
    clear();
    if (whole.length - bytes > bytes / MAX_EMPTY) {
      return ByteBuffer.wrap(Arrays.copyOf(whole, bytes));
    }
    array = NONE;
    expected = bytes;
    return ByteBuffer.wrap(whole, 0, bytes).slice();
  }

  /** Makes room for more bytes, without writing any. */
  void reserve(int more) {
    long needed = (long) size + more;
    if (needed > MAX_BYTES) {
      throw new RecordTooLargeException(
          "%d bytes do not fit into one buffer of at most %d".formatted(needed, MAX_BYTES));
    }
    if (needed > array.length) {
      long grown = Math.max(needed, Math.max(expected, array.length * 2L));
      array = Arrays.copyOf(array, (int) Math.min(MAX_BYTES, grown));
    }
  }

  /** Takes bytes that were written into {@link #array} directly. */
  void advance(int written) {
    size += written;
  }

  @Override
  public void write(int b) {
    reserve(1);
    array[size++] = (byte) b;
  }

  @Override
  public void write(byte[] source, int from, int length) {
    reserve(length);
    System.arraycopy(source, from, array, size, length);
    size += length;
  }

  /** Copies what remains of a buffer, whose position is left alone. */
  void write(ByteBuffer source) {
    int length = source.remaining();
    reserve(length);
    source.get(source.position(), array, size, length);
    size += length;
  }

  void writeVarint(int value) {
    reserve(Varint.MAX_INT_BYTES);
    int raw = Varint.zigzag(value);
    while ((raw & ~0x7f) != 0) {
      array[size++] = (byte) (raw | 0x80);
      raw >>>= 7;
    }
    array[size++] = (byte) raw;
  }

  void writeVarlong(long value) {
    reserve(Varint.MAX_LONG_BYTES);
    long raw = Varint.zigzag(value);
    while ((raw & ~0x7fL) != 0) {
      array[size++] = (byte) (raw | 0x80);
      raw >>>= 7;
    }
    array[size++] = (byte) raw;
  }
}
