package io.tidemark.replica;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The reads of a node's logs, a few at a time and in order: who is behind by more than the memory
 * holds does not take the processors from those who keep up. Each asker waits for its answer before
 * it asks again, so there are never many.
 */
public final class DiskReads implements Executor {
  private final Executor blocking;
  private final int atOnce;
  private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger running = new AtomicInteger();

  /**
   * @param blocking has threads that may block
   * @param atOnce how many of them are used, from 1
   */
  public DiskReads(Executor blocking, int atOnce) {
    this.blocking = blocking;
    this.atOnce = atOnce;
  }

  @Override
  public void execute(Runnable read) {
    waiting.add(read);
    start();
  }

  private void start() {
    while (!waiting.isEmpty()) {
      int now = running.get();
      if (now >= atOnce) {
        return;
      }
      if (running.compareAndSet(now, now + 1)) {
        blocking.execute(this::work);
        return;
      }
    }
  }

  private void work() {
    try {
      for (Runnable read = waiting.poll(); read != null; read = waiting.poll()) {
        read.run();
      }
    } finally {
      running.decrementAndGet();
      // What came between the last look and the decrement found all places taken.
      start();
    }
  }
}
