package io.tidemark.replica;

import io.tidemark.log.LogEvent;
import io.tidemark.log.LogState;
import java.util.ArrayDeque;
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

  public LogWriter(LogState recovered) {
    this.log = recovered;
  }

  /** What is durable. */
  public LogState log() {
    return log;
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
