package io.tidemark.settings;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingNamesTest {
  private static Config config(String changes) {
    return ConfigFactory.parseString(changes).withFallback(ConfigFactory.load()).resolve();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "tidemark.storage.directry | tidemark.storage.directory",
        "tidemark.storag.max-open-files | tidemark.storage.max-open-files",
        "tidemark.broker.idd | tidemark.broker.id",
        "tidemark.journal.os.flush-polici | tidemark.journal.os.flush-policy"
      })
  void a_slip_is_told_with_what_was_meant(String slip, String meant) {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class, () -> SettingNames.check(config(slip + " = 1")));

    assertEquals(slip + " is no setting; is " + meant + " meant?", refused.getMessage());
  }

  @Test
  void every_unknown_name_is_told() {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> SettingNames.check(config("tidemark { one.thing = 1, another.thing = 2 }")));

    assertEquals(
        "tidemark.another.thing is no setting; tidemark.one.thing is no setting",
        refused.getMessage());
  }

  @Test
  void a_slip_in_a_plugin_with_a_quoted_name_is_told() {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> SettingNames.check(config("tidemark.journal.\"my.own\".lane = 1")));

    assertEquals("tidemark.journal.\"my.own\".lane is no setting", refused.getMessage());
  }

  @Test
  void names_are_known_on_a_thread_whose_class_loader_knows_nothing() {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    Config config = config("");
    try {
      for (ClassLoader other : new ClassLoader[] {ClassLoader.getPlatformClassLoader(), null}) {
        thread.setContextClassLoader(other);
        assertDoesNotThrow(() -> SettingNames.check(config));
      }
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "tidemark.broker.id = 1, tidemark.controller.voters = [a]",
        "tidemark.journal.os.replay-filter.mode = off",
        "tidemark.journal.os.event-adapters.mine = c",
        "tidemark.journal.os.event-adapter-bindings { \"a.B\" = mine }",
        "tidemark.journal.mine = ${tidemark.journal-plugin} { flush-policy = os, lanes = 1 }",
        "tidemark.snapshot-store.circuit-breaker.max-failures = 7",
        "tidemark.controller.voters { 0 = \"a:1\", 1 = \"b:1\" }",
        "tidemark.journal.\"my.own\" { flush-policy = os, replay-filter.mode = off }",
        "elsewhere.tidemark.x = 1"
      })
  void names_that_are_known_or_free_pass(String settings) {
    assertDoesNotThrow(() -> SettingNames.check(config(settings)));
  }
}
