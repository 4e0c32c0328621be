package io.tidemark.client;

import io.tidemark.client.ProducerEffect.AskProducerId;
import io.tidemark.client.ProducerEffect.AskTopic;
import io.tidemark.client.ProducerEffect.Failed;
import io.tidemark.client.ProducerEffect.Token;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import io.tidemark.protocol.ProduceResponse;
import io.tidemark.record.RecordBatchBuilder;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.IntPredicate;

/**
 * An idempotent producer for one topic, as a pure core: batches, sequences, retries through any
 * change of leader. Records of a partition are acknowledged in order, each written once.
 */
final class ProducerCore {
  /** How often the topic is looked up while something is not answered. */
  private static final long LOOK_UP_NANOS = 200_000_000;

  /** A request's id tells its partition, so that nothing is remembered of abandoned ones. */
  private static final long REQUEST_STRIDE = 1 << 16;

  /** The topic is not known yet: it may have been created a moment ago. */
  private record Early(Token token, ProducerRecord<ByteBuffer, ByteBuffer> record, long at) {}

  private final ProducerCoreSettings settings;
  private final String topic;
  private final Partitioner partitioner;
  private final IntPredicate withLeader = this::hasLeader;
  private final List<PartitionQueue> queues = new ArrayList<>();
  private final Deque<Early> early = new ArrayDeque<>();
  private final Set<PartitionQueue> withoutId = new LinkedHashSet<>();
  private final Flushes flushes = new Flushes();
  private final RecordBatchBuilder sizer;
  private UUID topicId;
  private int maxBatchBytes;
  private long nextRequestId;
  private long lookUpAt;
  private boolean idAsked;

  /**
   * @param firstPartition see {@link Partitioner}
   */
  ProducerCore(String topic, ProducerCoreSettings settings, int firstPartition) {
    this.topic = topic;
    this.partitioner = new Partitioner(firstPartition);
    this.settings = settings;
    this.sizer = new RecordBatchBuilder(settings.compression(), 64);
  }

  List<ProducerEffect> send(Token token, ProducerRecord<ByteBuffer, ByteBuffer> record, long now) {
    List<ProducerEffect> out = new ArrayList<>();
    flushes.sent();
    if (topicId == null) {
      early.add(new Early(token, record, now));
      lookUp(now, out);
    } else {
      accept(token, record, now, out);
    }
    flushes.settle(out);
    return out;
  }

  private void accept(
      Token token,
      ProducerRecord<ByteBuffer, ByteBuffer> record,
      long now,
      List<ProducerEffect> out) {
    int partition = partitioner.choose(record, queues.size(), withLeader);
    if (partition >= queues.size()) {
      String reason = "topic '" + topic + "' has partitions 0 to " + (queues.size() - 1);
      refuse(token, partition, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, reason, out);
      return;
    }
    int bytes = sizer.estimatedBytesWith(record.key(), record.value(), record.headers());
    if (bytes > maxBatchBytes) {
      String reason =
          "it takes %d bytes; the topic's max-message-bytes and the brokers' frames allow %d"
              .formatted(bytes, maxBatchBytes);
      refuse(token, partition, ErrorCode.RECORD_TOO_LARGE, reason, out);
      return;
    }
    boolean mayBegin = !Partitioner.isFree(record);
    if (!queues.get(partition).add(token, record, maxBatchBytes, mayBegin, now)) {
      partition = partitioner.next(queues.size(), withLeader);
      queues.get(partition).add(token, record, maxBatchBytes, true, now);
    }
    pump(queues.get(partition), partition, now, out);
  }

  private boolean hasLeader(int partition) {
    return queues.get(partition).hasLeader();
  }

  private static void refuse(
      Token token, int partition, ErrorCode error, String reason, List<ProducerEffect> out) {
    out.add(new Failed(token, error, partition, false, reason));
  }

  private void pump(PartitionQueue queue, int partition, long now, List<ProducerEffect> out) {
    if (queue.needsProducerId()) {
      withoutId.add(queue);
      askId(out);
    }
    queue.send(new PartitionId(topicId, partition), flushes.isAnyWaiting(), now, out);
  }

  private void askId(List<ProducerEffect> out) {
    if (!idAsked) {
      idAsked = true;
      out.add(new AskProducerId());
    }
  }

