package io.tidemark.journal;

import akka.actor.ExtendedActorSystem;
import akka.persistence.AtomicWrite;
import akka.persistence.JournalProtocol.WriteMessages;
import akka.persistence.PersistentRepr;
import akka.persistence.journal.japi.AsyncWriteJournal;
import com.typesafe.config.Config;
import io.tidemark.settings.SettingsReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import scala.PartialFunction;
import scala.concurrent.Future;
import scala.jdk.javaapi.FutureConverters;
import scala.runtime.BoxedUnit;

/**
 * The journal plugin. Events are serialized by the plugin's actor, written and forced by its lanes
 * and replayed on the blocking dispatcher; the actor never waits.
 *
 * <p>An event that cannot be serialized is rejected and uses up its sequence number. Every other
 * trouble fails the write, and with it the persistent actor, whose recovery then finds out what is
 * on disk.
 */
public final class SegmentJournal extends AsyncWriteJournal {
  static final String BLOCKING = "akka.actor.default-blocking-io-dispatcher";

  private final Storage storage;
  private final EventCodec codec;
  private final Lanes lanes;
  private final Executor blocking;
  private final Object answering = new Object();

  /** Made by Akka: {@code path} is where the instance is configured. */
  public SegmentJournal(Config config, String path) {
    ExtendedActorSystem system = (ExtendedActorSystem) context().system();
    storage = Storage.get(context().system());
    codec = new EventCodec(system, storage.buffers());
    Config settings = config.atPath(path);
    lanes = storage.lanes(path, laneCount(settings, path), flushPolicy(settings, path));
    blocking = system.dispatchers().lookup(BLOCKING);
  }

  /**
   * @param config with the plugin's settings at the path
   */
  static FlushPolicy flushPolicy(Config config, String path) {
    String name =
        new SettingsReader(config).oneOf(path + ".flush-policy", List.of("each-commit", "os"));
    return name.equals("os") ? FlushPolicy.OS : FlushPolicy.EACH_COMMIT;
  }

  static int laneCount(Config config, String path) {
    return new SettingsReader(config).number(path + ".lanes", 1, 64);
  }

  /** Writes take a shorter way than through Akka's base class, see {@link WriteRequest}. */
  @Override
  public void aroundReceive(PartialFunction<Object, BoxedUnit> receive, Object message) {
    if (message instanceof WriteMessages request) {
      write(new WriteRequest(request, self(), answering));
    } else {
      super.aroundReceive(receive, message);
    }
  }

  private void write(WriteRequest request) {
    List<AtomicEntries> entries = new ArrayList<>();
    List<Exception> rejections = new ArrayList<>();
    boolean rejected = false;
    for (AtomicWrite write : request.writes()) {
      try {
        entries.add(codec.encode(write, this::adaptToJournal));
        rejections.add(null);
      } catch (Exception e) {
        rejected = true;
        entries.add(
            new AtomicEntries(
                write.persistenceId(), write.lowestSequenceNr(), write.highestSequenceNr(), null));
        rejections.add(e);
      }
    }
    if (entries.isEmpty()) {
      request.succeeded(List.of());
      return;
    }
    List<Exception> results = rejected ? rejections : List.of();
    Lane lane = lanes.of(entries.get(0).persistenceId());
    boolean done;
    try {
      done = lane.commitNow(entries, () -> request.succeeded(results));
    } catch (IOException | RuntimeException | Error e) {
      request.failed(e);
      return;
    }
    if (!done) {
      lane.write(entries)
          .whenComplete(
              (written, failure) -> {
                if (failure == null) {
                  request.succeeded(results);
                } else {
                  request.failed(failure);
                }
              });
    }
  }

  @Override
  public Future<Iterable<Optional<Exception>>> doAsyncWriteMessages(Iterable<AtomicWrite> writes) {
    throw new UnsupportedOperationException("Requests to write are not given to the base class");
  }

  @Override
  public Future<Void> doAsyncDeleteMessagesTo(String persistenceId, long toSequenceNr) {
    return onLane(
        persistenceId,
        () -> {
          storage.logs().log(persistenceId).deleteTo(toSequenceNr);
          return null;
        });
  }

  @Override
  public Future<Long> doAsyncReadHighestSequenceNr(String persistenceId, long fromSequenceNr) {
    return FutureConverters.asScala(
        lanes
            .of(persistenceId)
            .recover(persistenceId)
            .thenApply(highest -> atLeast(persistenceId, fromSequenceNr, highest)));
  }

  private static long atLeast(String persistenceId, long needed, long highest) {
    if (highest < needed) {
      throw new StorageException(
          "Log of ["
              + persistenceId
              + "] ends at sequence number "
              + highest
              + " but a snapshot knows of "
              + needed
              + ". Entries are missing: restore the journal's folder; of a replica's log, its"
              + " folder and its snapshots may be removed, and replication fills them again.");
    }
    return highest;
  }

  private <T> Future<T> onLane(String persistenceId, Callable<T> action) {
    return FutureConverters.asScala(lanes.of(persistenceId).run(action));
  }

  /** Akka reads the highest sequence number first, which has waited for all accepted writes. */
  @Override
  public Future<Void> doAsyncReplayMessages(
      String persistenceId,
      long fromSequenceNr,
      long toSequenceNr,
      long max,
      Consumer<PersistentRepr> replay) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    blocking.execute(
        () -> {
          try {
            replay(persistenceId, fromSequenceNr, toSequenceNr, max, replay);
            done.complete(null);
          } catch (Exception | LinkageError e) {
            done.completeExceptionally(e);
          }
        });
    return FutureConverters.asScala(done);
  }

  private void replay(
      String persistenceId, long from, long to, long max, Consumer<PersistentRepr> replay)
      throws IOException {
    SegmentLog log = storage.logs().log(persistenceId);
    if (from > 1 && from <= log.deleted()) {
      throw new StorageException(
          "Log of ["
              + persistenceId
              + "] has no events from sequence number "
              + from
              + " on: they are deleted up to "
              + log.deleted()
              + ", and the snapshot that covers them is missing or damaged. Restore the snapshots'"
              + " folder; of a replica's log, both its folder and the journal's may be removed, and"
              + " replication fills them again.");
    }
    long[] left = {max};
    log.read(
        from,
        entry -> {
          if (entry.sequenceNr() > to || left[0] <= 0) {
            return false;
          }
          replay.accept(codec.decode(persistenceId, entry.entry()));
          return --left[0] > 0;
        });
  }
}
