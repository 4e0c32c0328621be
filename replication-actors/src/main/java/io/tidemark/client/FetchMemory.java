package io.tidemark.client;

import akka.Done;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a consumer has fetched of all its partitions and not handed on yet. It bounds what a
 * consumer of hundreds of partitions asks for when it has much to read: the more it has, the less
 * it fetches of each, and while it is full, only partitions that have nothing fetch.
 *
 * <p>A partition that has nothing always fetches: otherwise a stream that stands still could hold
 * up the others for ever. So what is held may exceed the limit by one answer for each partition,
 * and an answer has at least one batch.
 */
final class FetchMemory {
  /** Less is not worth a request. */
  private static final int LEAST_BYTES = 64 << 10;

  private final long limit;
  private final AtomicLong held = new AtomicLong();
  private final AtomicInteger partitions = new AtomicInteger();

  FetchMemory(long limit) {
    this.limit = limit;
  }

  long held() {
    return held.get();
  }

  /** What belongs to a partition from now on. */
  Share open() {
    partitions.incrementAndGet();
    return new Share();
  }

  /** What was fetched of one partition. Thread-safe. */
  final class Share {
    private record Answer(long lastOffset, int bytes) {}

    /** In the order of the log; guarded by this. */
    private final Deque<Answer> waiting = new ArrayDeque<>();

    private CompletableFuture<Done> emptied = CompletableFuture.completedFuture(Done.getInstance());
    private boolean closed;

    /** The last offset of the oldest answer: what is below needs no lock. */
    private volatile long oldestEnd = Long.MAX_VALUE;

    /**
     * How much to fetch at once.
     *
     * @param most where there are few partitions
     * @param answers how many of a partition may be there at a time
     */
    int fetchBytes(int most, int answers) {
      long equal = limit / ((long) answers * Math.max(1, partitions.get()));
      return (int) Math.min(most, Math.max(LEAST_BYTES, equal));
    }

    /** When the next fetch may go out: at once, or when this partition has nothing left. */
    synchronized CompletionStage<Done> mayFetch() {
      return held.get() < limit ? CompletableFuture.completedStage(Done.getInstance()) : emptied;
    }

    synchronized void fetched(long lastOffset, int bytes) {
      if (closed) {
        return;
      }
      if (waiting.isEmpty()) {
        emptied = new CompletableFuture<>();
        oldestEnd = lastOffset;
      }
      waiting.add(new Answer(lastOffset, bytes));
      held.addAndGet(bytes);
    }

    /** All that was fetched up to this record has been handed on. */
    void handedOn(long offset) {
      if (offset >= oldestEnd) {
        release(offset);
      }
    }

    private synchronized void release(long offset) {
      while (!waiting.isEmpty() && waiting.peek().lastOffset() <= offset) {
        held.addAndGet(-waiting.remove().bytes());
      }
      oldestEnd = waiting.isEmpty() ? Long.MAX_VALUE : waiting.peek().lastOffset();
      if (waiting.isEmpty()) {
        emptied.complete(Done.getInstance());
      }
    }

    /** Nothing of the partition is handed on any more. */
    synchronized void close() {
      if (!closed) {
        closed = true;
        release(Long.MAX_VALUE);
        partitions.decrementAndGet();
      }
    }
  }
}
