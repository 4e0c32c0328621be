package io.tidemark.journal;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Group commit: one thread that takes all writes that wait, writes them, forces each log that it
 * wrote to, and then acknowledges them.
 *
 * <p>Tasks run in the order of their submission, so what is submitted after a write sees that write
 * done. A full queue holds further tasks, in order, for a bounded time; nobody is ever blocked.
 */
final class Lane {
  private static final Logger LOG = LoggerFactory.getLogger(Lane.class);

  /** Either a write (with entries) or an action that runs alone (without). */
  private record Task(
      List<AtomicEntries> entries,
      long bytes,
      Callable<?> action,
      CompletableFuture<Object> done,
      long deadlineNanos) {}

  private final SegmentLogs logs;
  private final WriteBuffers buffers;
  private final FlushPolicy policy;
  private final QueueLimits limits;
  private final Consumer<SegmentLog> unforced;
  private final Thread thread;

  private Deque<Task> queue = new ArrayDeque<>();
  private final Deque<Task> held = new ArrayDeque<>();
  private int queuedEntries;
  private long queuedBytes;
  private boolean closed;

  /**
   * A lane with a running thread.
   *
   * @param unforced told of each log that has been acknowledged without being forced
   */
  Lane(
      String name,
      SegmentLogs logs,
      WriteBuffers buffers,
      FlushPolicy policy,
      QueueLimits limits,
      Consumer<SegmentLog> unforced) {
    this.logs = logs;
    this.buffers = buffers;
    this.policy = policy;
    this.limits = limits;
    this.unforced = unforced;
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
    } else {
      held.add(task);
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
    task.entries.forEach(this::recycle);
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

  /** All that waits, at least one task; empty when the lane is closed and all is done. */
  private synchronized Deque<Task> take() {
    while (queue.isEmpty() && !closed) {
      try {
        wait();
      } catch (InterruptedException e) {
        LOG.debug("Lane {} goes on until it is closed", thread.getName());
      }
    }
    Deque<Task> group = queue;
    queue = new ArrayDeque<>();
    queuedEntries = 0;
    queuedBytes = 0;
    while (!held.isEmpty() && fits(held.peek())) {
      enqueue(held.poll());
    }
    return group;
  }

  private void commit(List<Task> writes) {
    List<Task> appended = new ArrayList<>();
    Map<String, Long> written = new LinkedHashMap<>();
    for (Task task : writes) {
      if (append(task, written)) {
        appended.add(task);
      }
    }
    Map<String, Throwable> failures = new HashMap<>();
    written.forEach((id, sequenceNr) -> acknowledge(id, sequenceNr, failures));
    for (Task task : appended) {
      Throwable failure = null;
      for (AtomicEntries entries : task.entries) {
        failure = failure == null ? failures.get(entries.persistenceId()) : failure;
      }
      if (failure == null) {
        task.done.complete(null);
      } else {
        task.done.completeExceptionally(failure);
      }
    }
  }

  /** Once a log has failed it refuses what comes later, so each task can be tried on its own. */
  private boolean append(Task task, Map<String, Long> written) {
    try {
      for (AtomicEntries entries : task.entries) {
        logs.log(entries.persistenceId()).append(entries);
        written.put(entries.persistenceId(), entries.lastSequenceNr());
      }
      return true;
    } catch (IOException | RuntimeException | Error e) {
      task.done.completeExceptionally(e);
      return false;
    } finally {
      task.entries.forEach(this::recycle);
    }
  }

  private void recycle(AtomicEntries entries) {
    if (entries.bytes() != null) {
      buffers.giveBack(entries.bytes());
    }
  }

  private void acknowledge(String id, long sequenceNr, Map<String, Throwable> failures) {
    SegmentLog log = logs.log(id);
    try {
      if (policy == FlushPolicy.EACH_COMMIT) {
        log.force();
      } else {
        unforced.accept(log);
      }
      log.acknowledge(sequenceNr);
    } catch (IOException | RuntimeException | Error e) {
      failures.put(id, e);
    }
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
