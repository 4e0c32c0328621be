package io.tidemark.controller;

import io.tidemark.protocol.MetadataRecord;
import io.tidemark.record.RecordBatch;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Metadata in its batches, for a shell outside of this package. Remembers what it wrote, since to
 * decode it again for each reader would take most of the time.
 */
public final class SimMetadata {
  private final Map<Integer, List<MetadataRecord>> byChecksum = new HashMap<>();

  public ByteBuffer batchOf(List<MetadataRecord> records, long timestamp) {
    ByteBuffer batch = MetadataFeed.batchOf(records, timestamp);
    byChecksum.put(RecordBatch.at(batch, batch.position()).crc(), records);
    return batch;
  }

  /** The image with this one batch. */
  public MetadataImage apply(MetadataImage image, RecordBatch batch) {
    List<MetadataRecord> records = byChecksum.get(batch.crc());
    if (records == null) {
      return MetadataFeed.apply(image, batch.buffer(), Long.MAX_VALUE);
    }
    MetadataImage next = image;
    long offset = batch.baseOffset();
    for (MetadataRecord record : records) {
      next = next.apply(offset++, record);
    }
    return next;
  }
}
