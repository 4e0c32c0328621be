package io.tidemark.journal;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;

/** Configurations of ActorSystems that use this plugin. */
final class TestConfig {
  private TestConfig() {}

  /** With a new directory below the build's. */
  static Config withJournal(String instance) {
    return withJournal(instance, Path.of("target", "storage", UUID.randomUUID().toString()));
  }

  static Config withJournal(String instance, Path directory) {
    return ConfigFactory.parseString(
            """
            akka.persistence.journal.plugin = "tidemark.journal.%s"
            akka.persistence.snapshot-store.plugin = "tidemark.snapshot-store"
            akka.actor.allow-java-serialization = on
            akka.actor.warn-about-java-serializer-usage = off
            akka.actor.testkit.typed.single-expect-default = 60s
            akka.loggers = ["akka.event.slf4j.Slf4jLogger"]
            akka.logging-filter = "akka.event.slf4j.Slf4jLoggingFilter"
            akka.coordinated-shutdown.run-by-jvm-shutdown-hook = off
            """
                .formatted(instance))
        .withFallback(
            ConfigFactory.parseMap(Map.of("tidemark.storage.directory", directory.toString())))
        .withFallback(ConfigFactory.load());
  }
}
