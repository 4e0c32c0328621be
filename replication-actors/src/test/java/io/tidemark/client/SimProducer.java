package io.tidemark.client;

import io.tidemark.client.ProducerEffect.AskProducerId;
import io.tidemark.client.ProducerEffect.AskTopic;
import io.tidemark.client.ProducerEffect.Failed;
import io.tidemark.client.ProducerEffect.SendBatch;
import io.tidemark.client.ProducerEffect.Succeeded;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.PartitionState;
import io.tidemark.protocol.ProduceRequest;
import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.protocol.ProduceResponse;
import io.tidemark.record.Compression;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** A producer's core, for a shell outside of this package. */
public final class SimProducer {

  /** What the shell does for it. */
  public interface Shell {
    void send(long requestId, int broker, ProduceRequest request);

    void succeeded(long token, int partition, long offset);

    void failed(long token, ErrorCode error, int partition, boolean mayBeWritten);

    void askTopic();

    void askProducerId();
  }

  private final String topic;
  private final ProducerCore core;
  private final Shell shell;

  /**
   * @param batchBytes with 1, each record fills a batch, and as many are under way as may be
   */
  public SimProducer(
      String topic, Acks acks, int batchBytes, Duration deliveryTimeout, Shell shell) {
    ProducerCoreSettings settings =
        new ProducerCoreSettings(
            acks,
            batchBytes,
            Duration.ZERO,
            Compression.NONE,
            deliveryTimeout,
            Duration.ofMillis(250),
            Duration.ofMillis(40));
    this.topic = topic;
    this.core = new ProducerCore(topic, settings, 0);
    this.shell = shell;
  }

  public void send(long token, int partition, long timestamp, ByteBuffer value, long now) {
    ProducerRecord<ByteBuffer, ByteBuffer> record =
        new ProducerRecord<>(topic, partition, timestamp, null, value, List.of());
    perform(core.send(new ProducerFixture.Numbered(token), record, now));
  }

  public void answered(long requestId, ProduceResponse response, long now) {
    perform(core.answered(requestId, response, now));
  }

  public void described(UUID topic, int maxBatchBytes, List<PartitionState> partitions, long now) {
    perform(core.topicDescribed(topic, maxBatchBytes, partitions, now));
  }

  public void idGiven(long id, long now) {
    perform(core.producerIdGiven(id, now));
  }

  public void idRefused() {
    perform(core.producerIdRefused());
  }

  public void timePassed(long now) {
    perform(core.timePassed(now));
  }

  public boolean isIdle() {
    return core.isIdle();
  }

  private void perform(List<ProducerEffect> effects) {
    for (ProducerEffect effect : effects) {
      if (effect instanceof SendBatch send) {
        shell.send(send.requestId(), send.leaderId(), send.request());
      } else if (effect instanceof Succeeded success) {
        shell.succeeded(success.token().number(), success.partition(), success.offset());
      } else if (effect instanceof Failed failure) {
        shell.failed(
            failure.token().number(), failure.error(), failure.partition(), failure.mayBeWritten());
      } else if (effect instanceof AskTopic) {
        shell.askTopic();
      } else if (effect instanceof AskProducerId) {
        shell.askProducerId();
      }
    }
  }
}
