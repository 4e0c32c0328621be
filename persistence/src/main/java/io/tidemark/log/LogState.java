package io.tidemark.log;

import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogEvent.HighWatermarkCheckpointed;
import io.tidemark.log.LogEvent.LeaderEpochStarted;
import io.tidemark.log.LogEvent.LogRestarted;
import io.tidemark.log.LogEvent.LogStartAdvanced;
import io.tidemark.log.LogEvent.LogTruncated;
import io.tidemark.log.LogEvent.QuorumVote;
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
    QuorumVote vote,
    List<Voter> voters,
    Layout layout) {

  /** Where in the journal the batches are. */
  record Layout(OffsetIndex index, Cuts cuts, long bytesAtLastPoint) {
    static final Layout EMPTY = new Layout(OffsetIndex.EMPTY, Cuts.NONE, 0);
  }

  /** One index point for so many bytes of batches. */
  static final long INDEX_INTERVAL_BYTES = 1 << 20;

  public static final LogState EMPTY =
      new LogState(
          0,
          0,
          0,
          0,
          0,
          LeaderEpochs.EMPTY,
          ProducerStates.EMPTY,
          QuorumVote.NONE,
          List.of(),
          Layout.EMPTY);

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
      long start = restarted.startOffset();
      Layout emptied = new Layout(OffsetIndex.EMPTY, Cuts.NONE.add(Long.MIN_VALUE, seq), bytes);
      return new LogState(
          seq,
          start,
          start,
          start,
          bytes,
          LeaderEpochs.EMPTY,
          ProducerStates.EMPTY,
          vote,
          voters,
          emptied);
    } else if (event instanceof HighWatermarkCheckpointed checkpoint) {
      return with(seq, startOffset, endOffset, clampHw(checkpoint.highWatermark()), epochs);
    } else if (event instanceof LogStartAdvanced advanced) {
      return advanceStart(advanced, seq);
    } else if (event instanceof VoteRecorded recorded) {
      return new LogState(
          seq,
          startOffset,
          endOffset,
          highWatermark,
          bytes,
          epochs,
          producers,
          recorded.vote(),
          voters,
          layout);
    } else if (event instanceof VotersRecorded recorded) {
      return new LogState(
          seq,
          startOffset,
          endOffset,
          highWatermark,
          bytes,
          epochs,
          producers,
          vote,
          recorded.voters(),
          layout);
    }
    throw new IllegalStateException("unknown event " + event);
  }

  private LogState append(BatchesAppended event, long seq) {
    long start = startOffset;
    long end = endOffset;
    LeaderEpochs newEpochs = epochs;
    ProducerStates newProducers = producers;
    List<RecordBatch> batches = RecordBatches.list(event.batches().duplicate());
    require(!batches.isEmpty(), event);
    for (RecordBatch batch : batches) {
      boolean firstOfEmptyLog =
          start == end && batch.baseOffset() <= start && start <= batch.lastOffset();
      require(batch.baseOffset() == end || firstOfEmptyLog, event);
      newEpochs = newEpochs.assign(batch.leaderEpoch(), Math.max(start, batch.baseOffset()));
      newProducers = newProducers.append(batch, batch.baseOffset(), event.highWatermark());
      end = batch.nextOffset();
    }
    long newBytes = bytes + event.batches().remaining();
    Layout newLayout = layout;
    OffsetIndex index = layout.index();
    boolean due = newBytes - layout.bytesAtLastPoint() >= INDEX_INTERVAL_BYTES;
    // A read must find the first event behind a cut without walking through the dead ones.
    boolean behindCut = isFirstBehindCut(seq);
    if (index.size() == 0 || due || behindCut) {
      newLayout = new Layout(index.add(batches.get(0).baseOffset(), seq), layout.cuts(), newBytes);
    }
    long hw = Math.max(start, Math.min(event.highWatermark(), end));
    return new LogState(
        seq, start, end, hw, newBytes, newEpochs, newProducers, vote, voters, newLayout);
  }

  private boolean isFirstBehindCut(long seq) {
    List<Cuts.Cut> cuts = layout.cuts().list();
    if (cuts.isEmpty() || layout.index().size() == 0) {
      return false;
    }
    long lastPoint = layout.index().sequenceNr(layout.index().size() - 1);
    long lastCut = cuts.get(cuts.size() - 1).firstLiveSequenceNr();
    return lastPoint < lastCut && lastCut <= seq;
  }

  private LogState truncate(LogTruncated event, long seq) {
    long end = event.endOffset();
    require(startOffset <= end && end <= endOffset, event);
    if (end == endOffset) {
      // Only the epochs: an epoch that started and wrote nothing leaves an entry at the log's end.
      return with(seq, startOffset, end, highWatermark, epochs.truncateFromEnd(end));
    }
    Layout cut =
        new Layout(
            layout.index().truncateFromEnd(end),
            layout.cuts().add(end, seq),
            layout.bytesAtLastPoint());
    return new LogState(
        seq,
        startOffset,
        end,
        Math.min(highWatermark, end),
        bytes,
        epochs.truncateFromEnd(end),
        producers.truncateFromEnd(end),
        vote,
        voters,
        cut);
  }

  private LogState advanceStart(LogStartAdvanced event, long seq) {
    long start = event.startOffset();
    require(startOffset <= start && start <= endOffset, event);
    Layout kept =
        new Layout(
            layout.index().truncateFromStart(start),
            layout.cuts().truncateFromStart(start),
            layout.bytesAtLastPoint());
    return new LogState(
        seq,
        start,
        endOffset,
        Math.max(highWatermark, start),
        bytes,
        epochs.truncateFromStart(start),
        producers,
        vote,
        voters,
        kept);
  }

  private LogState with(long seq, long start, long end, long hw, LeaderEpochs newEpochs) {
    return new LogState(seq, start, end, hw, bytes, newEpochs, producers, vote, voters, layout);
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
