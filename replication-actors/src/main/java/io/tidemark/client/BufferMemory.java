package io.tidemark.client;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory of a producer's records, of all its topics, from the moment they are sent until what
 * became of them is known. Thread-safe. Since each record reserves before it is handed on, nothing
 * is under way once this is closed and empty.
 */
final class BufferMemory {
  private record Waiter(long bytes, CompletableFuture<Boolean> granted) {}

  private final long limit;
  private final AtomicLong used = new AtomicLong();
  private final CompletableFuture<Void> empty = new CompletableFuture<>();

  /** In the order in which they came; guarded by itself. */
  private final Deque<Waiter> waiters = new ArrayDeque<>();

  private volatile boolean anyWaits;
  private volatile boolean closed;

  BufferMemory(long limit) {
    this.limit = limit;
  }

  long limit() {
    return limit;
  }

  long used() {
    return used.get();
  }

  boolean isClosed() {
    return closed;
  }

  /** False when it is full or closed. Those that wait go first. */
  boolean tryReserve(long bytes) {
    return !anyWaits && take(bytes);
  }

  private boolean take(long bytes) {
    long before;
    do {
      before = used.get();
      if (before + bytes > limit || closed) {
        return false;
      }
    } while (!used.compareAndSet(before, before + bytes));
    if (closed) {
      release(bytes);
      return false;
    }
    return true;
  }

  /**
   * Completes with true as soon as there is room, with false when this is closed.
   *
   * @param bytes no more than the limit
   */
  CompletionStage<Boolean> reserve(long bytes) {
    if (tryReserve(bytes)) {
      return CompletableFuture.completedStage(true);
    }
    Waiter waiter = new Waiter(bytes, new CompletableFuture<>());
    synchronized (waiters) {
      waiters.add(waiter);
      anyWaits = true;
    }
    // What was released, or closed, since the attempt did not see this one waiting.
    grant();
    return waiter.granted();
  }

  void release(long bytes) {
    long left = used.addAndGet(-bytes);
    if (anyWaits) {
      grant();
    }
    if (left == 0 && closed) {
      empty.complete(null);
    }
  }

  private void grant() {
    List<Runnable> answers = new ArrayList<>();
    synchronized (waiters) {
      while (!waiters.isEmpty()) {
        boolean taken = take(waiters.peek().bytes());
        if (!taken && !closed) {
          break;
        }
        CompletableFuture<Boolean> granted = waiters.poll().granted();
        answers.add(() -> granted.complete(taken));
      }
      anyWaits = !waiters.isEmpty();
    }
    answers.forEach(Runnable::run);
  }

  /** From now on nothing is reserved. Completes when all that was is released. */
  CompletionStage<Void> close() {
    closed = true;
    grant();
    if (used.get() == 0) {
      empty.complete(null);
    }
    return empty;
  }
}
