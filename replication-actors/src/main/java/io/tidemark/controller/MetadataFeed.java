package io.tidemark.controller;

import io.tidemark.protocol.MetadataRecord;
import io.tidemark.record.Compression;
import io.tidemark.record.Record;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatchBuilder;
import io.tidemark.record.RecordBatches;
import java.nio.ByteBuffer;
import java.util.List;

/** Between record batches of the metadata log and its records. A pure core. */
final class MetadataFeed {
  private static final int INITIAL_BYTES = 1_024;

  private MetadataFeed() {}

  /**
   * The image with the committed ones of these batches.
   *
   * @param limit offsets from here on are not committed
   */
  static MetadataImage apply(MetadataImage image, ByteBuffer batches, long limit) {
    MetadataImage next = image;
    for (RecordBatch batch : RecordBatches.list(batches.duplicate())) {
      if (batch.baseOffset() >= limit) {
        return next;
      }
      batch.validate();
      for (Record record : batch.records()) {
        if (record.offset() >= next.nextOffset()) {
          next = next.apply(record.offset(), recordOf(batch, record));
        }
      }
    }
    return next;
  }

  /** A control batch only says that an epoch has begun. */
  private static MetadataRecord recordOf(RecordBatch batch, Record record) {
    if (batch.isControl()) {
      return new MetadataRecord.LeaderStarted(-1, batch.leaderEpoch());
    }
    byte[] bytes = new byte[record.value().remaining()];
    record.value().duplicate().get(bytes);
    return MetadataRecordCodec.decode(bytes);
  }

  /** One batch: all of the records or none are appended. */
  static ByteBuffer batchOf(List<MetadataRecord> records, long timestamp) {
    RecordBatchBuilder builder = new RecordBatchBuilder(Compression.NONE, INITIAL_BYTES);
    for (MetadataRecord record : records) {
      ByteBuffer value = ByteBuffer.wrap(MetadataRecordCodec.encode(record));
      builder.append(timestamp, null, value, List.of());
    }
    return builder.build(0, -1);
  }
}
