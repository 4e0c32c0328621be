package io.tidemark.replica;

import akka.actor.typed.ActorRef;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.javadsl.ActorContext;
import io.tidemark.log.BatchReader;
import io.tidemark.log.EntrySource;
import io.tidemark.log.LogEvent;
import io.tidemark.log.LogState;
import io.tidemark.log.PartitionLog;
import io.tidemark.wire.ReplicaMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * A replica's log as its actor uses it: the event-sourced child that writes, the cache of its tail,
 * and the disk behind it.
 */
public final class LogAccess {

  /**
   * Where logs are kept.
   *
   * @param journal the path of the journal plugin's settings
   * @param snapshotStore the path of the snapshot store's settings
   * @param source reads logs back
   * @param cacheBudget what all tail caches of the node may hold
   */
  public record Place(
      String journal, String snapshotStore, EntrySource source, TailCache.Budget cacheBudget) {}

  private final ActorRef<PartitionLog.Command> writer;
  private final BatchReader reader;
  private final TailCache cache;
  private final Executor blocking;
  private LogEvent writing;

  /**
   * Starts the log's actor as a watched child.
   *
   * @param owner gets its notices
   */
  public LogAccess(
      ActorContext<ReplicaMessage> context,
      Place place,
      String persistenceId,
      ActorRef<PartitionLog.Notice> owner) {
    this.reader = new BatchReader(place.source(), persistenceId);
    this.cache = new TailCache(place.cacheBudget());
    this.blocking = context.getSystem().dispatchers().lookup(DispatcherSelector.blocking());
    this.writer =
        context.spawn(
            PartitionLog.create(persistenceId, place.journal(), place.snapshotStore(), owner),
            "log");
    context.watch(writer);
  }

  public void persist(LogEvent event) {
    writing = event;
    writer.tell(new PartitionLog.Persist(0, event));
  }

  /** Gives all data up; {@link PartitionLog.Erased} tells when. */
  public void erase() {
    cache.clear();
    writer.tell(new PartitionLog.Erase());
  }

  /** The event in flight is durable: what it holds can be read. */
  public void persisted(LogState state) {
    if (writing instanceof LogEvent.BatchesAppended appended) {
      cache.append(appended.batches());
    } else if (writing instanceof LogEvent.LogTruncated) {
      cache.truncate(state.endOffset());
    } else if (writing instanceof LogEvent.LogRestarted
        || writing instanceof LogEvent.SnapshotInstalled) {
      cache.clear();
    }
    writing = null;
  }

  /** The batches, when memory holds them; null otherwise. */
  public ByteBuffer cached(long from, long limit, int maxBytes) {
    return cache.read(from, limit, maxBytes);
  }

  /** The batches from the disk, read off the actor's thread. */
  public CompletionStage<ByteBuffer> read(LogState log, long from, long limit, int maxBytes) {
    return offThread(() -> reader.read(log, from, limit, maxBytes));
  }

  /** The first record of a time, null when there is none; read off the actor's thread. */
  public CompletionStage<BatchReader.Found> find(LogState log, long timestamp, long limit) {
    return offThread(() -> reader.find(log, timestamp, limit));
  }

  private interface DiskRead<T> {
    T run() throws IOException;
  }

  private <T> CompletionStage<T> offThread(DiskRead<T> read) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return read.run();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        },
        blocking);
  }

  /** Gives the cache's share of the budget back. */
  public void close() {
    cache.clear();
  }
}
