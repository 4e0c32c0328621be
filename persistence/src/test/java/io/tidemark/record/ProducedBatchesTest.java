package io.tidemark.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ProducedBatchesTest {
  private static final int LIMIT = 1_000;

  @ParameterizedTest
  @EnumSource
  void whatABuilderMakesIsAccepted(Compression compression) {
    ByteBuffer batch = Batches.batch(compression, "a", "b", "c");

    RecordBatches.validateProduced(Batches.concatenated(batch, batch), LIMIT);
  }

  @Test
  void nothingIsNotAProduceRequest() {
    assertEquals(List.of(), RecordBatches.list(ByteBuffer.allocate(0)));
    assertRefused("no batch", ByteBuffer.allocate(0));
  }

  @Test
  void aBatchOverTheLimitNamesSizeAndLimit() {
    ByteBuffer batch = Batches.batch(Compression.NONE, "a");
    int size = batch.limit();

    RecordBatches.validateProduced(batch, size);
    var refused =
        assertThrows(
            RecordTooLargeException.class, () -> RecordBatches.validateProduced(batch, size - 1));
    assertEquals("a batch of 69 bytes exceeds the limit of 68", refused.getMessage());
  }

  @Test
  void aProducerDoesNotChooseOffsets() {
    assertRefused("base offset", Batches.batch(Compression.NONE, "a").putLong(0, 1));
  }

  @ParameterizedTest
  @EnumSource
  void aProducerSendsEveryOffset(Compression compression) {
    ByteBuffer batch = Batches.batch(compression, "a", "b");
    batch.putInt(BatchLayout.LAST_OFFSET_DELTA, 2);

    assertRefused("2 records, but last offset delta 2", Batches.sealed(batch));
  }

  @Test
  void aProducerDoesNotWriteControlRecords() {
    RecordBatchBuilder builder = new RecordBatchBuilder(Compression.NONE, 16);
    builder.append(0, null, null, List.of());

    assertRefused("control", builder.buildControl(0, -1));
  }

  @Test
  void anIdempotentProducerNumbersItsBatches() {
    RecordBatchBuilder builder = new RecordBatchBuilder(Compression.NONE, 16);
    builder.append(0, null, null, List.of());

    assertRefused("sequence -1", builder.producer(5, (short) 0, -1).build(0, -1));
  }

  @ParameterizedTest
  @EnumSource
  void damageInsideARecordIsFoundBehindAMatchingChecksum(Compression compression) {
    GrowingBytes records = new GrowingBytes(0);
    records.write(new byte[] {12, 0, 0, 0, 1, 3, 0}, 0, 7);
    GrowingBytes packed = new GrowingBytes(0);
    compression.compress(records, packed);
    byte[] payload = Arrays.copyOf(packed.array(), packed.size());

    assertRefused("value length -2", Batches.withPayload(compression, 1, payload));
  }

  @Test
  void aBuilderStartsAfreshAfterEachBatch() {
    RecordBatchBuilder builder = new RecordBatchBuilder(Compression.ZSTD, 16);
    builder.producer(5, (short) 1, 10).append(100, null, Batches.bytes("first"), List.of());
    ByteBuffer first = builder.build(0, -1);
    assertEquals(0, builder.count());
    assertEquals(RecordBatch.HEADER_BYTES, builder.estimatedBytes());

    builder.append(7, null, Batches.bytes("other"), List.of());
    RecordBatch second = RecordBatch.at(builder.build(0, -1), 0);

    assertEquals(Batches.bytes("first"), RecordBatch.at(first, 0).records().get(0).value());
    assertEquals(Batches.bytes("other"), second.records().get(0).value());
    assertEquals(7, second.maxTimestamp());
    assertEquals(-1, second.producerId());
    assertThrows(IllegalStateException.class, () -> builder.build(0, -1));
  }

  @Test
  void buffersOfAnyKindOrderAndPositionAreReadAndLeftAlone() {
    ByteBuffer batch = Batches.batch(Compression.NONE, "a", "b");
    ByteBuffer direct = ByteBuffer.allocateDirect(200).order(ByteOrder.LITTLE_ENDIAN);
    direct.position(33).put(batch.duplicate()).limit(33 + batch.limit()).position(33);

    RecordBatches.validateProduced(direct.asReadOnlyBuffer(), LIMIT);
    RecordBatches.validateProduced(direct, LIMIT);
    RecordBatch read = RecordBatches.list(direct).get(0);
    ByteBuffer stamped = RecordBatches.stamp(direct, 9, 2);

    assertEquals(33, direct.position());
    assertEquals(batch, read.buffer());
    assertTrue(read.buffer().isReadOnly());
    assertThrows(
        ReadOnlyBufferException.class, () -> read.records().get(0).value().put(0, (byte) 1));
    assertEquals(9, RecordBatch.at(stamped, 0).baseOffset());
  }

  @Test
  void appendingLeavesTheBuffersOfTheCallerAlone() {
    ByteBuffer value = Batches.bytes("__value").position(2);
    RecordBatchBuilder builder = new RecordBatchBuilder(Compression.NONE, 16);

    builder.append(0, null, value, List.of());

    assertEquals(2, value.position());
    RecordBatch batch = RecordBatch.at(builder.build(0, -1), 0);
    assertEquals(Batches.bytes("value"), batch.records().get(0).value());
  }

  private static void assertRefused(String reason, ByteBuffer batches) {
    var refused =
        assertThrows(
            CorruptRecordException.class, () -> RecordBatches.validateProduced(batches, LIMIT));
    assertTrue(refused.getMessage().contains(reason), refused.getMessage());
  }
}
