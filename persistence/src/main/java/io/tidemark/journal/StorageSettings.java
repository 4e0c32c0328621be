package io.tidemark.journal;

import com.sun.management.UnixOperatingSystemMXBean;
import com.typesafe.config.Config;
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

  /**
   * Reads the settings of an ActorSystem.
   *
   * @throws StorageException when one is missing or out of its range; the message names it
   */
  static StorageSettings from(Config config) {
    Config storage = config.getConfig("tidemark.storage");
    String directory = storage.getString("directory").trim();
    if (directory.isEmpty()) {
      throw new StorageException(
          "tidemark.storage.directory is not set. Give this node a directory of its own on a local"
              + " disk.");
    }
    long initial = bytes(storage, "segment.initial-size", 4 * 1024, 1 << 30);
    return new StorageSettings(
        Path.of(directory),
        brokerId(config),
        new SegmentSizes(initial, bytes(storage, "segment.max-size", initial, 1 << 30)),
        openFiles(storage),
        bytes(storage, "write-buffers", 0, 1L << 40),
        bytes(storage, "write-ahead-size", 1 << 20, 1 << 30),
        duration(storage, "os-flush-interval"),
        new QueueLimits(
            (int)
                inRange(
                    storage,
                    "queue.max-entries",
                    storage.getLong("queue.max-entries"),
                    1,
                    Integer.MAX_VALUE),
            bytes(storage, "queue.max-size", 1, 1L << 40),
            duration(storage, "queue.max-wait")));
  }

  private static int openFiles(Config storage) {
    if (storage.getString("max-open-files").equals("auto")) {
      return automaticOpenFiles(ManagementFactory.getOperatingSystemMXBean());
    }
    return (int)
        inRange(storage, "max-open-files", storage.getLong("max-open-files"), 2, 1_000_000);
  }

  /** Half of what the process may open, since the application needs some too. */
  private static int automaticOpenFiles(OperatingSystemMXBean system) {
    long limit =
        system instanceof UnixOperatingSystemMXBean unix ? unix.getMaxFileDescriptorCount() : 1_024;
    return (int) Math.max(64, Math.min(8_192, limit / 2));
  }

  private static OptionalInt brokerId(Config config) {
    boolean set = config.hasPath("tidemark.broker.id") && config.getInt("tidemark.broker.id") >= 0;
    return set ? OptionalInt.of(config.getInt("tidemark.broker.id")) : OptionalInt.empty();
  }

  private static long bytes(Config storage, String path, long min, long max) {
    return inRange(storage, path, storage.getBytes(path), min, max);
  }

  private static Duration duration(Config storage, String path) {
    return Duration.ofMillis(
        inRange(storage, path, storage.getDuration(path).toMillis(), 1, 3_600_000));
  }

  private static long inRange(Config storage, String path, long value, long min, long max) {
    if (value < min || value > max) {
      throw new StorageException(
          "tidemark.storage."
              + path
              + " is "
              + storage.getValue(path).unwrapped()
              + ", which is not between "
              + min
              + " and "
              + max);
    }
    return value;
  }
}
