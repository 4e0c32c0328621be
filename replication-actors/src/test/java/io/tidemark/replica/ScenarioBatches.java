package io.tidemark.replica;

import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.record.Compression;
import io.tidemark.record.Record;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatchBuilder;
import io.tidemark.record.RecordBatches;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Batches as tests write and read them. */
final class ScenarioBatches {
  private ScenarioBatches() {}

  /** As a producer without an identity sends it. */
  static ByteBuffer batch(String... values) {
    return builderOf(values).build(0, -1);
  }

  /** As an idempotent producer sends it. */
  static ByteBuffer batchOf(long producerId, int producerEpoch, int sequence, String... values) {
    return builderOf(values).producer(producerId, (short) producerEpoch, sequence).build(0, -1);
  }

  /** As it lies in a log. */
  static ByteBuffer stored(int epoch, long baseOffset, String... values) {
    return builderOf(values).build(baseOffset, epoch);
  }

  /** So many records, numbered by their offsets. */
  static ByteBuffer numbered(int epoch, long baseOffset, int count) {
    String[] values = new String[count];
    Arrays.setAll(values, i -> "r" + (baseOffset + i));
    return stored(epoch, baseOffset, values);
  }

  static ByteBuffer joined(ByteBuffer... batches) {
    return RecordBatches.join(
        Stream.of(batches).flatMap(each -> RecordBatches.list(each).stream()).toList());
  }

  static BatchesAppended appended(long highWatermark, ByteBuffer... batches) {
    return new BatchesAppended(joined(batches), highWatermark);
  }

  /** Each record as {@code offset@epoch value}. */
  static List<String> records(ByteBuffer batches) {
    List<String> found = new ArrayList<>();
    for (RecordBatch batch : RecordBatches.list(batches)) {
      for (Record record : batch.records()) {
        String value = StandardCharsets.UTF_8.decode(record.value().duplicate()).toString();
        found.add(record.offset() + "@" + batch.leaderEpoch() + " " + value);
      }
    }
    return found;
  }

  private static RecordBatchBuilder builderOf(String... values) {
    RecordBatchBuilder builder = new RecordBatchBuilder(Compression.NONE, 64);
    for (String value : values) {
      ByteBuffer bytes = ByteBuffer.wrap(value.getBytes(StandardCharsets.UTF_8));
      builder.append(1_700_000_000_000L, null, bytes, List.of());
    }
    return builder;
  }
}
