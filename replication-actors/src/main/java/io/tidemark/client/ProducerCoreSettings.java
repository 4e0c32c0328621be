package io.tidemark.client;

import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.record.Compression;
import io.tidemark.settings.SettingsReader;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How a producer gathers, sends and repeats.
 *
 * @param batchBytes records are gathered up to this size, or four times as much (1 MiB at most)
 *     while they could not leave anyway; a larger record goes alone
 * @param linger how long a record may wait for others
 * @param deliveryTimeout retries go on until then
 * @param requestTimeout an answer that takes longer counts as lost
 * @param retryBackoff the pause before a retry
 */
record ProducerCoreSettings(
    Acks acks,
    int batchBytes,
    Duration linger,
    Compression compression,
    Duration deliveryTimeout,
    Duration requestTimeout,
    Duration retryBackoff) {

  static final Map<String, Acks> ACKS = Map.of("all", Acks.ALL, "1", Acks.LEADER, "0", Acks.NONE);

  static ProducerCoreSettings from(SettingsReader read, String path) {
    Duration delivery =
        millis(read, path + "delivery-timeout", Duration.ofMillis(1), Duration.ofDays(1));
    return new ProducerCoreSettings(
        ACKS.get(read.oneOf(path + "acks", List.of("all", "1", "0"))),
        (int) read.bytes(path + "batch-size", 1 << 10, 1 << 20),
        millis(read, path + "linger", Duration.ZERO, delivery),
        Compression.valueOf(
            read.oneOf(path + "compression", List.of("none", "gzip", "zstd"))
                .toUpperCase(Locale.ROOT)),
        delivery,
        millis(read, path + "request-timeout", Duration.ofMillis(10), Duration.ofMinutes(5)),
        millis(read, path + "retry-backoff", Duration.ofMillis(1), Duration.ofMinutes(1)));
  }

  private static Duration millis(SettingsReader read, String path, Duration least, Duration most) {
    return Duration.ofMillis(read.millis(path, least, most));
  }
}
