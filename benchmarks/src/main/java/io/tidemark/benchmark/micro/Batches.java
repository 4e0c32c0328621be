package io.tidemark.benchmark.micro;

import io.tidemark.record.Compression;
import io.tidemark.record.RecordBatchBuilder;
import java.nio.ByteBuffer;
import java.util.List;

/** The batches that pieces are measured with: values only, not compressed. */
public final class Batches {
  /** In a batch, where no other number is given. */
  public static final int RECORDS = 100;

  private static final long TIMESTAMP = 1_700_000_000_000L;

  private Batches() {}

  /** A batch as its producer sends it. */
  public static ByteBuffer produced(int valueBytes) {
    RecordBatchBuilder builder = new RecordBatchBuilder(Compression.NONE, 1_024);
    append(builder, RECORDS, ByteBuffer.allocate(valueBytes));
    return builder.build(0, -1);
  }

  static void append(RecordBatchBuilder builder, int records, ByteBuffer value) {
    for (int i = 0; i < records; i++) {
      builder.append(TIMESTAMP + i, null, value, List.of());
    }
  }
}
