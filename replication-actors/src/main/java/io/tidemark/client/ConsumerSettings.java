package io.tidemark.client;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import io.tidemark.group.GroupSettings;
import io.tidemark.serialization.Deserializer;
import io.tidemark.settings.SettingsReader;
import io.tidemark.wire.WireSerializer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * How a consumer reads, and from which cluster: {@code tidemark.consumer} of the actor system's
 * configuration, and what the {@code with} methods change of it. Each of them throws an {@link
 * IllegalArgumentException} that names the setting, the value and what is allowed, and for null a
 * {@link NullPointerException} that names the setting.
 */
public final class ConsumerSettings<K, V> {
  /** Where the settings are in an actor system's configuration. */
  public static final String CONFIG_PATH = "tidemark.consumer";

  private static final String PATH = CONFIG_PATH + ".";

  private static final String FRAME = "akka.remote.artery.advanced.maximum-large-frame-size";

  /** Where reading goes on when it cannot where it should. */
  public enum OffsetReset {
    EARLIEST,
    LATEST,
    /** The stream fails. */
    FAIL
  }

  private final TidemarkClient client;
  private final Deserializer<K> keys;
  private final Deserializer<V> values;
  private final Config config;
  private final Consumer<ConsumerEvent> listener;
  private final String groupId;
  private final String rack;
  private final OffsetReset offsetReset;
  private final int fetchMaxBytes;
  private final int prefetch;
  private final long bufferMemory;
  private final int heartbeatIntervalMs;
  private final int sessionTimeoutMs;
  private final int drainTimeoutMs;
  private final int commitTimeoutMs;

  private ConsumerSettings(
      TidemarkClient client,
      Deserializer<K> keys,
      Deserializer<V> values,
      Config config,
      Consumer<ConsumerEvent> listener) {
    this.client = client;
    this.keys = keys;
    this.values = values;
    this.config = config;
    this.listener = listener;
    SettingsReader read = new SettingsReader(config.atPath(CONFIG_PATH));
    this.groupId = read.text(PATH + "group-id");
    this.rack = read.text(PATH + "rack");
    this.offsetReset =
        OffsetReset.valueOf(
            read.oneOf(PATH + "offset-reset", List.of("earliest", "latest", "fail"))
                .toUpperCase(Locale.ROOT));
    this.fetchMaxBytes = (int) read.bytes(PATH + "fetch-max-bytes", 1 << 10, 1 << 30);
    this.prefetch = read.number(PATH + "prefetch", 1, 1_000);
    this.bufferMemory = read.bytes(PATH + "buffer-memory", 1 << 20, 1L << 40);
    this.sessionTimeoutMs =
        (int)
            read.millis(
                PATH + "session-timeout",
                Duration.ofMillis(GroupSettings.MIN_SESSION_TIMEOUT_MS),
                Duration.ofMillis(GroupSettings.MAX_SESSION_TIMEOUT_MS));
    this.heartbeatIntervalMs =
        (int)
            read.millis(
                PATH + "heartbeat-interval",
                Duration.ofMillis(50),
                Duration.ofMillis(sessionTimeoutMs / 2));
    this.drainTimeoutMs =
        (int) read.millis(PATH + "drain-timeout", Duration.ZERO, Duration.ofHours(1));
    this.commitTimeoutMs =
        (int) read.millis(PATH + "commit-timeout", Duration.ofSeconds(1), Duration.ofHours(1));
  }

  /** By {@code tidemark.consumer} of the client's actor system. */
  public static <K, V> ConsumerSettings<K, V> create(
      TidemarkClient client, Deserializer<K> keys, Deserializer<V> values) {
    Config config = Objects.requireNonNull(client, "client").config().getConfig(CONFIG_PATH);
    return create(client, config, keys, values);
  }

  /**
   * @param config with all that {@code tidemark.consumer} has
   */
  public static <K, V> ConsumerSettings<K, V> create(
      TidemarkClient client, Config config, Deserializer<K> keys, Deserializer<V> values) {
    Objects.requireNonNull(config, "config");
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    return new ConsumerSettings<>(client, keys, values, config, event -> {});
  }

