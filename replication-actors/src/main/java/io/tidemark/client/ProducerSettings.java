package io.tidemark.client;

import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.record.Compression;
import java.time.Duration;

/**
 * How a producer writes.
 *
 * @param acks when a record counts as written; {@link Acks#ALL} is the one that survives a lost
 *     node
 * @param batchBytes records are gathered up to this size, in bytes; a larger record goes alone
 * @param linger how long a record may wait for others
 * @param compression of whole batches
 * @param bufferBytes what may be waiting for its acknowledgement altogether; a record above it
 *     fails
 * @param deliveryTimeout retries go on until then
 * @param requestTimeout an answer that takes longer counts as lost
 * @param retryBackoff the pause before a retry
 */
public record ProducerSettings(
    Acks acks,
    int batchBytes,
    Duration linger,
    Compression compression,
    long bufferBytes,
    Duration deliveryTimeout,
    Duration requestTimeout,
    Duration retryBackoff) {

  public static final ProducerSettings DEFAULT =
      new ProducerSettings(
          Acks.ALL,
          64 * 1024,
          Duration.ofMillis(5),
          Compression.NONE,
          64L << 20,
          Duration.ofSeconds(120),
          Duration.ofSeconds(3),
          Duration.ofMillis(50));

  /**
   * @throws IllegalArgumentException naming the component, its value and what is allowed
   */
  public ProducerSettings {
    if (batchBytes < 1_024 || batchBytes > 1 << 20) {
      throw new IllegalArgumentException(
          "batchBytes = " + batchBytes + "; allowed: 1024 to 1048576");
    }
    if (bufferBytes < batchBytes) {
      throw new IllegalArgumentException(
          "bufferBytes = " + bufferBytes + "; allowed: from batchBytes, " + batchBytes);
    }
    if (linger.isNegative() || linger.compareTo(deliveryTimeout) > 0) {
      throw new IllegalArgumentException(
          "linger = " + linger + "; allowed: zero to deliveryTimeout, " + deliveryTimeout);
    }
  }

  public ProducerSettings withAcks(Acks newAcks) {
    return new ProducerSettings(
        newAcks,
        batchBytes,
        linger,
        compression,
        bufferBytes,
        deliveryTimeout,
        requestTimeout,
        retryBackoff);
  }

  public ProducerSettings withCompression(Compression newCompression) {
    return new ProducerSettings(
        acks,
        batchBytes,
        linger,
        newCompression,
        bufferBytes,
        deliveryTimeout,
        requestTimeout,
        retryBackoff);
  }

  public ProducerSettings withDeliveryTimeout(Duration newTimeout) {
    return new ProducerSettings(
        acks,
        batchBytes,
        linger,
        compression,
        bufferBytes,
        newTimeout,
        requestTimeout,
        retryBackoff);
  }
}
