package io.tidemark.journal;

import akka.actor.AbstractExtensionId;
import akka.actor.ClassicActorSystemProvider;
import akka.actor.ExtendedActorSystem;
import akka.actor.Extension;
import com.typesafe.config.Config;
import io.tidemark.settings.SettingNames;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The storage of an ActorSystem, shared by all plugin instances. It opens the directory at its
 * first use and closes it after the last actor has stopped; only then, and only when all is on
 * disk, is the shutdown marked as clean.
 */
public final class Storage implements Extension {
  private static final Logger LOG = LoggerFactory.getLogger(Storage.class);
  private static final String QUORUM = "tidemark.journal.quorum";

  /** The key of the extension. */
  public static final class Id extends AbstractExtensionId<Storage> {
    static final Id INSTANCE = new Id();

    private Id() {}

    @Override
    public Storage createExtension(ExtendedActorSystem system) {
      Config config = system.settings().config();
      StorageCounters counters = new StorageCounters(listener(system, config));
      Storage storage = new Storage(settings(config), counters);
      system.registerOnTermination(storage::close);
      return storage;
    }

    private static StorageMetrics listener(ExtendedActorSystem system, Config config) {
      String name = config.getString("tidemark.storage.metrics");
      if (name.isEmpty()) {
        return StorageMetrics.NONE;
      }
      try {
        Class<?> listener = Class.forName(name, true, system.dynamicAccess().classLoader());
        return listener.asSubclass(StorageMetrics.class).getConstructor().newInstance();
      } catch (ReflectiveOperationException | ClassCastException e) {
        throw new StorageException(
            ("tidemark.storage.metrics is \"%s\", which is no %s with a public constructor without"
                    + " arguments: %s")
                .formatted(name, StorageMetrics.class.getName(), e),
            e);
      }
    }
  }

  private final StorageSettings settings;
  private final StorageCounters counters;
  private final StorageDirectory directory;
  private final SegmentLogs logs;
  private final SnapshotFiles snapshots;
  private final WriteBuffers buffers;
  private final ConcurrentMap<String, Lanes> lanes = new ConcurrentHashMap<>();
  private final Queue<WriteAhead> aheads = new ConcurrentLinkedQueue<>();
  private final Set<SegmentLog> unforced = ConcurrentHashMap.newKeySet();

  /** What waits for the disk so that writers need not. */
  private final ScheduledExecutorService background;

  /** What has to go on while the disk hangs. */
  private final ScheduledExecutorService expiry;

  private Storage(StorageSettings settings, StorageCounters counters) {
    this.settings = settings;
    this.counters = counters;
    this.directory = StorageDirectory.open(settings.directory(), settings.brokerId());
    this.background = thread("tidemark-flush");
    this.expiry = thread("tidemark-expiry");
    try {
      boolean powerLost = directory.start() == StorageDirectory.Start.UNCLEAN;
      Redo.all(directory.ahead(), directory.journal(), powerLost);
      this.logs =
          new SegmentLogs(
              directory.journal(), settings.segments(), settings.openFiles(), counters, background);
      this.snapshots = new SnapshotFiles(directory.snapshots());
    } catch (IOException e) {
      background.shutdown();
      expiry.shutdown();
      closeDirectory(false);
      throw new StorageException("Storage directory " + directory.path() + " is unusable: " + e, e);
    }
    this.buffers = new WriteBuffers(settings.writeBufferBytes());
    repeat(background, settings.flushInterval(), this::forceUnforced);
    repeat(background, Duration.ofSeconds(1), this::watchDirectory);
    repeat(expiry, settings.queue().maxWait().dividedBy(10), this::expire);
  }

  private static ScheduledExecutorService thread(String name) {
    return Executors.newSingleThreadScheduledExecutor(
        work -> {
          Thread thread = new Thread(work, name);
          thread.setDaemon(true);
          return thread;
        });
  }

  private static void repeat(ScheduledExecutorService on, Duration interval, Runnable action) {
    long millis = Math.max(1, interval.toMillis());
    on.scheduleWithFixedDelay(action, millis, millis, TimeUnit.MILLISECONDS);
  }

  /**
   * The system's storage, opened now if it was not.
   *
   * @throws StorageException when the directory cannot be used; the message says what to do
   */
  public static Storage get(ClassicActorSystemProvider system) {
    return Id.INSTANCE.get(system);
  }

