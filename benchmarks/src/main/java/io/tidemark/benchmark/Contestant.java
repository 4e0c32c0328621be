package io.tidemark.benchmark;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.nio.file.Path;
import java.util.Map;

/** A journal plugin to measure. */
enum Contestant {
  NOOP("benchmark.noop"),
  MEMORY("akka.persistence.journal.inmem"),
  LEVELDB("akka.persistence.journal.leveldb"),
  OS("tidemark.journal.os"),
  EACH_COMMIT("tidemark.journal.each-commit");

  final String plugin;

  Contestant(String plugin) {
    this.plugin = plugin;
  }

  /** An actor system's configuration that writes below the directory. */
  Config config(Path directory) {
    return ConfigFactory.parseMap(
            Map.of(
                "akka.persistence.journal.plugin", plugin,
                "akka.persistence.journal.leveldb.dir", directory.resolve("leveldb").toString(),
                "tidemark.storage.directory", directory.resolve("tidemark").toString()))
        .withFallback(
            ConfigFactory.parseString(
                """
                akka.persistence.snapshot-store.plugin = "tidemark.snapshot-store"
                akka.coordinated-shutdown.exit-jvm = off
                akka.coordinated-shutdown.run-by-jvm-shutdown-hook = off
                akka.loggers = ["akka.event.slf4j.Slf4jLogger"]
                akka.logging-filter = "akka.event.slf4j.Slf4jLoggingFilter"
                akka.loglevel = "WARNING"
                akka.log-dead-letters = off
                # As many threads as cores, for all contestants: Akka's minimum of 8 makes a small
                # machine spend its time on waking them.
                akka.actor.default-dispatcher.fork-join-executor {
                  parallelism-min = 1
                  parallelism-factor = 1.0
                }
                benchmark.noop {
                  class = "io.tidemark.benchmark.NoopJournal"
                  plugin-dispatcher = "akka.actor.default-dispatcher"
                }
                """))
        .withFallback(ConfigFactory.load());
  }
}
