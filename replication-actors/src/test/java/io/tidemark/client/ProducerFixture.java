package io.tidemark.client;

import io.tidemark.client.ProducerEffect.SendBatch;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchResponse.CurrentLeader;
import io.tidemark.protocol.PartitionState;
import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.protocol.ProduceResponse;
import io.tidemark.record.Compression;
import io.tidemark.record.RecordBatch;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A producer's core on a topic of one partition, with the answers in the test's hands. */
final class ProducerFixture {
  record Numbered(long number) implements ProducerEffect.Token {}

  static final long MS = 1_000_000;

  /** Each record fills a batch, and so leaves at once. */
  static final int FULL_AT_ONCE = 1;

  static final ProducerCoreSettings SETTINGS = with(FULL_AT_ONCE, 0);

  final ProducerCore core;
  final List<ProducerEffect> effects = new ArrayList<>();
  long now;
  private UUID topicId = new UUID(7, 7);
  private long nextToken;

  ProducerFixture(ProducerCoreSettings settings) {
    core = new ProducerCore("topic", settings, 0);
  }

  /** On a topic that is known, with an identity. */
  static ProducerFixture ready(ProducerCoreSettings settings) {
    ProducerFixture producer = new ProducerFixture(settings);
    producer.leader(1, 1);
    producer.send("warm up");
    producer.effects.addAll(producer.core.producerIdGiven(77, producer.now));
    producer.pass(settings.linger().toMillis());
    producer.sent().forEach(batch -> producer.ok(batch, 0));
    producer.effects.clear();
    producer.nextToken = 0;
    return producer;
  }

  static ProducerCoreSettings lingering(long millis) {
    return with(64 * 1024, millis);
  }

  private static ProducerCoreSettings with(int batchBytes, long millis) {
    return new ProducerCoreSettings(
        Acks.ALL,
        batchBytes,
        Duration.ofMillis(millis),
        Compression.NONE,
        Duration.ofSeconds(120),
        Duration.ofSeconds(5),
        Duration.ofMillis(50));
  }

  void leader(int leader, int epoch) {
    leader(leader, epoch, 1 << 20);
  }

  void leader(int leader, int epoch, int maxBatchBytes) {
    List<Integer> all = List.of(1, 2);
    PartitionState state = new PartitionState(all, all, List.of(), leader, epoch, epoch, false);
    effects.addAll(core.topicDescribed(topicId, maxBatchBytes, List.of(state), now));
  }

  /** Deleted, and created again under the same name. */
  void topicIsNew() {
    topicId = new UUID(7, topicId.getLeastSignificantBits() + 1);
  }

  long send(String value) {
    long token = nextToken++;
    ProducerRecord<ByteBuffer, ByteBuffer> record =
        new ProducerRecord<>("topic", 0, null, StandardCharsets.UTF_8.encode(value));
    effects.addAll(core.send(new Numbered(token), record, now));
    return token;
  }

  /** One batch each. */
  void sendEach(int records) {
    for (int i = 0; i < records; i++) {
      send("r" + i);
    }
  }

  void pass(long millis) {
    now += millis * MS;
    effects.addAll(core.timePassed(now));
  }

  void ok(SendBatch batch, long offset) {
    CurrentLeader leader = new CurrentLeader(1, 1);
    answer(batch, new ProduceResponse(ErrorCode.NONE, offset, 0, leader, ""));
  }

  void refuse(SendBatch batch, ErrorCode error) {
    answer(batch, ProduceResponse.failed(error, 1, 1, "refused"));
  }

  private void answer(SendBatch batch, ProduceResponse response) {
    effects.addAll(core.answered(batch.requestId(), response, now));
  }

  /** The batches that left since the last look. */
  List<SendBatch> sent() {
    return take(SendBatch.class);
  }

  <T extends ProducerEffect> List<T> take(Class<T> kind) {
    List<T> found = effects.stream().filter(kind::isInstance).map(kind::cast).toList();
    effects.removeIf(kind::isInstance);
    return found;
  }

  static List<Integer> sequences(List<SendBatch> batches) {
    return batches.stream().map(b -> batchOf(b).baseSequence()).toList();
  }

  static RecordBatch batchOf(SendBatch batch) {
    return RecordBatch.at(batch.request().batches(), 0);
  }
}