  /** A fresh producer id, for all partitions that need one: sequences are counted for each. */
  List<ProducerEffect> producerIdGiven(long id, long now) {
    List<ProducerEffect> out = new ArrayList<>();
    idAsked = false;
    List<PartitionQueue> waiting = List.copyOf(withoutId);
    withoutId.clear();
    for (PartitionQueue queue : waiting) {
      queue.producerIdGiven(id);
      pump(queue, queues.indexOf(queue), now, out);
    }
    flushes.settle(out);
    return out;
  }

  List<ProducerEffect> producerIdRefused() {
    List<ProducerEffect> out = new ArrayList<>();
    idAsked = false;
    if (!withoutId.isEmpty()) {
      askId(out);
    }
    return out;
  }

  /**
   * @param id null when the topic is not known where it was asked for
   */
  List<ProducerEffect> topicDescribed(
      UUID id, int newMaxBatchBytes, List<PartitionState> partitions, long now) {
    List<ProducerEffect> out = new ArrayList<>();
    if (id == null || partitions.isEmpty()) {
      return out;
    }
    if (topicId != null && !topicId.equals(id)) {
      queues.forEach(PartitionQueue::topicIsNew);
    }
    topicId = id;
    maxBatchBytes = newMaxBatchBytes;
    while (queues.size() < partitions.size()) {
      int partition = queues.size();
      queues.add(
          new PartitionQueue(
              partition, settings, () -> nextRequestId++ * REQUEST_STRIDE + partition));
    }
    for (int i = 0; i < partitions.size(); i++) {
      queues.get(i).leaderIs(partitions.get(i).leader(), partitions.get(i).leaderEpoch(), now);
    }
    while (!early.isEmpty()) {
      Early waiting = early.poll();
      accept(waiting.token(), waiting.record(), now, out);
    }
    pumpAll(now, out);
    flushes.settle(out);
    return out;
  }

  List<ProducerEffect> answered(long requestId, ProduceResponse response, long now) {
    List<ProducerEffect> out = new ArrayList<>();
    int partition = (int) (requestId % REQUEST_STRIDE);
    PartitionQueue queue = queues.get(partition);
    if (queue.answered(requestId, response, now, out)) {
      lookUp(now, out);
    }
    pump(queue, partition, now, out);
    flushes.settle(out);
    return out;
  }

  List<ProducerEffect> flush(long token, long now) {
    List<ProducerEffect> out = new ArrayList<>();
    flushes.add(token);
    pumpAll(now, out);
    flushes.settle(out);
    return out;
  }

  List<ProducerEffect> timePassed(long now) {
    List<ProducerEffect> out = new ArrayList<>();
    boolean waits = !early.isEmpty();
    for (PartitionQueue queue : queues) {
      queue.timePassed(now, out);
      waits |= !queue.isIdle();
    }
    giveUpEarly(now, out);
    if (waits && now >= lookUpAt) {
      lookUp(now, out);
    }
    pumpAll(now, out);
    flushes.settle(out);
    return out;
  }

  private void giveUpEarly(long now, List<ProducerEffect> out) {
    long oldest = now - settings.deliveryTimeout().toNanos();
    while (!early.isEmpty() && early.peek().at() <= oldest) {
      String reason =
          "topic '%s' was not found within %s".formatted(topic, settings.deliveryTimeout());
      refuse(early.poll().token(), -1, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, reason, out);
    }
  }

  /** Nothing more will happen: what is not acknowledged has failed. */
  List<ProducerEffect> giveUp(String reason) {
    List<ProducerEffect> out = new ArrayList<>();
    while (!early.isEmpty()) {
      refuse(early.poll().token(), -1, ErrorCode.REQUEST_TIMED_OUT, reason, out);
    }
    queues.forEach(queue -> queue.giveUp(reason, out));
    flushes.settle(out);
    return out;
  }

  private void lookUp(long now, List<ProducerEffect> out) {
    if (now >= lookUpAt || lookUpAt - now > LOOK_UP_NANOS) {
      lookUpAt = now + LOOK_UP_NANOS;
      out.add(new AskTopic());
    }
  }

  private void pumpAll(long now, List<ProducerEffect> out) {
    for (int i = 0; i < queues.size(); i++) {
      pump(queues.get(i), i, now, out);
    }
  }

  /** Whether nothing is on its way: no time has to pass. */
  boolean isIdle() {
    if (!early.isEmpty()) {
      return false;
    }
    for (PartitionQueue queue : queues) {
      if (!queue.isIdle()) {
        return false;
      }
    }
    return true;
  }
}
