package io.tidemark.log;

import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogEvent.HighWatermarkCheckpointed;
import io.tidemark.log.LogEvent.LeaderEpochStarted;
import io.tidemark.log.LogEvent.LogRestarted;
import io.tidemark.log.LogEvent.LogStartAdvanced;
import io.tidemark.log.LogEvent.LogTruncated;
import io.tidemark.log.LogEvent.QuorumVote;
import io.tidemark.log.LogEvent.SnapshotInstalled;
import io.tidemark.log.LogEvent.SnapshotTaken;
import io.tidemark.log.LogEvent.VoteRecorded;
import io.tidemark.log.LogEvent.Voter;
import io.tidemark.log.LogEvent.VotersRecorded;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatches;
import java.util.List;

/**
 * All that is known of a log without reading its records: the fold of its {@link LogEvent}s.
 *
 * <p>Immutable, and cheap to append to. Invariants: start ≤ high watermark ≤ end; epochs and index
 * points lie within [start, end].
 *
 * @param sequenceNr the number of events so far: the sequence number of the last one in the journal
 * @param startOffset the first offset that is served
 * @param endOffset the log end offset (LEO): the next offset to be written
 * @param highWatermark the last checkpoint of it, not the newest known
 * @param bytes how many bytes of batches were ever appended
 */
