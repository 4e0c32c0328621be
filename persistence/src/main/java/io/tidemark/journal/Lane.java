package io.tidemark.journal;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A writer: one thread that takes all writes that wait and commits them as a group.
 *
 * <p>Tasks run in the order of their submission, so what is submitted after a write sees that write
 * done. A full queue holds as many further tasks, in order, for a bounded time; nobody is ever
 * blocked.
 */
final class Lane {
  private static final Logger LOG = LoggerFactory.getLogger(Lane.class);

  /**
   * Either a write (with entries) or an action that runs alone (without).
   *
   * @param done gets the write's outcome or the action's result
   */
  record Task(
      List<AtomicEntries> entries,
      long bytes,
      Callable<?> action,
      CompletableFuture<Object> done,
      long deadlineNanos) {}

  private final GroupCommit commit;
  private final QueueLimits limits;
  private final Thread thread;

  private Deque<Task> queue = new ArrayDeque<>();
  private final Deque<Task> held = new ArrayDeque<>();
  private int queuedEntries;
  private long queuedBytes;
  private boolean closed;

  /** Whether somebody is at work on the logs: the lane's thread, or a caller of commitNow. */
  private boolean busy;

  /** A lane with a running thread. */
  Lane(String name, GroupCommit commit, QueueLimits limits) {
    this.commit = commit;
    this.limits = limits;
    this.thread = new Thread(this::run, name);
    thread.setDaemon(true);
    thread.start();
  }

  /** Completes when all entries are acknowledged; fails when one of them is not. */
  CompletionStage<Object> write(List<AtomicEntries> entries) {
    long bytes = 0;
    for (AtomicEntries entry : entries) {
      bytes += entry.size();
    }
    return submit(entries, bytes, null);
  }

  /**
   * Commits on the caller's thread, when nobody else is at work and nothing of it can block.
   *
   * @param committed run after that, before anybody else is at work
   * @return false when nothing was done
   * @throws IOException as for {@link SegmentLog#append}
   */
  boolean commitNow(List<AtomicEntries> entries, Runnable committed) throws IOException {
    synchronized (this) {
      if (busy || closed || !queue.isEmpty() || !commit.isQuick(entries)) {
        return false;
      }
      busy = true;
    }
    try {
      commit.now(entries);
      committed.run();
      return true;
    } finally {
      synchronized (this) {
        busy = false;
        if (!queue.isEmpty() || closed) {
          notifyAll();
        }
      }
    }
  }

  /**
   * Opens the id's log unless it is open and well.
   *
   * @return the highest sequence number, 0 when there never was an entry
   */
  CompletionStage<Long> recover(String persistenceId) {
    return run(() -> commit.recover(persistenceId));
  }

  /** Runs the action on the lane's thread after all that was submitted before. */
  <T> CompletionStage<T> run(Callable<T> action) {
    @SuppressWarnings("unchecked")
    CompletionStage<T> done = (CompletionStage<T>) submit(List.of(), 0, action);
    return done;
  }

  private synchronized CompletionStage<Object> submit(
      List<AtomicEntries> entries, long bytes, Callable<?> action) {
    Task task =
        new Task(
            entries,
            bytes,
            action,
            new CompletableFuture<>(),
            System.nanoTime() + limits.maxWait().toNanos());
    if (closed) {
      abandon(task, "the storage is closed");
    } else if (held.isEmpty() && fits(task)) {
      enqueue(task);
    } else if (held.size() < limits.entries()) {
      held.add(task);
    } else {
      abandon(task, "too many writes wait already (tidemark.storage.queue)");
    }
    return task.done;
  }

  private boolean fits(Task task) {
    return queue.isEmpty()
        || queuedEntries + task.entries.size() <= limits.entries()
            && queuedBytes + task.bytes <= limits.bytes();
  }

  private void enqueue(Task task) {
    queue.add(task);
    queuedEntries += task.entries.size();
    queuedBytes += task.bytes;
    notifyAll();
  }

  /** Fails what was held for too long; called now and then, also while the disk hangs. */
  void expireHeld(long nowNanos) {
    List<Task> expired = new ArrayList<>();
    synchronized (this) {
      while (!held.isEmpty() && held.peek().deadlineNanos - nowNanos <= 0) {
        expired.add(held.poll());
      }
    }
    for (Task task : expired) {
      abandon(
          task,
          "the journal's queue was full for "
              + limits.maxWait().toMillis()
              + " ms (tidemark.storage.queue); the disk does not keep up");
    }
  }

  private void abandon(Task task, String why) {
    commit.recycle(task);
    task.done.completeExceptionally(new WriteRefusedException("Not written: " + why));
  }

  private void run() {
    for (Deque<Task> group = take(); !group.isEmpty(); group = take()) {
      while (!group.isEmpty()) {
        List<Task> writes = new ArrayList<>();
        while (!group.isEmpty() && group.peek().action == null) {
          writes.add(group.poll());
        }
        if (!writes.isEmpty()) {
          commit(writes);
        }
        if (!group.isEmpty()) {
          act(group.poll());
        }
      }
    }
  }

  /** Whatever happens, the lane goes on, and nobody waits for ever. */
  private void commit(List<Task> writes) {
    try {
      commit.commit(writes);
    } catch (RuntimeException | Error e) {
      LOG.error("A group of {} writes failed in an unknown state", writes.size(), e);
      writes.forEach(it -> it.done.completeExceptionally(e));
    }
  }

  /** All that waits, at least one task; empty when the lane is closed and all is done. */
  private synchronized Deque<Task> take() {
    busy = false;
    while (queue.isEmpty() && !closed || busy) {
      try {
        wait();
      } catch (InterruptedException e) {
        LOG.debug("Lane {} goes on until it is closed", thread.getName());
      }
    }
    busy = true;
    Deque<Task> group = queue;
    queue = new ArrayDeque<>();
    queuedEntries = 0;
    queuedBytes = 0;
    while (!held.isEmpty() && fits(held.peek())) {
      enqueue(held.poll());
    }
    return group;
  }

  private static void act(Task task) {
    try {
      task.done.complete(task.action.call());
    } catch (Exception | Error e) {
      task.done.completeExceptionally(e);
    }
  }

  /** Finishes what was accepted, refuses what comes later, and ends the thread. */
  void close() throws InterruptedException {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    thread.join();
  }
}
