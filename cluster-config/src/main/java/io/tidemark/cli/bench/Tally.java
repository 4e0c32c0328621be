package io.tidemark.cli.bench;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** Counts what was acknowledged and how long that took. Thread-safe. */
class Tally {
  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(10);
  private static final int DIGITS = 3;

  private final LongAdder acknowledged = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final AtomicReference<String> firstFailure = new AtomicReference<>();
  private final Recorder latencies = new Recorder(LONGEST_NANOS, DIGITS);
  private final AtomicLongArray byPartition;

  Tally(int partitions) {
    this.byPartition = new AtomicLongArray(partitions);
  }

  int partitions() {
    return byPartition.length();
  }

  /**
   * @param number the record's; records go to the partitions in turn
   * @param since nanoseconds: from when its latency counts
   */
  void acknowledged(long number, long since, long now) {
    acknowledged.increment();
    byPartition.incrementAndGet((int) (number % byPartition.length()));
    latencies.recordValue(Math.min(Math.max(0, now - since), LONGEST_NANOS));
  }

  void failed(String reason) {
    failed.increment();
    firstFailure.compareAndSet(null, reason);
  }

  long acknowledged() {
    return acknowledged.sum();
  }

  long acknowledgedOf(int partition) {
    return byPartition.get(partition);
  }

  long failed() {
    return failed.sum();
  }

  /** Null when none. */
  String firstFailure() {
    return firstFailure.get();
  }

  /** The latencies since it was asked last, in nanoseconds. */
  Histogram takeLatencies() {
    return latencies.getIntervalHistogram();
  }
}
