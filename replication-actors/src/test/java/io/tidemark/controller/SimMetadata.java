package io.tidemark.controller;

import io.tidemark.protocol.MetadataRecord;
import java.nio.ByteBuffer;
import java.util.List;

/** Metadata in its batches, for a shell outside of this package. */
public final class SimMetadata {
  private SimMetadata() {}

  public static ByteBuffer batchOf(List<MetadataRecord> records, long timestamp) {
    return MetadataFeed.batchOf(records, timestamp);
  }

  public static MetadataImage apply(MetadataImage image, ByteBuffer batches, long limit) {
    return MetadataFeed.apply(image, batches, limit);
  }
}
