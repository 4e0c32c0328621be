package io.tidemark.replica;

import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogState;
import io.tidemark.log.ProducerStates;
import io.tidemark.log.ProducerStates.Verdict;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchResponse.CurrentLeader;
import io.tidemark.protocol.ProduceRequest;
import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.protocol.ProduceResponse;
import io.tidemark.record.CorruptRecordException;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatches;
import io.tidemark.record.RecordTooLargeException;
import io.tidemark.replica.ReplicaEffect.AnswerProduce;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * A leader's writes: checked, gathered while the disk is busy, then stamped and written as one
 * event, and answered when as much holds as their acks ask for.
 *
 * <p>Invariant: what is checked against is the log as it will be when all that was accepted is
 * written, so that two retries under way at once cannot both be appended.
 */
final class Produces {
  private static final int MAX_WAITING = 10_000;

  private record Waiting(
      long token, Acks acks, long baseOffset, long endOffset, long deadlineNanos) {}

  private final int self;
  private final int leaderEpoch;
  private final ReplicaSettings settings;
  private final LogWriter writer;
  private final GatheredBatches gathered;
  private final Deque<Waiting> forLeader = new ArrayDeque<>();
  private final Deque<Waiting> forAll = new ArrayDeque<>();
  private ProducerStates producers;
  private long endOffset;
  private int pendingBytes;
  private int inFlightBytes;

  Produces(int self, int leaderEpoch, ReplicaSettings settings, LogWriter writer) {
    this.self = self;
    this.leaderEpoch = leaderEpoch;
    this.gathered = new GatheredBatches(leaderEpoch);
    this.settings = settings;
    this.writer = writer;
    this.producers = writer.log().producers();
    this.endOffset = writer.log().endOffset();
  }

  /** How long a write may wait for the in-sync replicas before its outcome is called unknown. */
  private static final long ACKS_TIMEOUT_NANOS = 30_000 * ReplicaSettings.NANOS_PER_MS;

  void produce(
      long token,
      ProduceRequest request,
      InSyncReplicas isr,
      long highWatermark,
      long now,
      List<ReplicaEffect> out) {
    RecordBatch batch;
    try {
      RecordBatches.validateProduced(
          request.batches().duplicate(), isr.view().topic().maxBatchBytes());
      List<RecordBatch> batches = RecordBatches.list(request.batches().duplicate());
      if (batches.size() != 1) {
        fail(token, ErrorCode.INVALID_REQUEST, batches.size() + " batches, not 1", out);
        return;
      }
      batch = batches.get(0);
    } catch (RecordTooLargeException e) {
      fail(token, ErrorCode.RECORD_TOO_LARGE, e.getMessage(), out);
      return;
    } catch (CorruptRecordException e) {
      fail(token, ErrorCode.CORRUPT_RECORD, e.getMessage(), out);
      return;
    }
    if (request.acks() == Acks.ALL && !isr.hasMinInsync()) {
      String message =
          "%d replicas in sync, min.insync.replicas asks for %d"
              .formatted(isr.size(), isr.view().effectiveMinInsync());
      fail(token, ErrorCode.NOT_ENOUGH_REPLICAS, message, out);
      return;
    }
    Verdict verdict = producers.check(batch);
    if (verdict instanceof Verdict.Duplicate duplicate) {
      waitFor(
          token,
          request,
          duplicate.baseOffset(),
          duplicate.lastOffset() + 1,
          highWatermark,
          now,
          out);
    } else if (verdict instanceof Verdict.OutOfOrder order) {
      String message =
          "sequence %d of producer %d, expected %d"
              .formatted(batch.baseSequence(), batch.producerId(), order.expected());
      fail(token, ErrorCode.OUT_OF_ORDER_SEQUENCE, message, out);
    } else if (verdict instanceof Verdict.Fenced fenced) {
      String message =
          "epoch %d of producer %d was replaced by epoch %d"
              .formatted(batch.producerEpoch(), batch.producerId(), fenced.currentEpoch());
      fail(token, ErrorCode.INVALID_PRODUCER_EPOCH, message, out);
    } else if (pendingBytes + batch.sizeInBytes() > settings.pendingMaxBytes()
        || forAll.size() + forLeader.size() >= MAX_WAITING) {
      String message =
          "the leader's disk is %d bytes and %d requests behind; nothing was written"
              .formatted(pendingBytes, forAll.size() + forLeader.size());
      fail(token, ErrorCode.REQUEST_TIMED_OUT, message, out);
    } else {
      accept(token, request, batch, highWatermark, now, out);
    }
  }

