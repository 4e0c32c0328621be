package io.tidemark.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.tidemark.client.ConsumerSettings.OffsetReset;
import io.tidemark.serialization.Deserializer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConsumerSettingsTest {
  private static ConsumerSettings<String, String> settings(String changes) {
    Config config =
        ConfigFactory.parseString(changes)
            .withFallback(ConfigFactory.load().getConfig("tidemark.consumer"));
    return ConsumerSettings.create(null, config, Deserializer.string(), Deserializer.string());
  }

  private static List<Object> all(ConsumerSettings<?, ?> settings) {
    return List.of(
        settings.groupId(),
        settings.rack(),
        settings.offsetReset(),
        settings.prefetch(),
        settings.bufferMemory(),
        settings.heartbeatIntervalMs(),
        settings.sessionTimeoutMs(),
        settings.drainTimeoutMs(),
        settings.commitTimeoutMs());
  }

  @Test
  void the_defaults_are_those_of_the_configuration() {
    assertEquals(
        List.of("", "", OffsetReset.EARLIEST, 2, 64L << 20, 1_000, 10_000, 5_000, 60_000),
        all(settings("")));
  }

  @Test
  void each_method_changes_what_it_names() {
    ConsumerSettings<String, String> changed =
        settings("")
            .withGroupId("billing")
            .withRack("a")
            .withOffsetReset(OffsetReset.FAIL)
            .withPrefetch(7)
            .withBufferMemory(5L << 30)
            .withSessionTimeout(Duration.ofSeconds(20))
            .withHeartbeatInterval(Duration.ofSeconds(9))
            .withDrainTimeout(Duration.ofSeconds(3))
            .withCommitTimeout(Duration.ofSeconds(4));

    assertEquals(
        List.of("billing", "a", OffsetReset.FAIL, 7, 5L << 30, 9_000, 20_000, 3_000, 4_000),
        all(changed));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "prefetch = 0                | tidemark.consumer.prefetch is 0; allowed: 1 to 1000",
        "offset-reset = newest       | tidemark.consumer.offset-reset is newest; allowed: one of"
            + " earliest, latest, fail",
        "session-timeout = 10 ms     | tidemark.consumer.session-timeout is 10 ms; allowed: 1000 ms"
            + " to 300000 ms",
        "heartbeat-interval = 6 s    | tidemark.consumer.heartbeat-interval is 6000 ms; allowed: 50"
            + " ms to 5000 ms",
      })
  void what_is_not_allowed_is_told_with_what_is(String setting, String message) {
    assertEquals(
        message,
        assertThrows(IllegalArgumentException.class, () -> settings(setting)).getMessage());
  }

  @Test
  void null_is_told_with_the_name_of_what_it_was_given_for() {
    Map<String, UnaryOperator<ConsumerSettings<String, String>>> setters =
        Map.of(
            "group-id", it -> it.withGroupId(null),
            "rack", it -> it.withRack(null),
            "offset-reset", it -> it.withOffsetReset(null),
            "session-timeout", it -> it.withSessionTimeout(null),
            "heartbeat-interval", it -> it.withHeartbeatInterval(null),
            "drain-timeout", it -> it.withDrainTimeout(null),
            "commit-timeout", it -> it.withCommitTimeout(null),
            "listener", it -> it.withListener(null));

    setters.forEach(
        (name, setter) ->
            assertEquals(
                name,
                assertThrows(NullPointerException.class, () -> setter.apply(settings("")))
                    .getMessage()));
  }
}
