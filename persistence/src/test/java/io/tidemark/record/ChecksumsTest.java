package io.tidemark.record;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32C;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class ChecksumsTest {
  @Property(tries = 300)
  void the_sum_of_two_parts_is_the_sum_of_both(
      @ForAll long seed,
      @ForAll @IntRange(max = 1 << 20) int first,
      @ForAll @IntRange(max = 1 << 20) int second) {
    byte[] bytes = new byte[first + second];
    new Random(seed).nextBytes(bytes);
    CRC32C whole = new CRC32C();
    whole.update(bytes);
    ByteBuffer buffer = ByteBuffer.wrap(bytes);

    int joined =
        Checksums.join(
            Checksums.of(buffer, 0, first),
            Checksums.of(buffer, first, bytes.length),
            bytes.length - first);

    assertEquals((int) whole.getValue(), joined);
  }
}
