package io.tidemark.journal;

import io.tidemark.journal.Lane.Task;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Writes a group of tasks, makes them as durable as the flush policy asks, and then acknowledges
 * them. Used by its lane's thread only.
 *
 * <p>With {@code each-commit}, a group that touches one log forces that log. The small writes of a
 * larger group go into the write-ahead file too and are forced there together; writing large ones
 * twice would cost more than a force of their own.
 */
final class GroupCommit {
  /** Bytes up to which a write into the page cache is quicker than waking another thread. */
  private static final int SMALL = 16 * 1024;

  /** A disk that lets a small write into the page cache wait for so long is behind. */
  private static final long SLOW_NANOS = 20_000_000;

  /** How long the writes are left to the lane's thread then. */
  private static final long CAREFUL_NANOS = 200_000_000;

  /** Bytes of a log in a group from which on the log is forced by itself. */
  private static final int LARGE = 128 * 1024;

  private final SegmentLogs logs;
  private final WriteBuffers buffers;
  private final FlushPolicy policy;
  private final WriteAhead ahead;
  private final Consumer<SegmentLog> unforced;
  private final StorageMetrics metrics;
  private long carefulUntilNanos = System.nanoTime();

  /**
   * @param ahead null with a policy that forces nothing
   * @param unforced told of each log that has been acknowledged without being forced
   */
  GroupCommit(
      SegmentLogs logs,
      WriteBuffers buffers,
      FlushPolicy policy,
      WriteAhead ahead,
      Consumer<SegmentLog> unforced,
      StorageMetrics metrics) {
    this.logs = logs;
    this.buffers = buffers;
    this.policy = policy;
    this.ahead = ahead;
    this.unforced = unforced;
    this.metrics = metrics;
  }

  /** What the group has written to one log. */
  private static final class Written {
    final List<Placed> placed = new ArrayList<>();
    int entries;
    long bytes;
    long lastSequenceNr;
    Throwable failure;
  }

  void commit(List<Task> tasks) {
    Map<SegmentLog, Written> group = new LinkedHashMap<>();
    Map<Task, Throwable> refused = new IdentityHashMap<>();
    for (Task task : tasks) {
      append(task, group, refused);
    }
    long forceNanos = 0;
    if (policy == FlushPolicy.EACH_COMMIT) {
      long began = System.nanoTime();
      force(group);
      forceNanos = System.nanoTime() - began;
    } else {
      group.keySet().forEach(unforced);
    }
    count(group.values(), forceNanos);
    group.forEach(
        (log, written) -> {
          if (written.failure == null) {
            log.acknowledge(written.lastSequenceNr);
          }
        });
    for (Task task : tasks) {
      recycle(task);
      complete(task, group, refused);
    }
  }

  private void count(Collection<Written> group, long forceNanos) {
    int entries = 0;
    long bytes = 0;
    for (Written written : group) {
      if (written.failure == null) {
        entries += written.entries;
        bytes += written.bytes;
      }
    }
    if (entries > 0) {
      metrics.committed(entries, bytes, forceNanos);
    }
  }

  /** Whether the write is no more than a copy into memory of the kernel. */
  boolean isQuick(List<AtomicEntries> entries) {
    if (policy == FlushPolicy.EACH_COMMIT || carefulUntilNanos - System.nanoTime() > 0) {
      return false;
    }
    for (AtomicEntries each : entries) {
      if (each.size() > SMALL || !logs.log(each.persistenceId()).hasRoomFor(each.size())) {
        return false;
      }
    }
    return true;
  }

  /**
   * Commits one quick write.
   *
   * @throws IOException as for {@link SegmentLog#append}
   */
  void now(List<AtomicEntries> all) throws IOException {
    long began = System.nanoTime();
    try {
      for (AtomicEntries entries : all) {
        SegmentLog log = logs.log(entries.persistenceId());
        log.append(entries, true);
        unforced.accept(log);
        log.acknowledge(entries.lastSequenceNr());
        metrics.committed(entries.count(), entries.size(), 0);
      }
    } finally {
      all.forEach(this::recycle);
      long now = System.nanoTime();
      if (now - began > SLOW_NANOS) {
        carefulUntilNanos = now + CAREFUL_NANOS;
      }
    }
  }

  /** Once a log has failed it refuses what comes later, so each task can be tried on its own. */
  private void append(Task task, Map<SegmentLog, Written> group, Map<Task, Throwable> refused) {
    try {
      for (AtomicEntries entries : task.entries()) {
        SegmentLog log = logs.log(entries.persistenceId());
        Placed placed = log.append(entries, policy == FlushPolicy.EACH_COMMIT);
        Written written = group.computeIfAbsent(log, it -> new Written());
        written.lastSequenceNr = entries.lastSequenceNr();
        if (placed != null) {
          written.placed.add(placed);
          written.entries += entries.count();
          written.bytes += placed.bytes().remaining();
        }
      }
    } catch (IOException | RuntimeException | Error e) {
      refused.put(task, e);
    }
  }

  private void force(Map<SegmentLog, Written> group) {
    List<SegmentLog> alone = new ArrayList<>();
    List<SegmentLog> together = new ArrayList<>();
    group.forEach((log, written) -> (written.bytes < LARGE ? together : alone).add(log));
    if (together.size() > 1 && writeAhead(group, together)) {
      for (SegmentLog log : together) {
        attempt(group.get(log), () -> log.isAhead(group.get(log).lastSequenceNr));
      }
    } else {
      alone.addAll(together);
    }
    for (SegmentLog log : alone) {
      attempt(group.get(log), log::force);
    }
  }

  private boolean writeAhead(Map<SegmentLog, Written> group, List<SegmentLog> together) {
    List<Placed> all = new ArrayList<>();
    together.forEach(log -> all.addAll(group.get(log).placed));
    return ahead.write(all);
  }

  private interface Step {
    void run() throws IOException;
  }

  private static void attempt(Written written, Step step) {
    try {
      step.run();
    } catch (IOException | RuntimeException | Error e) {
      written.failure = e;
    }
  }

  private void complete(Task task, Map<SegmentLog, Written> group, Map<Task, Throwable> refused) {
    Throwable failure = refused.get(task);
    for (AtomicEntries entries : task.entries()) {
      Written written = group.get(logs.log(entries.persistenceId()));
      failure = failure == null && written != null ? written.failure : failure;
    }
    if (failure == null) {
      task.done().complete(null);
    } else {
      task.done().completeExceptionally(failure);
    }
  }

  /** The task's buffers are not needed any more. */
  void recycle(Task task) {
    task.entries().forEach(this::recycle);
  }

  private void recycle(AtomicEntries entries) {
    if (entries.bytes() != null) {
      buffers.giveBack(entries.bytes());
    }
  }

  /** Opens the id's log; one that has failed gets back what the write-ahead files hold of it. */
  long recover(String persistenceId) throws IOException {
    SegmentLog log = logs.log(persistenceId);
    if (ahead != null && log.hasFailed()) {
      Redo.one(log, ahead.needed(), logs.files());
    }
    return log.recover();
  }
}