public record LogState(
    long sequenceNr,
    long startOffset,
    long endOffset,
    long highWatermark,
    long bytes,
    LeaderEpochs epochs,
    ProducerStates producers,
    QuorumPart quorum,
    Layout layout) {

  public static final LogState EMPTY =
      new LogState(
          0, 0, 0, 0, 0, LeaderEpochs.EMPTY, ProducerStates.EMPTY, QuorumPart.NONE, Layout.EMPTY);

  /** What a quorum member promised. */
  public QuorumVote vote() {
    return quorum.vote();
  }

  /** The voters of a quorum, as of this log's end; empty when none are known. */
  public List<Voter> voters() {
    return quorum.voterSets().latest();
  }

  /** The records before the log's start, in another form. */
  public LogSnapshot snapshot() {
    return quorum.snapshot();
  }

  public boolean isEmpty() {
    return startOffset == endOffset;
  }

  /**
   * The epoch of the last record, or the latest epoch of an empty log; −1 when none is known. What
   * a follower sends as lastFetchedEpoch.
   */
  public int lastEpoch() {
    return epochs.latest();
  }

  public LeaderEpochs.EpochEnd endOffsetFor(int epoch) {
    return epochs.endOffsetFor(epoch, endOffset);
  }

  /**
   * Where the log may start: what is before it is more than has to be kept, or too old. Goes in
   * steps of about a MiB, as Kafka goes in segments; the last step, to the limit, is taken when
   * everything is too old.
   *
   * @param retentionBytes how many bytes have to stay, −1 for all
   * @param oldestTimestamp records as new as this stay, ms since the epoch; {@link Long#MIN_VALUE}
   *     for all
   * @param limit not above this offset
   */
  public long startAfterRetention(long retentionBytes, long oldestTimestamp, long limit) {
    int expired = layout.expiredSpans(retentionBytes, oldestTimestamp);
    if (expired == 0) {
      return startOffset;
    }
    boolean all = expired == layout.index().size();
    long next = all ? endOffset : layout.index().point(expired).offset();
    return Math.max(startOffset, Math.min(next, limit));
  }

  /** Reads of this log need no event with a lower sequence number. */
  public long firstLiveSequenceNr() {
    return layout.index().isEmpty() ? sequenceNr + 1 : layout.index().point(0).sequenceNr();
  }

  /** Bytes of batches in events before {@link #firstLiveSequenceNr}, deleted ones too. */
  public long deadBytes() {
    return layout.firstPosition();
  }

  /**
   * @throws IllegalStateException when the event cannot follow this state: whoever wrote it broke a
   *     rule, and going on would hide a hole in the log
   */
  public LogState apply(LogEvent event) {
    long seq = sequenceNr + 1;
    if (event instanceof BatchesAppended appended) {
      return append(appended, seq);
    } else if (event instanceof LeaderEpochStarted started) {
      require(started.startOffset() == endOffset, event);
      return with(
          seq, startOffset, endOffset, highWatermark, epochs.assign(started.epoch(), endOffset));
    } else if (event instanceof LogTruncated truncated) {
      return truncate(truncated, seq);
    } else if (event instanceof LogRestarted restarted) {
      return restart(restarted.startOffset(), LeaderEpochs.EMPTY, quorum, seq);
    } else if (event instanceof SnapshotTaken taken) {
      return snapshotTaken(taken, seq);
    } else if (event instanceof SnapshotInstalled installed) {
      LogSnapshot snapshot = installed.snapshot();
      long start = snapshot.endOffset();
      QuorumPart part =
          quorum.with(VoterSets.of(snapshot.voters())).with(snapshot, snapshot.epoch());
      return restart(start, LeaderEpochs.EMPTY.assign(snapshot.epoch(), start), part, seq);
    } else if (event instanceof HighWatermarkCheckpointed checkpoint) {
      return with(seq, startOffset, endOffset, clampHw(checkpoint.highWatermark()), epochs);
    } else if (event instanceof LogStartAdvanced advanced) {
      return advanceStart(advanced, seq);
    } else if (event instanceof VoteRecorded recorded) {
      return with(seq, quorum.with(recorded.vote()));
    } else if (event instanceof VotersRecorded recorded) {
      return with(seq, quorum.with(VoterSets.of(recorded.voters())));
    }
    throw new IllegalStateException("unknown event " + event);
  }

  private LogState restart(long start, LeaderEpochs newEpochs, QuorumPart part, long seq) {
    return new LogState(
        seq,
        start,
        start,
        start,
        bytes,
        newEpochs,
        ProducerStates.EMPTY,
        part,
        layout.restart(seq));
  }

  private LogState snapshotTaken(SnapshotTaken event, long seq) {
    LogSnapshot snapshot = event.snapshot();
    long start = event.startOffset();
    boolean holds =
        startOffset <= start && start <= snapshot.endOffset() && snapshot.endOffset() <= endOffset;
    require(holds, event);
    int before = start > startOffset ? epochs.epochAt(start - 1) : quorum.startEpoch();
    return new LogState(
        seq,
        start,
        endOffset,
        Math.max(highWatermark, snapshot.endOffset()),
        bytes,
        epochs.truncateFromStart(start),
        producers,
        quorum.with(snapshot, before),
        layout.truncateFromStart(start));
  }

  private LogState append(BatchesAppended event, long seq) {
    long start = startOffset;
    long end = endOffset;
    LeaderEpochs newEpochs = epochs;
    ProducerStates newProducers = producers;
    VoterSets newVoters = quorum.voterSets();
    List<RecordBatch> batches = RecordBatches.list(event.batches().duplicate());
    require(!batches.isEmpty(), event);
    for (RecordBatch batch : batches) {
      boolean firstOfEmptyLog =
          start == end && batch.baseOffset() <= start && start <= batch.lastOffset();
      require(batch.baseOffset() == end || firstOfEmptyLog, event);
      newEpochs = newEpochs.assign(batch.leaderEpoch(), Math.max(start, batch.baseOffset()));
      newProducers = newProducers.append(batch, batch.baseOffset(), event.highWatermark());
      newVoters = newVoters.append(batch);
      end = batch.nextOffset();
    }
    int size = event.batches().remaining();
    Layout newLayout = layout.append(batches.get(0).baseOffset(), seq, size, newestOf(batches));
    long hw = Math.max(start, Math.min(event.highWatermark(), end));
    QuorumPart newQuorum = quorum.with(newVoters.committed(hw));
    return new LogState(
        seq, start, end, hw, bytes + size, newEpochs, newProducers, newQuorum, newLayout);
  }

  /** A record without a timestamp never gets old: nobody could tell how old it is. */
  private static long newestOf(List<RecordBatch> batches) {
    long newest = Long.MIN_VALUE;
    for (RecordBatch batch : batches) {
      long timestamp = batch.maxTimestamp();
      newest = Math.max(newest, timestamp < 0 ? Long.MAX_VALUE : timestamp);
    }
    return newest;
  }

  private LogState truncate(LogTruncated event, long seq) {
    long end = event.endOffset();
    require(startOffset <= end && end <= endOffset, event);
    if (end == endOffset) {
      // Only the epochs: an epoch that started and wrote nothing leaves an entry at the log's end.
      return with(seq, startOffset, end, highWatermark, epochs.truncateFromEnd(end));
    }
    return new LogState(
        seq,
        startOffset,
        end,
        Math.min(highWatermark, end),
        bytes,
        epochs.truncateFromEnd(end),
        producers.truncateFromEnd(end),
        quorum.with(quorum.voterSets().truncateFromEnd(end)),
        layout.truncateFromEnd(end, seq));
  }

  private LogState advanceStart(LogStartAdvanced event, long seq) {
    long start = event.startOffset();
    require(startOffset <= start && start <= endOffset, event);
    return new LogState(
        seq,
        start,
        endOffset,
        Math.max(highWatermark, start),
        bytes,
        epochs.truncateFromStart(start),
        producers,
        quorum,
        layout.truncateFromStart(start));
  }

  private LogState with(long seq, long start, long end, long hw, LeaderEpochs newEpochs) {
    return new LogState(seq, start, end, hw, bytes, newEpochs, producers, quorum, layout);
  }

  private LogState with(long seq, QuorumPart newQuorum) {
    return new LogState(
        seq, startOffset, endOffset, highWatermark, bytes, epochs, producers, newQuorum, layout);
  }

  private long clampHw(long hw) {
    return Math.max(startOffset, Math.min(hw, endOffset));
  }

  private void require(boolean holds, LogEvent event) {
    if (!holds) {
      throw new IllegalStateException(
          "event cannot follow: "
              + event
              + " on a log of ["
              + startOffset
              + ", "
              + endOffset
              + ")");
    }
  }
}
