package io.tidemark.record;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * CRC32C of bytes whose parts have been summed before: the sum of two parts follows from the sums
 * of each and the length of the second.
 *
 * <p>A sum is a polynomial over GF(2) modulo Castagnoli's, its bits reflected: the highest bit is
 * the coefficient of x⁰. Bytes that follow multiply what is before them by x⁸ each.
 */
public final class Checksums {
  /** Fewer bytes are read again in less time than two sums are joined. */
  public static final int WORTH_JOINING = 16 * 1024;

  private static final int CASTAGNOLI = 0x82f63b78;
  private static final int ONE = 1 << 31;

  /** What 2⁰, 2¹, … 2³⁰ bytes multiply by. */
  private static final int[] POWERS = new int[31];

  static {
    // x⁸
    POWERS[0] = ONE >>> 8;
    for (int i = 1; i < POWERS.length; i++) {
      POWERS[i] = multiply(POWERS[i - 1], POWERS[i - 1]);
    }
  }

  private Checksums() {}

  /** The sum of a buffer's bytes from one absolute position to another. */
  public static int of(ByteBuffer bytes, int from, int to) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.slice(from, to - from));
    return (int) crc.getValue();
  }

  /**
   * The sum of two parts, one behind the other.
   *
   * @param length bytes of the second one
   */
  public static int join(int first, int second, int length) {
    int shifted = first;
    for (int i = 0, left = length; left != 0; i++, left >>>= 1) {
      if ((left & 1) != 0) {
        shifted = multiply(shifted, POWERS[i]);
      }
    }
    return shifted ^ second;
  }

  private static int multiply(int a, int b) {
    int product = 0;
    int shifted = b;
    for (int coefficient = ONE; coefficient != 0; coefficient >>>= 1) {
      if ((a & coefficient) != 0) {
        product ^= shifted;
      }
      shifted = (shifted >>> 1) ^ ((shifted & 1) == 0 ? 0 : CASTAGNOLI);
    }
    return product;
  }
}
