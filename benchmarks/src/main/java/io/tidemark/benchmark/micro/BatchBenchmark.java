package io.tidemark.benchmark.micro;

import io.tidemark.record.Compression;
import io.tidemark.record.Record;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatchBuilder;
import io.tidemark.record.RecordBatches;
import java.nio.ByteBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.infra.Blackhole;

/** A batch of 100 records: at its producer, before its leader takes it, and at its consumer. */
public class BatchBenchmark extends Piece {
  private static final int MAX_BATCH_BYTES = 1 << 20;

  @Param({"100", "1024"})
  public int valueBytes;

  private ByteBuffer value;
  private ByteBuffer produced;
  private ByteBuffer stored;

  @Setup
  public void build() {
    value = ByteBuffer.allocate(valueBytes);
    produced = Batches.produced(valueBytes);
    stored = RecordBatches.stamp(produced, 1_000, 1);
  }

  /** With room for an eighth more than the batch before had, as producers begin one. */
  @Benchmark
  public ByteBuffer buildAsProducer() {
    int room = produced.remaining() + produced.remaining() / 8;
    RecordBatchBuilder builder = new RecordBatchBuilder(Compression.NONE, room);
    Batches.append(builder, Batches.RECORDS, value);
    return builder.build(0, -1);
  }

  @Benchmark
  public void checkAsLeader() {
    RecordBatches.validateProduced(produced, MAX_BATCH_BYTES);
  }

  @Benchmark
  public void readAsConsumer(Blackhole out) {
    for (RecordBatch batch : RecordBatches.list(stored)) {
      batch.validate();
      for (Record record : batch.records()) {
        out.consume(record);
      }
    }
  }
}
