package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EntryEncoderTest {
  private static final int LARGE = 1 << 20;

  private final WriteBuffers buffers = new WriteBuffers(LARGE);

  private ByteBuffer encode(int expected, byte[] payload) {
    EntryEncoder encoder = new EntryEncoder(buffers, expected);
    encoder.add(1, 1, 4, "m", "", "writer", false, into -> into.put(payload));
    return encoder.finish();
  }

  @Test
  void a_small_write_does_not_hold_the_memory_of_a_large_one_while_it_waits() {
    ByteBuffer small = encode(LARGE, new byte[] {1, 2, 3});

    assertTrue(small.capacity() <= 8 * 1024, small.toString());
    assertEquals(encode(0, new byte[] {1, 2, 3}), small);
    assertTrue(buffers.take(LARGE).isDirect(), "the large buffer is not free again");
  }

  @Test
  void a_write_about_as_large_as_expected_stays_where_it_is() {
    ByteBuffer free = buffers.take(LARGE);
    buffers.giveBack(free);

    assertSame(free, encode(LARGE, new byte[LARGE / 2]));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 1_000, 16_383, 16_384, 16_385, 20_006, LARGE})
  void a_sealed_entry_has_the_checksum_of_its_bytes(int length) {
    byte[] payload = new byte[length];
    new Random(length).nextBytes(payload);
    EntryEncoder encoder = new EntryEncoder(buffers, 0);
    encoder.add(7, 1, 4, "mani", "fest", "writer", true, into -> into.put(payload));
    encoder.add(8, 1, 4, "", "", "", false, into -> into.put(payload));
    ByteBuffer bytes = encoder.finish();

    EntryFormat.seal(bytes, 42, 6, 5);

    int second = bytes.getInt(EntryFormat.LENGTH);
    for (int at : new int[] {0, second}) {
      int entryLength = bytes.getInt(at + EntryFormat.LENGTH);
      int crc = EntryFormat.crc(bytes, at, entryLength, 42);
      assertEquals(crc, bytes.getInt(at + EntryFormat.CRC), "entry at " + at);
    }
  }
}
