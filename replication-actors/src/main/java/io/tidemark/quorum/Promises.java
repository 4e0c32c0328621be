package io.tidemark.quorum;

import io.tidemark.log.LogEvent;
import io.tidemark.log.LogEvent.QuorumVote;
import io.tidemark.log.LogEvent.VoteRecorded;
import io.tidemark.log.LogState;
import io.tidemark.replica.LogWriter;
import java.util.function.Consumer;

/**
 * What this member has promised, and the wait until a promise is durable.
 *
 * <p>Invariants: what depends on a promise is done only when the promise is on the disk (Raft §5.2:
 * persistent state before any answer); a role begins only when no write of the one before is under
 * way.
 */
final class Promises {
  private LogWriter writer;
  private QuorumVote vote = QuorumVote.NONE;
  private Consumer<Step> continuation;

  void recovered(LogState log) {
    writer = new LogWriter(log);
    vote = log.vote();
  }

  LogWriter writer() {
    return writer;
  }

  QuorumVote vote() {
    return vote;
  }

  /** Whether something has to be durable before anything else may be heard. */
  boolean isPending() {
    return writer == null || continuation != null;
  }

  /** Goes on with {@code then} when {@code next} is durable; at once when it is so already. */
  void keep(QuorumVote next, Step step, Consumer<Step> then) {
    if (next.equals(vote)) {
      whenQuiet(step, then);
    } else {
      vote = next;
      record(new VoteRecorded(next), step, then);
    }
  }

  /** What an ended role had queued was meant for it only. */
  void dropQueued() {
    if (writer != null) {
      writer.dropQueued();
    }
  }

  /** The log is lost: nothing will be kept that is not yet. */
  void abandon() {
    continuation = null;
  }

  /** Writes the event and goes on when it is durable. */
  void record(LogEvent event, Step step, Consumer<Step> then) {
    step.replicate(out -> writer.write(event, out));
    whenQuiet(step, then);
  }

  private void whenQuiet(Step step, Consumer<Step> then) {
    if (writer.isBusy()) {
      continuation = then;
    } else {
      then.accept(step);
    }
  }

  /** Returns the event when it is the present role's, null when the role waits for it to begin. */
  LogEvent persisted(LogState log, Step step) {
    LogEvent[] written = new LogEvent[1];
    step.replicate(out -> written[0] = writer.persisted(log, out));
    if (continuation == null) {
      return written[0];
    }
    if (!writer.isBusy()) {
      Consumer<Step> then = continuation;
      continuation = null;
      then.accept(step);
    }
    return null;
  }
}
