package io.tidemark.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TidemarkSettingsTest {
  private static final String COMPLETE =
      """
      tidemark.broker.id = 7
      tidemark.controller.voters = ["a:1", "2@b:2", "c:3"]
      akka.remote.artery.advanced.maximum-frame-size = 2 MiB
      akka.remote.artery.advanced.maximum-large-frame-size = 2 MiB
      """;

  @Test
  void the_defaults_are_complete_but_for_the_id_and_the_voters() {
    TidemarkSettings settings = TidemarkSettings.from(config(""));

    assertEquals(7, settings.brokerId());
    assertEquals("", settings.rack());
    assertEquals(List.of("a:1", "b:2", "c:3"), settings.voters());
    assertEquals("tidemark.journal.each-commit", settings.journal());
    assertEquals(2 << 20, settings.maxMessageBytes());
    assertEquals(List.of(), settings.warnings());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "tidemark.broker.id | null | nothing | 0 to 2147483647",
        "tidemark.broker.id | -1 | -1 | 0 to 2147483647",
        "tidemark.broker.id | one | one | 0 to 2147483647",
        "tidemark.broker.id | 2147483648 | 2147483648 | 0 to 2147483647",
        "tidemark.broker.rack | [] | [] | a text",
        "tidemark.controller.voters | [] | [] | a list of host:port, one for each voter",
        "tidemark.controller.voters | null | nothing | a list of host:port, one for each voter",
        "tidemark.controller.voters | [host] | host | a list of host:port, one for each voter",
        "tidemark.controller.voters | a | a | a list of host:port, one for each voter",
        "tidemark.controller.election-timeout | 99ms | 99 ms | 100 ms to 60000 ms",
        "tidemark.controller.election-timeout | 61s | 61000 ms | 100 ms to 60000 ms",
        "tidemark.controller.fetch-timeout | 199ms | 199 ms | 200 ms to 60000 ms",
        "tidemark.controller.fetch-timeout | soon | soon | 200 ms to 60000 ms",
        "tidemark.controller.session-timeout | 499ms | 499 ms | 500 ms to 300000 ms",
        "tidemark.controller.leader-balance-interval | 10ms | 10 ms | 1000 ms to 3600000 ms",
        "tidemark.controller.snapshot-interval | 1023 | 1023 | 1024 to 1073741824 bytes",
        "tidemark.controller.session-timeout | 6m | 360000 ms | 500 ms to 300000 ms",
        "tidemark.groups.offsets-retention | 59s | 59000 ms | 60000 ms to 3153600000000 ms",
        "tidemark.replication.flush | never | never | one of each-commit, os",
        "tidemark.replication.fetch-max-bytes | 1023 | 1023 | 1024 to 1073741824 bytes",
        "tidemark.replication.fetch-wait-max | 0 | 0 ms | 1 ms to 30000 ms",
        "tidemark.replication.fetch-min-bytes | 0 | 0 | 1 to 1048576 bytes",
        "tidemark.replication.replica-lag-time-max | 999ms | 999 ms | 1000 ms to 3600000 ms",
        "tidemark.replication.pending-max | 1MiB | 1048576 | 2097152 to 1073741824 bytes",
        "tidemark.replication.throttled-rate | 2TiB | 2199023255552 | 0 to 1099511627776 bytes",
        "tidemark.replication.retention-check-interval | 0 | 0 ms | 100 ms to 86400000 ms",
        "tidemark.replication.tail-cache | 1023KiB | 1047552 | 1048576 to 68719476736 bytes",
        "tidemark.replication.tail-cache | much | much | 1048576 to 68719476736 bytes",
      })
  void a_wrong_value_is_told_with_its_path_and_what_is_allowed(
      String path, String value, String told, String allowed) {
    Config wrong = config(path + " = " + value);

    IllegalArgumentException failure =
        assertThrows(IllegalArgumentException.class, () -> TidemarkSettings.from(wrong));

    assertEquals(path + " is " + told + "; allowed: " + allowed, failure.getMessage());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "min-insync-replicas = 0",
        "unclean-leader-election = perhaps",
        "retention-time = soon",
        "retention = 1"
      })
  void a_wrong_default_for_topics_is_told_with_what_is_allowed(String setting) {
    Config wrong = config("tidemark.topic-defaults." + setting);

    IllegalArgumentException failure =
        assertThrows(IllegalArgumentException.class, () -> TidemarkSettings.from(wrong));

    assertTrue(failure.getMessage().contains(setting + "; allowed: "), failure.getMessage());
    assertTrue(failure.getMessage().startsWith("tidemark.topic-defaults: "));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "akka.remote.artery.advanced.maximum-large-frame-size = 256 KiB",
        "tidemark.replication.replica-lag-time-max = 4s",
        "tidemark.controller.voters = [\"a:1\", \"b:2\"]"
      })
  void what_is_rarely_meant_is_warned_of_by_its_path(String setting) {
    List<String> warnings = TidemarkSettings.from(config(setting)).warnings();

    assertEquals(1, warnings.size());
    assertTrue(warnings.get(0).contains(setting.substring(0, setting.indexOf(' '))));
  }

  private static Config config(String overrides) {
    return ConfigFactory.parseString(overrides)
        .withFallback(ConfigFactory.parseString(COMPLETE))
        .withFallback(ConfigFactory.load())
        .resolve();
  }

  @Test
  void a_name_that_is_no_setting_is_told_before_anything_starts() {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> Tidemark.checkSettings(config("tidemark.replication.flsh = os")));

    assertEquals(
        "tidemark.replication.flsh is no setting; is tidemark.replication.flush meant?",
        refused.getMessage());
  }
}
