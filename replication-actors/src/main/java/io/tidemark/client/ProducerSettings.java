package io.tidemark.client;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.record.Compression;
import io.tidemark.serialization.Serializer;
import io.tidemark.settings.SettingsReader;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;

/**
 * How a producer writes, and to which cluster: {@code tidemark.producer} of the actor system's
 * configuration, and what the {@code with} methods change of it. Each of them throws an {@link
 * IllegalArgumentException} that names the setting, the value and what is allowed, and for null a
 * {@link NullPointerException} that names the setting.
 */
public final class ProducerSettings<K, V> {
  /** Where the settings are in an actor system's configuration. */
  public static final String CONFIG_PATH = "tidemark.producer";

  private static final String PATH = CONFIG_PATH + ".";

  private final TidemarkClient client;
  private final Serializer<K> keys;
  private final Serializer<V> values;
  private final Config config;
  private final ProducerCoreSettings core;
  private final long bufferMemory;
  private final int parallelism;

  private ProducerSettings(
      TidemarkClient client, Serializer<K> keys, Serializer<V> values, Config config) {
    this.client = client;
    this.keys = keys;
    this.values = values;
    this.config = config;
    SettingsReader read = new SettingsReader(config.atPath(CONFIG_PATH));
    this.core = ProducerCoreSettings.from(read, PATH);
    this.bufferMemory = read.bytes(PATH + "buffer-memory", core.batchBytes(), 1L << 40);
    this.parallelism = read.number(PATH + "parallelism", 1, 1_000_000);
  }

  /** By {@code tidemark.producer} of the client's actor system. */
  public static <K, V> ProducerSettings<K, V> create(
      TidemarkClient client, Serializer<K> keys, Serializer<V> values) {
    Config config = Objects.requireNonNull(client, "client").config().getConfig(CONFIG_PATH);
    return create(client, config, keys, values);
  }

  /**
   * @param config with all that {@code tidemark.producer} has
   */
  public static <K, V> ProducerSettings<K, V> create(
      TidemarkClient client, Config config, Serializer<K> keys, Serializer<V> values) {
    Objects.requireNonNull(config, "config");
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    return new ProducerSettings<>(client, keys, values, config);
  }

  private ProducerSettings<K, V> with(String name, Object value) {
    return create(
        client, config.withValue(name, ConfigValueFactory.fromAnyRef(value)), keys, values);
  }

  private ProducerSettings<K, V> with(String name, Duration value) {
    return with(name, Objects.requireNonNull(value, name).toMillis() + " ms");
  }

  /** When a record counts as written; {@link Acks#ALL} is the one that survives a lost node. */
  public ProducerSettings<K, V> withAcks(Acks acks) {
    return with(
        "acks",
        switch (Objects.requireNonNull(acks, "acks: null; allowed: ALL, LEADER, NONE")) {
          case ALL -> "all";
          case LEADER -> "1";
          case NONE -> "0";
        });
  }

  /**
   * Records are gathered up to this size.
   *
   * @param bytes 1 KiB to 1 MiB; a larger record goes alone
   */
  public ProducerSettings<K, V> withBatchSize(int bytes) {
    return with("batch-size", bytes);
  }

  /** How long a record may wait for others: zero to the delivery time-out. */
  public ProducerSettings<K, V> withLinger(Duration linger) {
    return with("linger", linger);
  }

  /** Of whole batches. */
  public ProducerSettings<K, V> withCompression(Compression compression) {
    return with(
        "compression",
        Objects.requireNonNull(compression, "compression").name().toLowerCase(Locale.ROOT));
  }

  /**
   * What all records together may take that are not acknowledged yet.
   *
   * @param bytes at least a batch's size
   */
  public ProducerSettings<K, V> withBufferMemory(long bytes) {
    return with("buffer-memory", bytes);
  }

  /** Retries go on until then; 1 ms to 1 day. */
  public ProducerSettings<K, V> withDeliveryTimeout(Duration timeout) {
    return with("delivery-timeout", timeout);
  }

  /** An answer that takes longer counts as lost; 10 ms to 5 min. */
  public ProducerSettings<K, V> withRequestTimeout(Duration timeout) {
    return with("request-timeout", timeout);
  }

  /** The pause before a retry; 1 ms to 1 min. */
  public ProducerSettings<K, V> withRetryBackoff(Duration pause) {
    return with("retry-backoff", pause);
  }

  /** How many records of a stream may wait for their acknowledgement; 1 to 1000000. */
  public ProducerSettings<K, V> withParallelism(int records) {
    return with("parallelism", records);
  }

  TidemarkClient client() {
    return client;
  }

  Serializer<K> keys() {
    return keys;
  }

  Serializer<V> values() {
    return values;
  }

  ProducerCoreSettings core() {
    return core;
  }

  long bufferMemory() {
    return bufferMemory;
  }

  int parallelism() {
    return parallelism;
  }
}
