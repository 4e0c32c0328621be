package io.tidemark.log;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;

/** What can happen to a log. {@link LogState} is the fold of these. */
public sealed interface LogEvent {

  /**
   * Whole v2 record batches at the end of the log, offsets and epochs stamped. A batch and its
   * epoch entry are one event, so that no crash can come between them.
   *
   * @param batches never written to; read it through {@link ByteBuffer#duplicate()}
   * @param highWatermark what this replica knew when it wrote: a checkpoint that costs nothing
   */
  record BatchesAppended(ByteBuffer batches, long highWatermark) implements LogEvent {}

  /** This replica became leader in {@code epoch} with {@code startOffset} as its log's end. */
  record LeaderEpochStarted(int epoch, long startOffset) implements LogEvent {}

  /** Everything from {@code endOffset} on is gone. */
  record LogTruncated(long endOffset) implements LogEvent {}

  /** Everything is gone; the log starts anew, empty, at {@code startOffset}. */
  record LogRestarted(long startOffset) implements LogEvent {}

  /** The high watermark of a log that is not being appended to. */
  record HighWatermarkCheckpointed(long highWatermark) implements LogEvent {}

  /** Everything below {@code startOffset} may be deleted and is no longer served. */
  record LogStartAdvanced(long startOffset) implements LogEvent {}

  /**
   * A snapshot of a quorum's log, and the log's new start: one event, so that no record goes before
   * the snapshot that stands for it is durable.
   *
   * @param startOffset not above the snapshot's end
   */
  record SnapshotTaken(LogSnapshot snapshot, long startOffset) implements LogEvent {}

  /** Everything is gone, and the log starts anew at the end of another member's snapshot. */
  record SnapshotInstalled(LogSnapshot snapshot) implements LogEvent {}

  /** A quorum member's durable vote; see {@link QuorumVote}. */
  record VoteRecorded(QuorumVote vote) implements LogEvent {}

  /** The voters of a quorum, as agreed at its formation, or as its members told a new one. */
  record VotersRecorded(List<Voter> voters) implements LogEvent {
    public VotersRecorded {
      voters = List.copyOf(voters);
    }
  }

  /**
   * What a quorum member promised, durable before any answer (Raft §5.2, KIP-595).
   *
   * @param epoch the highest epoch this member has seen
   * @param leaderId the leader it knows for that epoch, −1 when none
   * @param votedFor whom it voted for in that epoch, −1 when for nobody
   * @param votedDirectory the directory id of whom it voted for (KIP-853), null when for nobody
   */
  record QuorumVote(int epoch, int leaderId, int votedFor, UUID votedDirectory) {
    public static final QuorumVote NONE = new QuorumVote(0, -1, -1, null);
  }

  /**
   * A voter of a quorum. The same id with another directory is another voter (KIP-853).
   *
   * @param address {@code host:port} of its actor system
   */
  record Voter(int id, UUID directoryId, String address) {}
}
