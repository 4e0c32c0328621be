package io.tidemark.record;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32C;

/** Batches and bytes that several tests start from. */
final class Batches {
  static final long TIMESTAMP = 1_700_000_000_000L;

  private Batches() {}

  static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Keys, values and headers that are present, empty and absent; time goes back and far ahead. */
  static List<Record> samples() {
    return List.of(
        new Record(0, TIMESTAMP, bytes("key"), bytes("value"), List.of()),
        new Record(1, TIMESTAMP - 5, null, bytes("no key"), List.of()),
        new Record(2, TIMESTAMP + 90_000_000_000L, bytes("tombstone"), null, List.of()),
        new Record(3, 0, bytes(""), bytes(""), List.of(new Header("", bytes("")))),
        new Record(4, Long.MAX_VALUE / 2, null, null, List.of(new Header("absent", null))),
        new Record(
            5,
            TIMESTAMP,
            bytes("k".repeat(200)),
            bytes("v".repeat(20_000)),
            List.of(new Header("ключ→🌊", bytes("x")), new Header("ключ→🌊", bytes("y")))));
  }

  static RecordBatchBuilder builder(Compression compression, List<Record> records) {
    RecordBatchBuilder builder = new RecordBatchBuilder(compression, 16);
    for (Record r : records) {
      builder.append(r.timestamp(), r.key(), r.value(), r.headers());
    }
    return builder;
  }

  static ByteBuffer batch(Compression compression, String... values) {
    RecordBatchBuilder builder = new RecordBatchBuilder(compression, 16);
    for (String value : values) {
      builder.append(TIMESTAMP, null, bytes(value), List.of());
    }
    return builder.build(0, -1);
  }

  /** A batch whose payload is given as it is, with a matching size and checksum. */
  static ByteBuffer withPayload(Compression compression, int count, byte[] payload) {
    ByteBuffer batch = ByteBuffer.allocate(RecordBatch.HEADER_BYTES + payload.length);
    batch.put(batch(compression, "template").array(), 0, RecordBatch.HEADER_BYTES).put(payload);
    batch.flip();
    batch.putInt(BatchLayout.LENGTH, batch.limit() - BatchLayout.LENGTH_PREFIX);
    batch.putInt(BatchLayout.LAST_OFFSET_DELTA, count - 1);
    batch.putInt(BatchLayout.RECORD_COUNT, count);
    return sealed(batch);
  }

  /** Makes the checksum match, so that a test gets past it. */
  static ByteBuffer sealed(ByteBuffer batch) {
    CRC32C crc = new CRC32C();
    crc.update(batch.slice(BatchLayout.ATTRIBUTES, batch.limit() - BatchLayout.ATTRIBUTES));
    return batch.putInt(BatchLayout.CRC, (int) crc.getValue());
  }

  static ByteBuffer concatenated(ByteBuffer... batches) {
    int size = 0;
    for (ByteBuffer batch : batches) {
      size += batch.remaining();
    }
    ByteBuffer all = ByteBuffer.allocate(size);
    for (ByteBuffer batch : batches) {
      all.put(batch.duplicate());
    }
    return all.flip();
  }
}
