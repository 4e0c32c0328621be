package io.tidemark.replica;

import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatches;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The newest batches of one log, so that followers and readers that keep up never touch the disk.
 *
 * <p>Invariant: holds consecutive batches that end at the log's durable end.
 */
public final class TailCache {

  /** What all caches of a node may hold together, in bytes. */
  public static final class Budget {
    private final long maxBytes;
    private final AtomicLong used = new AtomicLong();

    public Budget(long maxBytes) {
      this.maxBytes = maxBytes;
    }

    private boolean isExceeded() {
      return used.get() > maxBytes;
    }
  }

  /** What one log may hold. */
  private static final int MAX_BYTES = 4 << 20;

  /** So much goes as it lies in memory: it is not copied to have what lies elsewhere behind it. */
  private static final int ENOUGH_BYTES = 128 << 10;

  private final Budget budget;

  /** By base offset: a log of small batches has thousands of them here. */
  private final NavigableMap<Long, RecordBatch> batches = new TreeMap<>();

  private long bytes;

  public TailCache(Budget budget) {
    this.budget = budget;
  }

  /** The log has grown by these. */
  public void append(ByteBuffer appended) {
    for (RecordBatch batch : RecordBatches.list(appended.duplicate())) {
      batches.put(batch.baseOffset(), batch);
      count(batch.sizeInBytes());
    }
    while (batches.size() > 1 && (bytes > MAX_BYTES || budget.isExceeded())) {
      count(-batches.pollFirstEntry().getValue().sizeInBytes());
    }
  }

  public void truncate(long endOffset) {
    while (!batches.isEmpty() && batches.lastEntry().getValue().lastOffset() >= endOffset) {
      count(-batches.pollLastEntry().getValue().sizeInBytes());
    }
  }

  public void clear() {
    count(-bytes);
    batches.clear();
  }

  private void count(long change) {
    bytes += change;
    budget.used.addAndGet(change);
  }

  /**
   * The first of the batches that hold [{@code from}, {@code limit}), at most {@code maxBytes} but
   * at least one; null when {@code from} lies before what is held.
   */
  public ByteBuffer read(long from, long limit, int maxBytes) {
    Long first = batches.floorKey(from);
    if (first == null) {
      return null;
    }
    List<RecordBatch> found = new ArrayList<>();
    RecordBatch last = null;
    int size = 0;
    for (RecordBatch batch : batches.tailMap(first, true).values()) {
      if (batch.baseOffset() >= limit || (size > 0 && size + batch.sizeInBytes() > maxBytes)) {
        break;
      }
      if (size >= ENOUGH_BYTES && !batch.isBehind(last)) {
        break;
      }
      if (batch.nextOffset() > from) {
        found.add(batch);
        size += batch.sizeInBytes();
        last = batch;
      }
    }
    return RecordBatches.join(found);
  }
}
