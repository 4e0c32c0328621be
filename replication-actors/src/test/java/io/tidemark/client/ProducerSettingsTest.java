package io.tidemark.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.record.Compression;
import io.tidemark.serialization.Serializer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProducerSettingsTest {
  private static final ProducerSettings<String, String> DEFAULT = settings("");

  private static ProducerSettings<String, String> settings(String changes) {
    Config config =
        ConfigFactory.parseString(changes)
            .withFallback(ConfigFactory.load().getConfig("tidemark.producer"));
    return ProducerSettings.create(null, config, Serializer.string(), Serializer.string());
  }

  @Test
  void the_defaults_are_those_of_the_configuration() {
    assertEquals(
        new ProducerCoreSettings(
            Acks.ALL,
            64 << 10,
            Duration.ofMillis(5),
            Compression.NONE,
            Duration.ofSeconds(120),
            Duration.ofSeconds(3),
            Duration.ofMillis(50)),
        DEFAULT.core());
    assertEquals(64 << 20, DEFAULT.bufferMemory());
    assertEquals(10_000, DEFAULT.parallelism());
  }

  @Test
  void each_method_changes_what_it_names() {
    ProducerSettings<String, String> changed =
        DEFAULT
            .withAcks(Acks.LEADER)
            .withBatchSize(2_048)
            .withLinger(Duration.ofMillis(7))
            .withCompression(Compression.ZSTD)
            .withBufferMemory(4_096)
            .withDeliveryTimeout(Duration.ofSeconds(9))
            .withRequestTimeout(Duration.ofMillis(800))
            .withRetryBackoff(Duration.ofMillis(11))
            .withParallelism(3);

    assertEquals(
        new ProducerCoreSettings(
            Acks.LEADER,
            2_048,
            Duration.ofMillis(7),
            Compression.ZSTD,
            Duration.ofSeconds(9),
            Duration.ofMillis(800),
            Duration.ofMillis(11)),
        changed.core());
    assertEquals(4_096, changed.bufferMemory());
    assertEquals(3, changed.parallelism());
    assertEquals(Acks.NONE, DEFAULT.withAcks(Acks.NONE).core().acks());
    assertThrows(NullPointerException.class, () -> DEFAULT.withAcks(null));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "acks = most | tidemark.producer.acks is most; allowed: one of all, 1, 0",
        "batch-size = 1000 | tidemark.producer.batch-size is 1000; allowed: 1024 to 1048576 bytes",
        "linger = 200 s | tidemark.producer.linger is 200000 ms; allowed: 0 ms to 120000 ms",
        "compression = lz4"
            + "| tidemark.producer.compression is lz4; allowed: one of none, gzip, zstd",
        "buffer-memory = 1 KiB"
            + "| tidemark.producer.buffer-memory is 1024; allowed: 65536 to 1099511627776 bytes",
        "delivery-timeout = soon"
            + "| tidemark.producer.delivery-timeout is soon; allowed: 1 ms to 86400000 ms",
        "request-timeout = 1 ms"
            + "| tidemark.producer.request-timeout is 1 ms; allowed: 10 ms to 300000 ms",
        "retry-backoff = 2 h"
            + "| tidemark.producer.retry-backoff is 7200000 ms; allowed: 1 ms to 60000 ms",
        "parallelism = 0 | tidemark.producer.parallelism is 0; allowed: 1 to 1000000",
        "parallelism = null | tidemark.producer.parallelism is nothing; allowed: 1 to 1000000"
      })
  void a_wrong_value_is_told_with_its_path_and_what_is_allowed(String change, String message) {
    assertEquals(
        message, assertThrows(IllegalArgumentException.class, () -> settings(change)).getMessage());
  }

  private static void assertNamed(String name, Executable call) {
    assertEquals(name, assertThrows(NullPointerException.class, call).getMessage());
  }

  @Test
  void null_is_told_with_the_name_of_what_it_was_given_for() {
    assertNamed("linger", () -> DEFAULT.withLinger(null));
    assertNamed("compression", () -> DEFAULT.withCompression(null));
    assertNamed("delivery-timeout", () -> DEFAULT.withDeliveryTimeout(null));
    assertNamed("request-timeout", () -> DEFAULT.withRequestTimeout(null));
    assertNamed("retry-backoff", () -> DEFAULT.withRetryBackoff(null));
    assertNamed("client", () -> ProducerSettings.create(null, Serializer.string(), null));
    assertNamed("config", () -> ProducerSettings.create(null, null, Serializer.string(), null));
    assertNamed("max-interval", () -> committer().withMaxInterval(null));
  }

  private static CommitterSettings committer() {
    return CommitterSettings.create(ConfigFactory.load().getConfig("tidemark.committer"));
  }
}
