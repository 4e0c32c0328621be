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
    return sizeOfRaw(zigzag(value) & 0xffff_ffffL);
  }

  static int sizeOf(long value) {
    return sizeOfRaw(zigzag(value));
  }

  /** Most are of one byte or two. */
  private static int sizeOfRaw(long raw) {
    int bytes = 1;
    for (long left = raw >>> 7; left != 0; left >>>= 7) {
      bytes++;
    }
    return bytes;
  }
}
