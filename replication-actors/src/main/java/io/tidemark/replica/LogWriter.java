package io.tidemark.replica;

import io.tidemark.log.LogEvent;
import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogState;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatches;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The one way into a replica's log: events go one at a time, and {@link #log()} moves only when the
 * log says that an event is durable.
 */
public final class LogWriter {
  private final Deque<LogEvent> queue = new ArrayDeque<>();
  private LogState log;
  private LogEvent inFlight;

  /** What the append in flight makes of the log; null until a leader asks for it. */
  private LogState ahead;

  public LogWriter(LogState recovered) {
    this.log = recovered;
  }

  /** What is durable. */
  public LogState log() {
    return log;
  }

  /**
   * What the log will be with the append in flight: for followers, who may write it at the same
   * time. It counts nowhere else, for it may still fail.
   */
  public LogState shown() {
    if (ahead == null && inFlight instanceof BatchesAppended) {
      ahead = log.apply(inFlight);
    }
    return ahead == null ? log : ahead;
  }

  /** The batches in flight, from the durable end on; for {@link #shown()}. */
  ByteBuffer inFlight(long from, int maxBytes) {
    List<RecordBatch> found = new ArrayList<>();
    int bytes = 0;
    for (RecordBatch batch : RecordBatches.list(((BatchesAppended) inFlight).batches())) {
      if (bytes > 0 && bytes + batch.sizeInBytes() > maxBytes) {
        break;
      }
      if (batch.nextOffset() > from) {
        found.add(batch);
        bytes += batch.sizeInBytes();
      }
    }
    return RecordBatches.join(found);
  }

  public boolean isBusy() {
    return inFlight != null;
  }

  /** Writes the event behind those already given. */
  public void write(LogEvent event, List<ReplicaEffect> out) {
    queue.add(event);
    next(out);
  }

  /** The event in flight is durable. Returns it; the next one goes. */
  public LogEvent persisted(LogState state, List<ReplicaEffect> out) {
    LogEvent written = inFlight;
    if (written == null) {
      throw new IllegalStateException("nothing was being written");
    }
    log = state;
    inFlight = null;
    ahead = null;
    next(out);
    return written;
  }

  /** Forgets what has not been started: it was meant by a role that has ended. */
  public void dropQueued() {
    queue.clear();
  }

  private void next(List<ReplicaEffect> out) {
    if (inFlight == null && !queue.isEmpty()) {
      inFlight = queue.poll();
      out.add(new ReplicaEffect.Persist(inFlight));
    }
  }
}
