package io.tidemark.record;

/**
 * The arithmetic of variable-length numbers: seven bits a byte, lowest first, the top bit set on
 * all but the last; signs are folded into the lowest bit (zig-zag) so that −1 is short.
 */
final class Varint {
  static final int MAX_INT_BYTES = 5;
  static final int MAX_LONG_BYTES = 10;

  private Varint() {}

  static int zigzag(int value) {
    return (value << 1) ^ (value >> 31);
  }

  static long zigzag(long value) {
    return (value << 1) ^ (value >> 63);
  }

  static int unzigzag(int raw) {
    return (raw >>> 1) ^ -(raw & 1);
  }

  static long unzigzag(long raw) {
    return (raw >>> 1) ^ -(raw & 1);
  }

  static int sizeOf(int value) {
    return bytesFor(Integer.SIZE - Integer.numberOfLeadingZeros(zigzag(value)));
  }

  static int sizeOf(long value) {
    return bytesFor(Long.SIZE - Long.numberOfLeadingZeros(zigzag(value)));
  }

  private static int bytesFor(int bits) {
    return Math.max(1, (bits + 6) / 7);
  }
}
