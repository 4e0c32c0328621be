package io.tidemark.quorum;

import io.tidemark.log.LogEvent.SnapshotTaken;
import io.tidemark.log.LogSnapshot;
import io.tidemark.log.LogState;
import io.tidemark.replica.LogWriter;

/** When a member's own snapshot of its log is due, and what it lets go of (KIP-630). */
final class Snapshots {
  private final long intervalBytes;
  private final Roles roles;

  /** A snapshot is due when the log has had so many bytes; −1 before the log was recovered. */
  private long dueBytes = -1;

  Snapshots(long intervalBytes, Roles roles) {
    this.intervalBytes = intervalBytes;
    this.roles = roles;
  }

  /** Called when the log has been recovered, and after every change of it. */
  void askWhenDue(Step step) {
    LogWriter writer = roles.promises.writer();
    LogState log = writer.log();
    if (dueBytes < 0) {
      dueBytes = log.deadBytes() + intervalBytes;
    } else if (log.bytes() >= dueBytes && !writer.isBusy()) {
      dueBytes = log.bytes() + intervalBytes;
      step.add(new QuorumEffect.TakeSnapshot());
    }
  }

  /**
   * What is committed may be kept as a snapshot. Records since the one before stay, so that members
   * that are a little behind need no snapshot. One that comes at a bad moment is dropped: the next
   * one stands for more.
   */
  void made(QuorumInput.SnapshotMade made, Step step) {
    LogWriter writer = roles.promises.writer();
    LogState log = writer.log();
    long end = made.endOffset();
    boolean isNews = end > log.snapshot().endOffset() && end > log.startOffset();
    if (!isNews || end > roles.highWatermark() || end > log.endOffset() || writer.isBusy()) {
      return;
    }
    LogSnapshot snapshot =
        new LogSnapshot(
            end,
            log.epochs().epochAt(end - 1),
            log.quorum().voterSets().below(end),
            made.content());
    long start = Math.max(log.startOffset(), log.snapshot().endOffset());
    step.replicate(out -> writer.write(new SnapshotTaken(snapshot, start), out));
  }
}
