package io.tidemark.log;

import io.tidemark.benchmark.micro.Piece;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;

/** Where in the journal to begin to read, in an index as large as they become. */
public class OffsetIndexBenchmark extends Piece {
  private static final int POINTS = OffsetIndex.MAX_POINTS;
  private static final int SPAN = 1_000;

  private Layout layout = Layout.EMPTY;
  private long offset;

  @Setup
  public void fill() {
    for (int i = 0; i < POINTS; i++) {
      int bytes = (int) Layout.INDEX_INTERVAL_BYTES;
      layout = layout.append((long) i * SPAN, i + 1L, bytes, i);
    }
  }

  /** Another offset each time, so that branches are not foretold. */
  @Benchmark
  public long byOffset() {
    offset = (offset + 1_234_567) % ((long) POINTS * SPAN);
    return layout.index().sequenceNrFor(offset);
  }

  @Benchmark
  public long byTime() {
    offset = (offset + 1_234_567) % ((long) POINTS * SPAN);
    return layout.sequenceNrForTimestamp(offset / SPAN);
  }
}
