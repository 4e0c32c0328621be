package io.tidemark.benchmark.micro;

import io.tidemark.log.LeaderEpochs;
import io.tidemark.log.LeaderEpochs.Entry;
import io.tidemark.log.LeaderEpochs.EpochEnd;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** Where an epoch ends: of the latest each fetch asks, of an older one who may have diverged. */
public class EpochLookUpBenchmark extends Piece {
  @Param({"1", "20", "1000"})
  public int epochs;

  private LeaderEpochs history;
  private int latest;
  private int older;
  private long endOffset;

  @Setup
  public void fill() {
    history =
        LeaderEpochs.of(IntStream.range(0, epochs).mapToObj(i -> new Entry(i, 10L * i)).toList());
    latest = epochs - 1;
    older = epochs / 2;
    endOffset = 10L * epochs;
  }

  @Benchmark
  public EpochEnd latest() {
    return history.endOffsetFor(latest, endOffset);
  }

  @Benchmark
  public EpochEnd older() {
    return history.endOffsetFor(older, endOffset);
  }
}
