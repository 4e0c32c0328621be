package io.tidemark.record;

import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** A heap array that grows as it is written and keeps its room when it is emptied. */
final class GrowingBytes extends OutputStream {
  /** The longest array that every JVM can allocate. */
  static final int MAX_BYTES = Integer.MAX_VALUE - 8;

  private byte[] array;
  private int size;

  GrowingBytes(int initialBytes) {
    array = new byte[initialBytes];
  }

  int size() {
    return size;
  }

  byte[] array() {
    return array;
  }

  void clear() {
    size = 0;
  }

  /** Makes room for more bytes, without writing any. */
  void reserve(int more) {
    long needed = (long) size + more;
    if (needed > MAX_BYTES) {
      throw new RecordTooLargeException(
          "%d bytes do not fit into one buffer of at most %d".formatted(needed, MAX_BYTES));
    }
    if (needed > array.length) {
      array = Arrays.copyOf(array, (int) Math.min(MAX_BYTES, Math.max(needed, array.length * 2L)));
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
