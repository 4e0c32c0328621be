package io.tidemark.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PartitionerTest {
  private static final IntPredicate ALL_HAVE_LEADERS = partition -> true;

  private final Partitioner partitioner = new Partitioner(4);

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static ProducerRecord<ByteBuffer, ByteBuffer> withKey(ByteBuffer key) {
    return new ProducerRecord<>("topic", key, bytes("v"));
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

  @Property
  void any_key_goes_where_kafka_s_producer_sends_it(
      @ForAll byte[] key, @ForAll @IntRange(min = 1, max = 1_000) int partitions) {
    assertEquals(Utils.murmur2(key), Partitioner.murmur2(ByteBuffer.wrap(key)));
    assertEquals(
        BuiltInPartitioner.partitionForKey(key, partitions),
        partitioner.choose(withKey(ByteBuffer.wrap(key)), partitions, ALL_HAVE_LEADERS));
  }

  @Test
  void a_key_in_the_middle_of_a_buffer_is_hashed_as_if_it_were_alone() {
    ByteBuffer middle = bytes("..abc..").position(2).limit(5);

    assertEquals(479470107, Partitioner.murmur2(middle));
  }

  @Test
  void a_key_goes_to_its_partition_also_while_that_has_no_leader() {
    ProducerRecord<ByteBuffer, ByteBuffer> record = withKey(bytes("abc"));

    assertEquals(
        partitioner.choose(record, 3, ALL_HAVE_LEADERS),
        partitioner.choose(record, 3, partition -> false));
  }

  @Test
  void records_without_a_key_stay_with_a_partition_until_the_next_one_is_asked_for() {
    ProducerRecord<ByteBuffer, ByteBuffer> record = withKey(null);

    assertEquals(1, partitioner.choose(record, 3, ALL_HAVE_LEADERS));
    assertEquals(1, partitioner.choose(record, 3, ALL_HAVE_LEADERS));
    List<Integer> following =
        Stream.generate(() -> partitioner.next(3, ALL_HAVE_LEADERS)).limit(4).toList();

    assertEquals(List.of(2, 0, 1, 2), following);
    assertEquals(2, partitioner.choose(record, 3, ALL_HAVE_LEADERS));
  }

  @Test
  void records_without_a_key_pass_over_partitions_without_a_leader() {
    ProducerRecord<ByteBuffer, ByteBuffer> record = withKey(null);
    IntPredicate led = Set.of(1, 3)::contains;

    assertEquals(1, partitioner.choose(record, 4, led));
    assertEquals(3, partitioner.next(4, led));
    assertEquals(1, partitioner.next(4, led));
    assertEquals(1, partitioner.choose(record, 4, led));
  }

  @Test
  void where_no_partition_has_a_leader_records_without_a_key_still_go_round() {
    assertEquals(5, partitioner.next(7, partition -> false));
    assertEquals(6, partitioner.next(7, partition -> false));
  }

  @Test
  void a_partition_that_the_record_names_is_taken() {
    ProducerRecord<ByteBuffer, ByteBuffer> record =
        new ProducerRecord<>("topic", 2, bytes("abc"), bytes("v"));

    assertEquals(2, partitioner.choose(record, 3, ALL_HAVE_LEADERS));
  }
}