  private ConsumerSettings<K, V> with(String name, Object value) {
    Objects.requireNonNull(value, name);
    return new ConsumerSettings<>(
        client,
        keys,
        values,
        config.withValue(name, ConfigValueFactory.fromAnyRef(value)),
        listener);
  }

  private ConsumerSettings<K, V> with(String name, Duration value) {
    return with(name, Objects.requireNonNull(value, name).toMillis() + " ms");
  }

  /** The group that it is a member of, or commits for; empty for none. */
  public ConsumerSettings<K, V> withGroupId(String id) {
    return with("group-id", id);
  }

  /**
   * Reads from an in-sync replica there, if there is one (KIP-392).
   *
   * @param newRack as in the brokers' {@code tidemark.broker.rack}, empty for the leader
   */
  public ConsumerSettings<K, V> withRack(String newRack) {
    return with("rack", newRack);
  }

  /**
   * Where a group begins that has committed nothing, and where reading goes on when the log does
   * not hold the next record any more. When an unclean leader election has replaced what was read,
   * EARLIEST and LATEST go on with the first record that is another one (KIP-320).
   */
  public ConsumerSettings<K, V> withOffsetReset(OffsetReset policy) {
    return with(
        "offset-reset",
        Objects.requireNonNull(policy, "offset-reset").name().toLowerCase(Locale.ROOT));
  }

  /** The most that one fetch of a partition asks for; 1 KiB to what a remoting frame takes. */
  public ConsumerSettings<K, V> withFetchMaxBytes(int bytes) {
    return with("fetch-max-bytes", bytes);
  }

  /** How many fetches of each partition may wait for the stream; 1 to 1000. */
  public ConsumerSettings<K, V> withPrefetch(int fetches) {
    return with("prefetch", fetches);
  }

  /**
   * What may be fetched of all partitions and not handed on yet, in bytes of batches as they are
   * stored; 1 MiB to 1 TiB. One answer of each partition may come on top.
   */
  public ConsumerSettings<K, V> withBufferMemory(long bytes) {
    return with("buffer-memory", bytes);
  }

  /** Between two signs of life; 50 ms to half of the session time-out. */
  public ConsumerSettings<K, V> withHeartbeatInterval(Duration interval) {
    return with("heartbeat-interval", interval);
  }

  /** A member that is silent for this long loses its partitions; 1 s to 5 min. */
  public ConsumerSettings<K, V> withSessionTimeout(Duration timeout) {
    return with("session-timeout", timeout);
  }

  /**
   * How long what was read of a partition may take to be committed before the partition goes to
   * another member, or the consumer ends; up to 1 h.
   */
  public ConsumerSettings<K, V> withDrainTimeout(Duration timeout) {
    return with("drain-timeout", timeout);
  }

  /** A commit is tried again for this long; 1 s to 1 h. */
  public ConsumerSettings<K, V> withCommitTimeout(Duration timeout) {
    return with("commit-timeout", timeout);
  }

  /** Is told what happens beside the records, by several threads; must not block. */
  public ConsumerSettings<K, V> withListener(Consumer<ConsumerEvent> newListener) {
    return new ConsumerSettings<>(
        client, keys, values, config, Objects.requireNonNull(newListener, "listener"));
  }

  TidemarkClient client() {
    return client;
  }

  Deserializer<K> keys() {
    return keys;
  }

  Deserializer<V> values() {
    return values;
  }

  Consumer<ConsumerEvent> listener() {
    return listener;
  }

  String groupId() {
    return groupId;
  }

  String rack() {
    return rack;
  }

  OffsetReset offsetReset() {
    return offsetReset;
  }

  /** No more than a remoting frame takes: an answer that is larger would never arrive. */
  int fetchMaxBytes() {
    long frame = new SettingsReader(client.config()).bytes(FRAME, 32 << 10, 1 << 30);
    return (int) Math.min(fetchMaxBytes, frame - WireSerializer.OVERHEAD_BYTES);
  }

  int prefetch() {
    return prefetch;
  }

  long bufferMemory() {
    return bufferMemory;
  }

  int heartbeatIntervalMs() {
    return heartbeatIntervalMs;
  }

  int sessionTimeoutMs() {
    return sessionTimeoutMs;
  }

  int drainTimeoutMs() {
    return drainTimeoutMs;
  }

  int commitTimeoutMs() {
    return commitTimeoutMs;
  }
}
