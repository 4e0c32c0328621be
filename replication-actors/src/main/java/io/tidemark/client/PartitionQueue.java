package io.tidemark.client;

import io.tidemark.client.ProducerEffect.Failed;
import io.tidemark.client.ProducerEffect.ForgetReplica;
import io.tidemark.client.ProducerEffect.SendBatch;
import io.tidemark.client.ProducerEffect.Succeeded;
import io.tidemark.client.ProducerEffect.Token;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.ProduceRequest;
import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.protocol.ProduceResponse;
import io.tidemark.record.RecordBatchBuilder;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * One partition's batches on their way: gathered, then in flight in the order of their sequences,
 * until each is acknowledged or given up.
 *
 * <p>Invariants: from the oldest that is not acknowledged on, at most {@link #MAX_IN_FLIGHT} have
 * left, so the leader still knows each that is sent again; a retry sends all of them in order, so
 * it never sees a gap that stays; the first in flight is not known to be written. The first of an
 * identity travels alone. After one is given up, nothing new leaves until all in flight are
 * settled, and then under a fresh producer id (KIP-360).
 */
final class PartitionQueue {
  static final int MAX_IN_FLIGHT = 5;

  /** How many times the batch size records may gather to that could not leave anyway. */
  private static final int CROWDED = 4;

  /** No batch is gathered beyond it; the batch size is at most this, too. */
  private static final int MAX_GATHERED_BYTES = 1 << 20;

  /** Only with acks=all are there no duplicates; with others a sequence would be a trap. */
  private final boolean idempotent;

  private final int maxInFlight;

  private final int partition;
  private final ProducerCoreSettings settings;
  private final LongSupplier requestIds;
  private final Deque<OutgoingBatch> waiting = new ArrayDeque<>();
  private final Deque<OutgoingBatch> inFlight = new ArrayDeque<>();
  private final Map<Long, OutgoingBatch> byRequest = new HashMap<>();
  private long producerId = -1;
  private int nextSequence;
  private boolean identityLost;

  /** What the last batch took, before compression: the next one may be about as large. */
  private int lastBytes = 1_024;

  /**
   * Whether the leader is known to know this identity. To a leader that does not, any sequence is
   * the first: one that overtook the real first would shut it out for ever.
   */
  private boolean introduced;

  private long retryAt;
  private boolean resend;
  private int leaderId = -1;
  private int leaderEpoch = -1;

  PartitionQueue(int partition, ProducerCoreSettings settings, LongSupplier requestIds) {
    this.partition = partition;
    this.settings = settings;
    this.requestIds = requestIds;
    this.idempotent = settings.acks() == Acks.ALL;
    // Without sequences a second batch would overtake one that is sent again.
    this.maxInFlight = settings.acks() == Acks.LEADER ? 1 : MAX_IN_FLIGHT;
  }

  /**
   * Adds a record to the youngest batch, or to a new one.
   *
   * @param maxBatchBytes the largest batch that the topic takes
   * @param mayBegin whether a new batch may be begun for it
   * @return false when it was not added, since that would have begun a batch
   */
  boolean add(
      Token token,
      ProducerRecord<ByteBuffer, ByteBuffer> record,
      int maxBatchBytes,
      boolean mayBegin,
      long now) {
    OutgoingBatch last = waiting.peekLast();
    boolean fits =
        last != null
            && last.builder.estimatedBytesWith(record.key(), record.value(), record.headers())
                <= Math.min(gatheredBytes(), maxBatchBytes);
    if (!fits && !mayBegin) {
      return false;
    }
    if (!fits) {
      int room = Math.min(gatheredBytes(), lastBytes + lastBytes / 8);
      last = new OutgoingBatch(new RecordBatchBuilder(settings.compression(), room), now);
      waiting.add(last);
    }
    last.builder.append(record.timestamp(), record.key(), record.value(), record.headers());
    last.tokens.add(token);
    return true;
  }

  /**
   * While as many batches are under way as may be, the others wait in any case: in fewer and larger
   * ones they cost all nodes less.
   */
  private int gatheredBytes() {
    int usual = settings.batchBytes();
    return inFlight.size() < maxInFlight
        ? usual
        : Math.max(usual, Math.min(CROWDED * usual, MAX_GATHERED_BYTES));
  }

  boolean hasLeader() {
    return leaderId >= 0;
  }

  boolean isIdle() {
    return waiting.isEmpty() && inFlight.isEmpty();
  }

  boolean needsProducerId() {
    return idempotent && producerId < 0 && !waiting.isEmpty() && inFlight.isEmpty();
  }

  void producerIdGiven(long id) {
    producerId = id;
    nextSequence = 0;
    identityLost = false;
    introduced = false;
  }

  /** The topic was created anew: its leader epochs begin anew too. */
  void topicIsNew() {
    leaderId = -1;
    leaderEpoch = -1;
    introduced = false;
  }

  /** A new leader epoch: what the old leader has not answered goes to the new one at once. */
  void leaderIs(int leader, int epoch, long now) {
    if (epoch < leaderEpoch || (epoch == leaderEpoch && leader == leaderId)) {
      return;
    }
    leaderId = leader;
    leaderEpoch = epoch;
    resend = !inFlight.isEmpty() && settings.acks() != Acks.NONE;
    retryAt = now;
  }

  /** Sends what is due. */
  void send(PartitionId id, boolean flushing, long now, List<ProducerEffect> out) {
    if (leaderId < 0 || now < retryAt) {
      return;
    }
    if (resend) {
      resend = false;
      inFlight.stream().filter(b -> !b.isWritten()).forEach(b -> transmit(b, id, now, out));
    }
    while (!waiting.isEmpty()
        && inFlight.size() < (idempotent && !introduced ? 1 : maxInFlight)
        && hasIdentity()
        && isDue(waiting.peek(), flushing, now)) {
      OutgoingBatch batch = waiting.poll();
      if (idempotent) {
        batch.builder.producer(producerId, (short) 0, nextSequence);
      }
      lastBytes = batch.builder.estimatedBytes();
      batch.bytes = batch.builder.build(0, -1);
      batch.builder = null;
      nextSequence = (int) ((nextSequence + (long) batch.count()) & Integer.MAX_VALUE);
      transmit(batch, id, now, out);
      inFlight.add(batch);
    }
  }

  private boolean hasIdentity() {
    return !idempotent || (producerId >= 0 && !identityLost);
  }

  private boolean isDue(OutgoingBatch batch, boolean flushing, long now) {
    boolean isFull = waiting.size() > 1 || batch.builder.estimatedBytes() >= settings.batchBytes();
    boolean hasWaited = flushing || now - batch.createdAt >= settings.linger().toNanos();
    // One that is not full gets more records while another is under way. What a busy cluster is
    // spared of small batches makes all of them quicker.
    return isFull || (hasWaited && inFlight.isEmpty());
  }

  private void transmit(OutgoingBatch batch, PartitionId id, long now, List<ProducerEffect> out) {
    batch.latestRequestId = requestIds.getAsLong();
    batch.sentAt = now;
    batch.sentTo = leaderId;
    batch.attempts++;
    byRequest.put(batch.latestRequestId, batch);
    out.add(
        new SendBatch(
            batch.latestRequestId, leaderId, new ProduceRequest(id, settings.acks(), batch.bytes)));
  }

  /**
   * An answer to any attempt settles a batch that it says is written; a failure counts only for the
   * last attempt.
   *
   * @return whether the leader should be looked up
   */
  boolean answered(long requestId, ProduceResponse response, long now, List<ProducerEffect> out) {
    OutgoingBatch batch = byRequest.get(requestId);
    if (batch == null) {
      return false;
    }
    if (settings.acks() == Acks.NONE) {
      letGo(batch, out);
      return response.error() != ErrorCode.NONE;
    }
    if (response.error() == ErrorCode.NONE) {
      batch.offset = response.baseOffset();
      introduced = true;
      forget(batch);
      if (batch != inFlight.peek() && !resend) {
        // The leader answers in order: an answer to one of the older batches was lost.
        resendAfterPause(now);
      }
      acknowledge(out);
      return false;
    }
    if (requestId != batch.latestRequestId) {
      return false;
    }
    boolean behindUnsettled =
        response.error() == ErrorCode.OUT_OF_ORDER_SEQUENCE && batch != inFlight.peek();
    if (response.error().isRetriable() || behindUnsettled) {
      resendAfterPause(now);
    } else {
      fail(batch, response.error(), batch.attempts > 1, response.message(), out);
    }
    return true;
  }

  private void resendAfterPause(long now) {
    resend = true;
    retryAt = Math.max(retryAt, now + settings.retryBackoff().toNanos());
  }

  /** In the order of their sequences, whatever the order of the answers. */
  private void acknowledge(List<ProducerEffect> out) {
    while (!inFlight.isEmpty() && inFlight.peek().isWritten()) {
      OutgoingBatch batch = inFlight.poll();
      long offset = batch.offset;
      for (Token token : batch.tokens) {
        out.add(new Succeeded(token, partition, offset++));
      }
    }
    dropIdentity();
  }

  /** Without acks a batch counts as written whatever became of it: the leader was told of it. */
  private void letGo(OutgoingBatch batch, List<ProducerEffect> out) {
    forget(batch);
    inFlight.remove(batch);
    batch.tokens.forEach(token -> out.add(new Succeeded(token, partition, -1)));
  }

  private void forget(OutgoingBatch batch) {
    byRequest.values().removeIf(sent -> sent == batch);
  }

  private void fail(
      OutgoingBatch batch,
      ErrorCode error,
      boolean mayBeWritten,
      String reason,
      List<ProducerEffect> out) {
    forget(batch);
    inFlight.remove(batch);
    for (Token token : batch.tokens) {
      out.add(new Failed(token, error, partition, mayBeWritten, reason));
    }
    identityLost = true;
    acknowledge(out);
  }

  /** The sequence has a hole now; only a new identity can go on behind it. */
  private void dropIdentity() {
    if (identityLost && inFlight.isEmpty()) {
      producerId = -1;
    }
  }

  /** Gives up what is too old, and sends again what was not answered. */
  void timePassed(long now, List<ProducerEffect> out) {
    long oldest = now - settings.deliveryTimeout().toNanos();
    while (!inFlight.isEmpty() && inFlight.peek().createdAt <= oldest) {
      fail(inFlight.peek(), ErrorCode.REQUEST_TIMED_OUT, true, timedOut(), out);
    }
    giveUpWaiting(oldest, timedOut(), out);
    boolean lost = false;
    for (Iterator<OutgoingBatch> all = inFlight.iterator(); all.hasNext() && !lost; ) {
      OutgoingBatch batch = all.next();
      if (!resend
          && !batch.isWritten()
          && now - batch.sentAt >= settings.requestTimeout().toNanos()) {
        lost = true;
        out.add(new ForgetReplica(partition, batch.sentTo));
      }
    }
    if (settings.acks() == Acks.NONE) {
      letUnansweredGo(now, out);
    } else {
      resend |= lost;
    }
    dropIdentity();
  }

  private void letUnansweredGo(long now, List<ProducerEffect> out) {
    long unanswered = now - settings.requestTimeout().toNanos();
    inFlight.stream()
        .filter(batch -> batch.sentAt <= unanswered)
        .toList()
        .forEach(batch -> letGo(batch, out));
  }

  /** Nobody waits for an answer any more. */
  void giveUp(String reason, List<ProducerEffect> out) {
    while (!inFlight.isEmpty()) {
      fail(inFlight.peek(), ErrorCode.REQUEST_TIMED_OUT, true, reason, out);
    }
    giveUpWaiting(Long.MAX_VALUE, reason, out);
  }

  private void giveUpWaiting(long oldest, String reason, List<ProducerEffect> out) {
    while (!waiting.isEmpty() && waiting.peek().createdAt <= oldest) {
      for (Token token : waiting.poll().tokens) {
        out.add(new Failed(token, ErrorCode.REQUEST_TIMED_OUT, partition, false, reason));
      }
    }
  }

  private String timedOut() {
    return "no acknowledgement within " + settings.deliveryTimeout();
  }
}
