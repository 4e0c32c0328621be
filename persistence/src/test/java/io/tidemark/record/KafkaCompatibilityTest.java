package io.tidemark.record;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.compress.GzipCompression;
import org.apache.kafka.common.compress.NoCompression;
import org.apache.kafka.common.compress.ZstdCompression;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.ControlRecordType;
import org.apache.kafka.common.record.DefaultRecordBatch;
import org.apache.kafka.common.record.EndTransactionMarker;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.MemoryRecordsBuilder;
import org.apache.kafka.common.record.MutableRecordBatch;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.utils.ByteBufferOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class KafkaCompatibilityTest {
  private static final long BASE_OFFSET = 42;
  private static final int LEADER_EPOCH = 7;

  @ParameterizedTest
  @EnumSource
  void kafkaReadsWhatWeBuild(Compression compression) {
    ByteBuffer ours =
        Batches.builder(compression, Batches.samples())
            .producer(9, (short) 3, 11)
            .build(BASE_OFFSET, LEADER_EPOCH);

    MutableRecordBatch kafka = onlyBatch(ours);

    assertTrue(kafka.isValid());
    kafka.ensureValid();
    assertEquals(compression.id(), kafka.compressionType().id);
    assertEquals(9, kafka.producerId());
    assertEquals(3, kafka.producerEpoch());
    assertEquals(11, kafka.baseSequence());
    assertEquals(LEADER_EPOCH, kafka.partitionLeaderEpoch());
    assertEquals(Long.MAX_VALUE / 2, kafka.maxTimestamp());
    assertEquals(at(BASE_OFFSET, Batches.samples()), kafkaRecords(kafka));
  }

  @ParameterizedTest
  @EnumSource
  void weReadWhatKafkaBuilds(Compression compression) {
    MemoryRecordsBuilder kafka = kafkaBuilder(compression, 9, (short) 3, 11, false, false);
    appendSamples(kafka);

    RecordBatch ours = RecordBatch.at(kafka.build().buffer(), 0);

    ours.validate();
    assertEquals(compression, ours.compression());
    assertEquals(BASE_OFFSET, ours.baseOffset());
    assertEquals(LEADER_EPOCH, ours.leaderEpoch());
    assertEquals(2, ours.magic());
    assertEquals(5, ours.lastOffsetDelta());
    assertEquals(BASE_OFFSET + 5, ours.lastOffset());
    assertEquals(BASE_OFFSET + 6, ours.nextOffset());
    assertEquals(Batches.TIMESTAMP, ours.baseTimestamp());
    assertEquals(Long.MAX_VALUE / 2, ours.maxTimestamp());
    assertEquals(9, ours.producerId());
    assertEquals(3, ours.producerEpoch());
    assertEquals(11, ours.baseSequence());
    assertEquals(16, ours.lastSequence());
    assertEquals(6, ours.recordCount());
    assertTrue(ours.hasProducerId());
    assertFalse(ours.isControl());
    assertFalse(ours.isTransactional());
    assertEquals(at(BASE_OFFSET, Batches.samples()), ours.records());
  }

  @Test
  void uncompressedBatchesAreKafkasByteForByte() {
    MemoryRecordsBuilder kafka =
        kafkaBuilder(Compression.NONE, 9, (short) 3, Integer.MAX_VALUE, false, false);
    appendSamples(kafka);
    ByteBuffer theirs = kafka.build().buffer();

    ByteBuffer ours =
        Batches.builder(Compression.NONE, Batches.samples())
            .producer(9, (short) 3, Integer.MAX_VALUE)
            .build(BASE_OFFSET, LEADER_EPOCH);

    byte[] theirBytes = new byte[theirs.remaining()];
    theirs.get(0, theirBytes);
    assertArrayEquals(theirBytes, ours.array());
  }

  @ParameterizedTest
  @CsvSource({"0", "11", "2147483646", "2147483647", "2147483642"})
  void sequencesWrapAsKafkas(int baseSequence) {
    ByteBuffer ours =
        Batches.builder(Compression.NONE, Batches.samples())
            .producer(9, (short) 3, baseSequence)
            .build(0, -1);

    assertEquals(onlyBatch(ours).lastSequence(), RecordBatch.at(ours, 0).lastSequence());
  }

  @Test
  void aBatchWithoutAProducerHasNoSequence() {
    ByteBuffer ours = Batches.batch(Compression.NONE, "a", "b");

    assertFalse(onlyBatch(ours).hasProducerId());
    assertFalse(RecordBatch.at(ours, 0).hasProducerId());
    assertEquals(-1, RecordBatch.at(ours, 0).lastSequence());
  }

  @Test
  void kafkaSeesOurControlBit() {
    RecordBatchBuilder builder = new RecordBatchBuilder(Compression.NONE, 16);
    ByteBuffer commitKey = ByteBuffer.allocate(4).putShort((short) 0).putShort((short) 1).flip();
    builder.append(Batches.TIMESTAMP, commitKey, null, List.of());

    ByteBuffer ours = builder.buildControl(BASE_OFFSET, LEADER_EPOCH);

    assertTrue(onlyBatch(ours).isControlBatch());
    assertEquals(
        ControlRecordType.COMMIT, ControlRecordType.parse(onlyBatch(ours).iterator().next().key()));
    assertTrue(RecordBatch.at(ours, 0).isControl());
  }

  @Test
  void weSeeKafkasControlAndTransactionBits() {
    MemoryRecordsBuilder kafka = kafkaBuilder(Compression.NONE, 9, (short) 3, -1, true, true);
    kafka.appendEndTxnMarker(
        Batches.TIMESTAMP, new EndTransactionMarker(ControlRecordType.COMMIT, 0));

    RecordBatch ours = RecordBatch.at(kafka.build().buffer(), 0);

    ours.validate();
    assertTrue(ours.isControl());
    assertTrue(ours.isTransactional());
    assertEquals(-1, ours.lastSequence());
    assertEquals(1, ours.records().size());
  }

  @Test
  void recordsOfALogAppendTimeBatchCarryTheLogsTime() {
    ByteBuffer kafka = Batches.batch(Compression.NONE, "a", "b");
    DefaultRecordBatch batch = (DefaultRecordBatch) onlyBatch(kafka);

    batch.setMaxTimestamp(TimestampType.LOG_APPEND_TIME, 123);

    RecordBatch ours = RecordBatch.at(kafka, 0);
    ours.validate();
    assertEquals(List.of(123L, 123L), ours.records().stream().map(Record::timestamp).toList());
  }

  @Test
  void aBatchThatCleaningHasEmptiedHasNoRecords() {
    ByteBuffer kafka = ByteBuffer.allocate(RecordBatch.HEADER_BYTES);
    DefaultRecordBatch.writeEmptyHeader(
        kafka, (byte) 2, 9, (short) 3, 11, 5, 8, 2, TimestampType.CREATE_TIME, 77, false, false);

    RecordBatch ours = RecordBatch.at(kafka, 0);

    ours.validate();
    assertEquals(9, ours.nextOffset());
    assertEquals(List.of(), ours.records());
  }

  @Test
  void offsetsThatCleaningHasRemovedAreSkipped() {
    MemoryRecordsBuilder kafka = kafkaBuilder(Compression.ZSTD, -1, (short) -1, -1, false, false);
    kafka.appendWithOffset(44, Batches.TIMESTAMP, null, "a".getBytes());
    kafka.appendWithOffset(47, Batches.TIMESTAMP, null, "b".getBytes());

    RecordBatch ours = RecordBatch.at(kafka.build().buffer(), 0);

    ours.validate();
    assertEquals(List.of(44L, 47L), ours.records().stream().map(Record::offset).toList());
    assertThrows(
        CorruptRecordException.class,
        () -> RecordBatches.validateProduced(RecordBatches.stamp(ours.buffer(), 0, -1), 1_000));
  }

  @Test
  void kafkaReadsSeveralStampedBatchesInARow() {
    ByteBuffer produced =
        Batches.concatenated(
            Batches.batch(Compression.NONE, "a", "b"), Batches.batch(Compression.GZIP, "c"));

    ByteBuffer stamped = RecordBatches.stamp(produced, BASE_OFFSET, LEADER_EPOCH);

    List<Long> offsets = new ArrayList<>();
    for (MutableRecordBatch batch : MemoryRecords.readableRecords(stamped).batches()) {
      assertTrue(batch.isValid());
      assertEquals(LEADER_EPOCH, batch.partitionLeaderEpoch());
      batch.forEach(record -> offsets.add(record.offset()));
    }
    assertEquals(List.of(42L, 43L, 44L), offsets);
  }

  private static MemoryRecordsBuilder kafkaBuilder(
      Compression compression,
      long producerId,
      short producerEpoch,
      int baseSequence,
      boolean transactional,
      boolean control) {
    return new MemoryRecordsBuilder(
        new ByteBufferOutputStream(64),
        (byte) 2,
        kafkaCompression(compression),
        TimestampType.CREATE_TIME,
        BASE_OFFSET,
        0,
        producerId,
        producerEpoch,
        baseSequence,
        transactional,
        control,
        LEADER_EPOCH,
        Integer.MAX_VALUE);
  }

  private static org.apache.kafka.common.compress.Compression kafkaCompression(Compression ours) {
    return switch (ours) {
      case NONE -> NoCompression.NONE;
      case GZIP -> new GzipCompression.Builder().build();
      case ZSTD -> new ZstdCompression.Builder().build();
    };
  }

  private static void appendSamples(MemoryRecordsBuilder kafka) {
    for (Record r : Batches.samples()) {
      RecordHeader[] headers =
          r.headers().stream()
              .map(
                  h ->
                      new RecordHeader(
                          Batches.bytes(h.key()), h.value() == null ? null : h.value().duplicate()))
              .toArray(RecordHeader[]::new);
      kafka.append(r.timestamp(), r.key(), r.value(), headers);
    }
  }

  private static MutableRecordBatch onlyBatch(ByteBuffer bytes) {
    var batches = MemoryRecords.readableRecords(bytes.duplicate()).batches().iterator();
    MutableRecordBatch batch = batches.next();
    assertFalse(batches.hasNext());
    return batch;
  }

  private static List<Record> kafkaRecords(MutableRecordBatch batch) {
    List<Record> records = new ArrayList<>();
    for (org.apache.kafka.common.record.Record r : batch) {
      List<Header> headers =
          Arrays.stream(r.headers())
              .map(h -> new Header(h.key(), h.value() == null ? null : ByteBuffer.wrap(h.value())))
              .toList();
      records.add(new Record(r.offset(), r.timestamp(), r.key(), r.value(), headers));
    }
    return records;
  }

  private static List<Record> at(long baseOffset, List<Record> records) {
    return records.stream()
        .map(
            r ->
                new Record(baseOffset + r.offset(), r.timestamp(), r.key(), r.value(), r.headers()))
        .toList();
  }
}
