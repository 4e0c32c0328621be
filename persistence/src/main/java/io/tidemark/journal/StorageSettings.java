package io.tidemark.journal;

import com.sun.management.UnixOperatingSystemMXBean;
import com.typesafe.config.Config;
import io.tidemark.settings.SettingsReader;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalInt;

/**
 * {@code tidemark.storage} as a record; {@code reference.conf} explains each setting.
 *
 * @param brokerId {@code tidemark.broker.id}, empty when it is not set
 * @param writeBufferBytes bytes of the pool of write buffers
 * @param writeAheadBytes bytes of each write-ahead file; a lane has two
 */
record StorageSettings(
    Path directory,
    OptionalInt brokerId,
    SegmentSizes segments,
    int openFiles,
    long writeBufferBytes,
    long writeAheadBytes,
    Duration flushInterval,
    QueueLimits queue) {

  private static final String PATH = "tidemark.storage.";
  private static final String BROKER_ID = "tidemark.broker.id";

  /**
   * Reads the settings of an ActorSystem.
   *
   * @throws IllegalArgumentException when one is missing or out of its range; the message names it
   */
  static StorageSettings from(Config config) {
    SettingsReader read = new SettingsReader(config);
    String directory = read.text(PATH + "directory").trim();
    if (directory.isEmpty()) {
      throw new IllegalArgumentException(
          PATH + "directory is not set. Give this node a directory of its own on a local disk.");
    }
    long initial = read.bytes(PATH + "segment.initial-size", 4 << 10, 1 << 30);
    return new StorageSettings(
        Path.of(directory),
        brokerId(read, config),
        new SegmentSizes(initial, read.bytes(PATH + "segment.max-size", initial, 1 << 30)),
        openFiles(read),
        read.bytes(PATH + "write-buffers", 0, 1L << 40),
        read.bytes(PATH + "write-ahead-size", 1 << 20, 1 << 30),
        duration(read, "os-flush-interval"),
        new QueueLimits(
            read.number(PATH + "queue.max-entries", 1, Integer.MAX_VALUE),
            read.bytes(PATH + "queue.max-size", 1, 1L << 40),
            duration(read, "queue.max-wait")));
  }

  private static int openFiles(SettingsReader read) {
    return read.text(PATH + "max-open-files").equals("auto")
        ? automaticOpenFiles(ManagementFactory.getOperatingSystemMXBean())
        : read.number(PATH + "max-open-files", 2, 1_000_000);
  }

  /** Half of what the process may open, since the application needs some too. */
  private static int automaticOpenFiles(OperatingSystemMXBean system) {
    long limit =
        system instanceof UnixOperatingSystemMXBean unix ? unix.getMaxFileDescriptorCount() : 1_024;
    return (int) Math.max(64, Math.min(8_192, limit / 2));
  }

  private static OptionalInt brokerId(SettingsReader read, Config config) {
    return config.hasPath(BROKER_ID)
        ? OptionalInt.of(read.number(BROKER_ID, 0, Integer.MAX_VALUE))
        : OptionalInt.empty();
  }

  private static Duration duration(SettingsReader read, String name) {
    return Duration.ofMillis(read.millis(PATH + name, Duration.ofMillis(1), Duration.ofHours(1)));
  }
}
