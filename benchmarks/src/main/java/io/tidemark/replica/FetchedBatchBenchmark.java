package io.tidemark.replica;

import io.tidemark.benchmark.micro.Batches;
import io.tidemark.benchmark.micro.Piece;
import io.tidemark.log.LogState;
import io.tidemark.record.RecordBatches;
import java.nio.ByteBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** What a follower checks of a batch of 100 records that its leader sent. */
public class FetchedBatchBenchmark extends Piece {
  @Param({"100", "1024"})
  public int valueBytes;

  private ByteBuffer fetched;

  @Setup
  public void stamp() {
    fetched = RecordBatches.stamp(Batches.produced(valueBytes), 0, 1);
    if (check() != fetched.remaining()) {
      throw new IllegalStateException("the batch is refused");
    }
  }

  /** Returns how many bytes are good. */
  @Benchmark
  public int check() {
    return Truncation.check(LogState.EMPTY, fetched, 1).good().remaining();
  }
}