  /**
   * Checks the settings of the storage and of its journal plugins ahead of their use. A plugin
   * would find a wrong one only when its first actor starts, and fail again at every retry.
   *
   * @param config an actor system's whole configuration
   * @throws StorageException naming the setting, its value and what is allowed
   */
  public static void checkSettings(Config config) {
    settings(config);
    try {
      for (String plugin : List.of(QUORUM, "tidemark.journal.each-commit", "tidemark.journal.os")) {
        SegmentJournal.laneCount(config, plugin);
        FlushPolicy policy = SegmentJournal.flushPolicy(config, plugin);
        if (plugin.equals(QUORUM) && policy != FlushPolicy.EACH_COMMIT) {
          throw new IllegalArgumentException(
              plugin
                  + ".flush-policy is os; a vote that a crash takes back could be given"
                  + " twice: only each-commit is allowed");
        }
      }
      SegmentSnapshotStore.keep(config, "tidemark.snapshot-store");
      SegmentSnapshotStore.keep(config, SegmentSnapshotStore.OF_LOGS);
      SegmentReadJournal.refreshInterval(config, SegmentReadJournal.IDENTIFIER);
    } catch (IllegalArgumentException e) {
      throw new StorageException(e.getMessage(), e);
    }
  }

  private static StorageSettings settings(Config config) {
    try {
      SettingNames.check(config);
      return StorageSettings.from(config);
    } catch (IllegalArgumentException e) {
      throw new StorageException(e.getMessage(), e);
    }
  }

  /** The directory: its identity, and how its last use ended. */
  public StorageDirectory directory() {
    return directory;
  }

  /** Reads entries beside the writers, off actor threads. */
  public EventReader eventReader() {
    return logs;
  }

  /** Bytes that were cut as unfinished writes since the start. */
  public long cutBytes() {
    return logs.cutBytes();
  }

  /**
   * The logs that may be incomplete, by persistence id, and how many bytes were cut from each since
   * the start. After a power loss that is the write that was under way. When only the process had
   * died it is, most likely, damage: then acknowledged events of the log's last group commit may be
   * among them.
   */
  public Map<String, Long> cuts() {
    return logs.cuts();
  }

  /** What the storage did since it was opened; cheap enough to be asked every second. */
  public StorageCounters.Snapshot metrics() {
    return counters.snapshot();
  }

  /** All persistence ids that were ever written to here, also those whose events are deleted. */
  public List<String> persistenceIds() throws IOException {
    return logs.persistenceIds();
  }

  SegmentLogs logs() {
    return logs;
  }

  SnapshotFiles snapshots() {
    return snapshots;
  }

  WriteBuffers buffers() {
    return buffers;
  }

  /** The lanes of the plugin instance, made at its first use and kept when it restarts. */
  Lanes lanes(String plugin, int count, FlushPolicy policy) {
    return lanes.computeIfAbsent(
        plugin,
        path -> {
          String name = path.substring(path.lastIndexOf('.') + 1) + "-";
          return new Lanes(
              IntStream.range(0, count).mapToObj(i -> lane(name + i, policy)).toList());
        });
  }

  private Lane lane(String name, FlushPolicy policy) {
    WriteAhead ahead = null;
    if (policy == FlushPolicy.EACH_COMMIT) {
      ahead = new WriteAhead(directory.ahead(), name, settings.writeAheadBytes(), background);
      aheads.add(ahead);
    }
    GroupCommit commit = new GroupCommit(logs, buffers, policy, ahead, this::isUnforced, counters);
    return new Lane("tidemark-" + name, commit, settings.queue());
  }

  /** On the lanes' threads. */
  private void isUnforced(SegmentLog log) {
    unforced.add(log);
    if (log.hasMuchUnforced()) {
      background.execute(() -> force(log));
    }
  }

  private void forceUnforced() {
    unforced.forEach(this::force);
  }

  /** A log that is written meanwhile stays in the set: it is taken out before it is forced. */
  private void force(SegmentLog log) {
    unforced.remove(log);
    try {
      log.force();
    } catch (IOException | RuntimeException e) {
      LOG.debug("Interval flush of [{}] failed, which its log has reported", log.persistenceId, e);
    }
  }

  private void watchDirectory() {
    if (directory.isGone()) {
      giveUp(
          "Storage directory "
              + directory.path()
              + " was removed or replaced while it was in use; nothing is stored any more. Restore"
              + " it, and start this node again.");
    }
  }

  private void giveUp(String why) {
    if (logs.isUsable()) {
      LOG.error(why);
      logs.giveUp(new IOException(why));
    }
  }

  private void expire() {
    long now = System.nanoTime();
    lanes.values().forEach(it -> it.all().forEach(lane -> lane.expireHeld(now)));
  }

  private void close() {
    boolean clean = false;
    try {
      for (Lanes each : lanes.values()) {
        for (Lane lane : each.all()) {
          lane.close();
        }
      }
      expiry.shutdown();
      background.shutdown();
      background.awaitTermination(1, TimeUnit.MINUTES);
      clean = logs.close();
      for (WriteAhead ahead : aheads) {
        ahead.close(clean);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | RuntimeException e) {
      LOG.error("Storage directory {} was not closed cleanly", directory.path(), e);
    } finally {
      closeDirectory(clean);
    }
  }

  private void closeDirectory(boolean clean) {
    try {
      if (clean) {
        directory.markCleanAndClose();
      } else {
        directory.close();
      }
    } catch (IOException e) {
      LOG.error("Storage directory {} was not closed cleanly", directory.path(), e);
    }
  }
}
