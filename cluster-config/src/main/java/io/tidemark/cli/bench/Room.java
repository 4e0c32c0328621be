package io.tidemark.cli.bench;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** How much may be on its way: producers refuse what is above their memory. */
final class Room {
  /** Of the producer's own bookkeeping for each record. */
  private static final int OVERHEAD = 100;

  private static final long LOOK_NANOS = 100_000;

  private final long limit;
  private final int recordBytes;
  private final AtomicLong onTheWay = new AtomicLong();

  Room(long bytes, int size) {
    this.recordBytes = size + OVERHEAD;
    this.limit = Math.max(1, bytes / recordBytes);
  }

  /** Takes room for a record if there is some. */
  boolean take() {
    if (onTheWay.get() >= limit) {
      return false;
    }
    onTheWay.incrementAndGet();
    return true;
  }

  /** Takes room for a record when there is some; looking again is cheaper than being woken. */
  void await() throws InterruptedException {
    while (!take()) {
      LockSupport.parkNanos(LOOK_NANOS);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }

  void give() {
    onTheWay.decrementAndGet();
  }
}
