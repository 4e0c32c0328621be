package io.tidemark.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

class RecordBatchPropertiesTest {

  @Property(tries = 300)
  void whatIsAppendedIsReadBack(
      @ForAll Compression compression,
      @ForAll("records") List<Record> records,
      @ForAll @LongRange(min = 0, max = Long.MAX_VALUE - 100) long baseOffset) {
    RecordBatchBuilder builder = Batches.builder(compression, records);

    RecordBatch batch = RecordBatch.at(builder.build(baseOffset, 1), 0);

    batch.validate();
    assertEquals(numbered(baseOffset, records), batch.records());
  }

  @Property(tries = 300)
  void sizesAreKnownBeforeBuilding(@ForAll("records") List<Record> records) {
    RecordBatchBuilder builder = new RecordBatchBuilder(Compression.NONE, 0);
    for (Record r : records) {
      int before = builder.estimatedBytesWith(r.key(), r.value(), r.headers());
      builder.append(r.timestamp(), r.key(), r.value(), r.headers());
      assertTrue(builder.estimatedBytes() <= before);
      assertTrue(before - builder.estimatedBytes() < Varint.MAX_LONG_BYTES + 1);
    }
    int estimated = builder.estimatedBytes();

    assertEquals(estimated, builder.build(0, -1).remaining());
  }

  @Property(tries = 500)
  void theSizeOfTextIsThatOfItsEncoding(@ForAll String text) {
    assertEquals(text.getBytes(StandardCharsets.UTF_8).length, Utf8.length(text));
  }

  @Property(tries = 20)
  void everyFlippedBitUnderTheChecksumIsFound(
      @ForAll Compression compression, @ForAll("shortRecords") List<Record> records) {
    ByteBuffer bytes = Batches.builder(compression, records).build(0, -1);
    for (int bit = BatchLayout.ATTRIBUTES * 8; bit < bytes.limit() * 8; bit++) {
      flip(bytes, bit);
      RecordBatch flipped = RecordBatch.at(bytes, 0);
      assertFalse(flipped.checksumMatches());
      assertThrows(CorruptRecordException.class, flipped::validate);
      flip(bytes, bit);
    }
    RecordBatch.at(bytes, 0).validate();
  }

  @Property(tries = 50)
  void everyTruncationIsFound(
      @ForAll Compression compression, @ForAll("shortRecords") List<Record> records) {
    ByteBuffer batch = Batches.builder(compression, records).build(0, -1);
    ByteBuffer two = Batches.concatenated(batch, batch);
    for (int length = 1; length < two.capacity(); length++) {
      ByteBuffer cut = two.slice(0, length);
      if (length == batch.limit()) {
        assertEquals(1, RecordBatches.list(cut).size());
      } else {
        assertThrows(CorruptRecordException.class, () -> RecordBatches.list(cut));
      }
    }
  }

  @Property(tries = 500)
  void garbageIsNeverABatch(@ForAll @Size(min = 1, max = 200) byte[] garbage) {
    assertThrows(
        CorruptRecordException.class,
        () -> RecordBatches.validateProduced(ByteBuffer.wrap(garbage), 1_000));
  }

  @Property(tries = 1_000)
  void aDamagedBatchWithAMatchingChecksumIsReadOrRefused(
      @ForAll Compression compression,
      @ForAll("shortRecords") List<Record> records,
      @ForAll @Size(min = 1, max = 4) List<@IntRange(min = 0, max = 1 << 16) Integer> places,
      @ForAll byte damage) {
    ByteBuffer bytes = Batches.builder(compression, records).build(0, -1);
    for (int place : places) {
      int under = BatchLayout.LAST_OFFSET_DELTA;
      bytes.put(under + place % (bytes.limit() - under), damage);
    }
    RecordBatch damaged = RecordBatch.at(Batches.sealed(bytes), 0);
    assertTrue(damaged.checksumMatches());

    try {
      assertEquals(damaged.recordCount(), damaged.records(1 << 20).size());
    } catch (CorruptRecordException expected) {
      assertTrue(expected.getMessage().startsWith("batch at offset 0: "));
    }
  }

  @Property(tries = 500)
  void aPayloadOfGarbageIsReadOrRefused(
      @ForAll Compression compression,
      @ForAll @Size(max = 100) byte[] garbage,
      @ForAll @IntRange(min = 1, max = 20) int count) {
    if (compression == Compression.GZIP && garbage.length > 2) {
      garbage[0] = 0x1f;
      garbage[1] = (byte) 0x8b;
      garbage[2] = 8;
    }
    RecordBatch batch = RecordBatch.at(Batches.withPayload(compression, count, garbage), 0);
    batch.validate();

    try {
      assertEquals(count, batch.records(1 << 20).size());
    } catch (CorruptRecordException expected) {
      assertTrue(expected.getMessage().startsWith("batch at offset 0: "));
    }
  }

  @Property(tries = 100)
  void stampingNumbersACopyAndKeepsItValid(
      @ForAll Compression compression,
      @ForAll @Size(min = 1, max = 4) List<@Size(min = 1, max = 5) List<String>> values,
      @ForAll @LongRange(min = 0, max = Long.MAX_VALUE / 2) long baseOffset,
      @ForAll @IntRange(min = 0) int leaderEpoch) {
    ByteBuffer[] produced =
        values.stream()
            .map(v -> Batches.batch(compression, v.toArray(String[]::new)))
            .toArray(ByteBuffer[]::new);
    ByteBuffer input = Batches.concatenated(produced);
    byte[] before = input.array().clone();

    ByteBuffer stamped = RecordBatches.stamp(input.asReadOnlyBuffer(), baseOffset, leaderEpoch);

    assertEquals(ByteBuffer.wrap(before), input);
    long expected = baseOffset;
    for (RecordBatch batch : RecordBatches.list(stamped)) {
      batch.validate();
      assertEquals(expected, batch.baseOffset());
      assertEquals(leaderEpoch, batch.leaderEpoch());
      expected = batch.nextOffset();
    }
    assertEquals(expected - baseOffset, values.stream().mapToInt(List::size).sum());
  }

  @Provide
  Arbitrary<List<Record>> records() {
    return record(200).list().ofMinSize(1).ofMaxSize(20);
  }

  @Provide
  Arbitrary<List<Record>> shortRecords() {
    return record(8).list().ofMinSize(1).ofMaxSize(3);
  }

  private static Arbitrary<Record> record(int maxBytes) {
    Arbitrary<ByteBuffer> bytes =
        Arbitraries.bytes().array(byte[].class).ofMaxSize(maxBytes).map(ByteBuffer::wrap);
    Arbitrary<ByteBuffer> optional = bytes.injectNull(0.2);
    Arbitrary<Header> header =
        Combinators.combine(Arbitraries.strings().alpha().ofMaxLength(9), optional).as(Header::new);
    return Combinators.combine(Arbitraries.longs(), optional, optional, header.list().ofMaxSize(3))
        .as((timestamp, key, value, headers) -> new Record(0, timestamp, key, value, headers));
  }

  private static List<Record> numbered(long baseOffset, List<Record> records) {
    return IntStream.range(0, records.size())
        .mapToObj(
            i -> {
              Record r = records.get(i);
              return new Record(baseOffset + i, r.timestamp(), r.key(), r.value(), r.headers());
            })
        .toList();
  }

  private static void flip(ByteBuffer bytes, int bit) {
    bytes.put(bit / 8, (byte) (bytes.get(bit / 8) ^ (1 << (bit % 8))));
  }
}
