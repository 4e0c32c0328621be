package io.tidemark.journal;

import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts in memory what the storage did since it was opened, and passes everything on to the
 * application's own {@link StorageMetrics}.
 */
public final class StorageCounters implements StorageMetrics {
  private static final Logger LOG = LoggerFactory.getLogger(StorageCounters.class);

  /**
   * All counts at one moment; those of a commit that happens meanwhile may be in it in part.
   *
   * @param commits group commits
   * @param entries entries in them
   * @param bytes of these entries
   * @param flush how long the forces took
   * @param recoveries how many logs were opened
   * @param recoveryNanos how long that took, added up
   * @param recoveryBytes what was read and checked for it
   * @param segments the segments of the logs that are open
   */
  public record Snapshot(
      long commits,
      long entries,
      long bytes,
      Latencies flush,
      long recoveries,
      long recoveryNanos,
      long recoveryBytes,
      long segments) {

    /** How many entries share a commit; 0 when there are none. */
    public double entriesPerCommit() {
      return commits == 0 ? 0 : (double) entries / commits;
    }
  }

  private final LongAdder commits = new LongAdder();
  private final LongAdder entries = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final LongAdder[] flushCounts = new LongAdder[Latencies.BUCKETS];
  private final LongAdder flushNanos = new LongAdder();
  private final LongAccumulator longestFlush = new LongAccumulator(Math::max, 0);
  private final LongAdder recoveries = new LongAdder();
  private final LongAdder recoveryNanos = new LongAdder();
  private final LongAdder recoveryBytes = new LongAdder();
  private final LongAdder segments = new LongAdder();
  private volatile StorageMetrics next;

  StorageCounters(StorageMetrics next) {
    this.next = next;
    for (int i = 0; i < flushCounts.length; i++) {
      flushCounts[i] = new LongAdder();
    }
  }

  @Override
  public void committed(int entries, long bytes, long forceNanos) {
    commits.increment();
    this.entries.add(entries);
    this.bytes.add(bytes);
    if (forceNanos > 0) {
      flushCounts[Latencies.bucketOf(forceNanos)].increment();
      flushNanos.add(forceNanos);
      longestFlush.accumulate(forceNanos);
    }
    passOn(() -> next.committed(entries, bytes, forceNanos));
  }

  @Override
  public void recovered(String persistenceId, long nanos, long bytesScanned) {
    recoveries.increment();
    recoveryNanos.add(nanos);
    recoveryBytes.add(bytesScanned);
    passOn(() -> next.recovered(persistenceId, nanos, bytesScanned));
  }

  @Override
  public void segments(int delta) {
    segments.add(delta);
    passOn(() -> next.segments(delta));
  }

  /** What only listens must not fail a write. */
  private void passOn(Runnable call) {
    try {
      call.run();
    } catch (RuntimeException e) {
      LOG.error("{} failed and is told nothing more", next.getClass().getName(), e);
      next = NONE;
    }
  }

  /** The counts up to now. */
  public Snapshot snapshot() {
    long[] counts = new long[flushCounts.length];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = flushCounts[i].sum();
    }
    return new Snapshot(
        commits.sum(),
        entries.sum(),
        bytes.sum(),
        new Latencies(counts, flushNanos.sum(), longestFlush.get()),
        recoveries.sum(),
        recoveryNanos.sum(),
        recoveryBytes.sum(),
        segments.sum());
  }
}
