package io.tidemark.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PartitionerTest {
  private final Partitioner partitioner = new Partitioner();

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @CsvSource({
    "21, -973932308",
    "foobar, -790332482",
    "a-little-bit-long-string, -985981536",
    "a-little-bit-longer-string, -1486304829",
    "lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8, -58897971",
    "abc, 479470107"
  })
  void keys_are_hashed_as_kafka_hashes_them(String key, int hash) {
    assertEquals(hash, Partitioner.murmur2(bytes(key)));
  }

  @Test
  void a_key_in_the_middle_of_a_buffer_is_hashed_as_if_it_were_alone() {
    ByteBuffer middle = bytes("..abc..").position(2).limit(5);

    assertEquals(479470107, Partitioner.murmur2(middle));
  }

  @Test
  void records_without_a_key_stay_with_a_partition_until_its_batch_is_full() {
    ProducerRecord record = ProducerRecord.of(null, bytes("v"));
    int first = partitioner.choose(record, 3);

    assertEquals(first, partitioner.choose(record, 3));
    partitioner.batchClosed();

    assertNotEquals(first, partitioner.choose(record, 3));
  }

  @Test
  void a_partition_that_the_record_names_is_taken() {
    assertEquals(2, partitioner.choose(ProducerRecord.to(2, bytes("v")), 3));
  }
}