  private void accept(
      long token,
      ProduceRequest request,
      RecordBatch batch,
      long highWatermark,
      long now,
      List<ReplicaEffect> out) {
    producers = producers.append(batch, endOffset, highWatermark);
    long baseOffset = endOffset;
    endOffset += batch.lastOffsetDelta() + 1;
    gathered.add(batch.buffer(), baseOffset);
    pendingBytes += batch.sizeInBytes();
    waitFor(token, request, baseOffset, endOffset, highWatermark, now, out);
    flush(highWatermark, out);
  }

  private void waitFor(
      long token,
      ProduceRequest request,
      long baseOffset,
      long end,
      long highWatermark,
      long now,
      List<ReplicaEffect> out) {
    Waiting waiting = new Waiting(token, request.acks(), baseOffset, end, now + ACKS_TIMEOUT_NANOS);
    if (holds(waiting, highWatermark)) {
      succeed(waiting, out);
    } else if (request.acks() == Acks.LEADER) {
      forLeader.add(waiting);
    } else if (request.acks() == Acks.ALL) {
      forAll.add(waiting);
    }
  }

  private boolean holds(Waiting waiting, long highWatermark) {
    return switch (waiting.acks()) {
      case NONE -> true;
      case LEADER -> waiting.endOffset() <= writer.log().endOffset();
      case ALL -> waiting.endOffset() <= highWatermark;
    };
  }

  /** Writes what was gathered, unless the disk is busy: then it goes with what comes until then. */
  void flush(long highWatermark, List<ReplicaEffect> out) {
    if (writer.isBusy() || gathered.isEmpty()) {
      return;
    }
    ByteBuffer event = gathered.take();
    inFlightBytes = event.remaining();
    writer.write(new BatchesAppended(event, highWatermark), out);
  }

  void persisted(BatchesAppended event) {
    pendingBytes -= inFlightBytes;
    inFlightBytes = 0;
  }

  /** The log or the high watermark moved. */
  void advanced(long highWatermark, List<ReplicaEffect> out) {
    answer(forLeader, highWatermark, out);
    answer(forAll, highWatermark, out);
  }

  /** A retry waits for an older offset than the ones before it, so all are looked at. */
  private void answer(Deque<Waiting> queue, long highWatermark, List<ReplicaEffect> out) {
    for (Iterator<Waiting> all = queue.iterator(); all.hasNext(); ) {
      Waiting waiting = all.next();
      if (holds(waiting, highWatermark)) {
        all.remove();
        succeed(waiting, out);
      }
    }
  }

  private void succeed(Waiting waiting, List<ReplicaEffect> out) {
    LogState log = writer.log();
    out.add(
        new AnswerProduce(
            waiting.token(),
            new ProduceResponse(
                ErrorCode.NONE,
                waiting.baseOffset(),
                log.startOffset(),
                new CurrentLeader(self, leaderEpoch),
                "")));
  }

  void timePassed(long now, List<ReplicaEffect> out) {
    while (!forAll.isEmpty() && forAll.peek().deadlineNanos() <= now) {
      fail(
          forAll.poll().token(),
          ErrorCode.REQUEST_TIMED_OUT,
          "written, but the in-sync replicas have not all confirmed it",
          out);
    }
  }

  long nextDeadline() {
    return forAll.isEmpty() ? Long.MAX_VALUE : forAll.peek().deadlineNanos();
  }

  /** Leadership is over; what waits may or may not be in the next leader's log. */
  void end(ErrorCode error, String message, List<ReplicaEffect> out) {
    forLeader.forEach(waiting -> fail(waiting.token(), error, message, out));
    forAll.forEach(waiting -> fail(waiting.token(), error, message, out));
    forLeader.clear();
    forAll.clear();
    gathered.clear();
  }

  private void fail(long token, ErrorCode error, String message, List<ReplicaEffect> out) {
    out.add(new AnswerProduce(token, ProduceResponse.failed(error, self, leaderEpoch, message)));
  }
}
