package io.tidemark.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostileBatchTest {

  @ParameterizedTest
  @EnumSource
  void aRecordCountBeyondThePayloadIsRefusedBeforeAnythingIsAllocated(Compression compression) {
    ByteBuffer bytes = Batches.batch(compression, "a");
    bytes.putInt(BatchLayout.RECORD_COUNT, Integer.MAX_VALUE);
    bytes.putInt(BatchLayout.LAST_OFFSET_DELTA, Integer.MAX_VALUE);

    RecordBatch batch = RecordBatch.at(Batches.sealed(bytes), 0);

    batch.validate();
    assertRefused("2147483647 records cannot fit", batch);
  }

  @ParameterizedTest
  @EnumSource(names = {"GZIP", "ZSTD"})
  void aDecompressionBombStopsAtTheBound(Compression compression) {
    GrowingBytes zeros = new GrowingBytes(80 << 20);
    zeros.advance(80 << 20);
    GrowingBytes bomb = new GrowingBytes(0);
    compression.compress(zeros, bomb);
    byte[] payload = Arrays.copyOf(bomb.array(), bomb.size());

    RecordBatch batch = RecordBatch.at(Batches.withPayload(compression, 1, payload), 0);

    batch.validate();
    assertTimeoutPreemptively(
        Duration.ofSeconds(10), () -> assertRefused("decompress to more than 67108864", batch));
  }

  @ParameterizedTest
  @EnumSource(names = {"GZIP", "ZSTD"})
  void theBoundIsExact(Compression compression) {
    ByteBuffer bytes = Batches.batch(compression, "v".repeat(5_000));
    int unpacked = Batches.batch(Compression.NONE, "v".repeat(5_000)).limit() - 61;
    RecordBatch batch = RecordBatch.at(bytes, 0);

    assertEquals(1, batch.records(unpacked).size());
    assertThrows(CorruptRecordException.class, () -> batch.records(unpacked - 1));
    assertThrows(CorruptRecordException.class, () -> batch.records(0));
  }

  @ParameterizedTest
  @CsvSource({"2,snappy", "3,lz4", "5,unknown", "6,unknown", "7,unknown"})
  void anUnsupportedCodecIsNamed(short codec, String name) {
    ByteBuffer bytes = Batches.batch(Compression.NONE, "a");
    bytes.putShort(BatchLayout.ATTRIBUTES, codec);

    RecordBatch batch = RecordBatch.at(Batches.sealed(bytes), 0);

    var refused = assertThrows(CorruptRecordException.class, batch::validate);
    assertTrue(refused.getMessage().contains("codec " + codec + " (" + name + ")"));
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -12, -1, 0, 48, 1_000, Integer.MAX_VALUE})
  void aDeclaredLengthThatCannotBeIsRefused(int length) {
    ByteBuffer bytes = Batches.batch(Compression.NONE, "a").putInt(BatchLayout.LENGTH, length);

    assertThrows(CorruptRecordException.class, () -> RecordBatch.at(bytes, 0));
  }

  @ParameterizedTest
  @ValueSource(bytes = {0, 1, 3, -1})
  void anotherMagicIsRefused(byte magic) {
    ByteBuffer bytes = Batches.batch(Compression.NONE, "a").put(BatchLayout.MAGIC, magic);

    var refused = assertThrows(CorruptRecordException.class, () -> RecordBatch.at(bytes, 0));
    assertTrue(refused.getMessage().contains("magic " + magic));
  }

  @ParameterizedTest
  @CsvSource({"-1,1", "0,-1", "0,2", "-2147483648,0", "5,7"})
  void countsThatContradictEachOtherAreRefused(int lastOffsetDelta, int count) {
    ByteBuffer bytes = Batches.batch(Compression.NONE, "a");
    bytes.putInt(BatchLayout.LAST_OFFSET_DELTA, lastOffsetDelta);
    bytes.putInt(BatchLayout.RECORD_COUNT, count);
    RecordBatch batch = RecordBatch.at(Batches.sealed(bytes), 0);

    assertThrows(CorruptRecordException.class, batch::validate);
    assertThrows(CorruptRecordException.class, batch::records);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE})
  void offsetsOutsideOfTheLogAreRefused(long baseOffset) {
    ByteBuffer bytes = Batches.batch(Compression.NONE, "a").putLong(0, baseOffset);

    var refused =
        assertThrows(CorruptRecordException.class, () -> RecordBatch.at(bytes, 0).validate());
    assertTrue(refused.getMessage().contains("batch at offset " + baseOffset));
  }

  @Test
  void bytesBehindTheLastRecordAreRefused() {
    byte[] record = {12, 0, 0, 0, 1, 1, 0};

    assertEquals(1, records(record, 1));
    assertRefused("1 bytes behind", RecordBatch.at(payload(1, 12, 0, 0, 0, 1, 1, 0, 0), 0));
  }

  @Test
  void offsetDeltasMustRise() {
    int[] twice = {12, 0, 0, 0, 1, 1, 0, 12, 0, 0, 0, 1, 1, 0};

    assertRefused("offset delta 0", RecordBatch.at(payload(2, twice), 0));
  }

  @Test
  void aVarintWithoutAnEndIsRefused() {
    int[] endless = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

    assertRefused("varint", RecordBatch.at(payload(1, endless), 0));
  }

  @Test
  void aFieldMustNotReachIntoTheNextRecord() {
    int[] keyTooLong = {12, 0, 0, 0, 20, 1, 0, 12, 0, 0, 2, 1, 1, 0};

    assertRefused("key length 10", RecordBatch.at(payload(2, keyTooLong), 0));
  }

  @Test
  void aHeaderNeedsAKey() {
    int[] absentKey = {16, 0, 0, 0, 1, 1, 2, 1, 1};

    assertRefused("header key length -1", RecordBatch.at(payload(1, absentKey), 0));
  }

  @Test
  void aRecordEndsWithItsHeaders() {
    int[] oneByteMore = {14, 0, 0, 0, 1, 1, 0, 0};

    assertRefused("1 bytes behind its headers", RecordBatch.at(payload(1, oneByteMore), 0));
  }

  @Test
  void aHeaderCountBeyondTheRecordIsRefusedBeforeAnythingIsAllocated() {
    int[] countless = {20, 0, 0, 0, 1, 1, 0xfe, 0xff, 0xff, 0xff, 0x0f};

    assertRefused("2147483647 headers in 0 bytes", RecordBatch.at(payload(1, countless), 0));
  }

  @Test
  void anOffsetDeltaBeyondTheBatchIsRefused() {
    int[] beyond = {12, 0, 0, 2, 1, 1, 0};

    assertRefused("offset delta 1", RecordBatch.at(payload(1, beyond), 0));
  }

  private static int records(byte[] payload, int count) {
    ByteBuffer bytes = Batches.withPayload(Compression.NONE, count, payload);
    return RecordBatch.at(bytes, 0).records().size();
  }

  private static ByteBuffer payload(int count, int... payload) {
    byte[] bytes = new byte[payload.length];
    for (int i = 0; i < payload.length; i++) {
      bytes[i] = (byte) payload[i];
    }
    return Batches.withPayload(Compression.NONE, count, bytes);
  }

  private static void assertRefused(String reason, RecordBatch batch) {
    var refused = assertThrows(CorruptRecordException.class, batch::records);
    assertTrue(refused.getMessage().contains(reason), refused.getMessage());
  }
}
