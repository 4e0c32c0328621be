package io.tidemark.replica;

import akka.persistence.AtomicWrite;
import akka.persistence.PersistentRepr;
import akka.persistence.journal.japi.AsyncWriteJournal;
import io.tidemark.log.EntrySource;
import io.tidemark.log.LogEvent;
import io.tidemark.log.LogEventCodec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import scala.concurrent.Future;
import scala.jdk.javaapi.CollectionConverters;
import scala.jdk.javaapi.FutureConverters;

/** A journal in memory whose disk is in the test's hands: it holds writes back, or fails them. */
public final class HeldJournal extends AsyncWriteJournal {

  /** The disk behind it; it survives the actors. */
  static final class Disk implements EntrySource {
    private final List<PersistentRepr> entries = new ArrayList<>();
    private final List<CompletableFuture<Void>> held = new ArrayList<>();
    private boolean holding;
    private boolean failing;

    synchronized void hold() {
      holding = true;
    }

    /** Lets go of what is held, and holds no more. */
    synchronized void release() {
      holding = false;
      held.forEach(write -> write.complete(null));
      held.clear();
    }

    synchronized void fail() {
      failing = true;
    }

    synchronized void repair() {
      failing = false;
    }

    synchronized boolean isHolding() {
      return !held.isEmpty();
    }

    private synchronized CompletableFuture<Void> write(List<PersistentRepr> events) {
      if (failing) {
        return CompletableFuture.failedFuture(new IOException("no space left on device"));
      }
      CompletableFuture<Void> allowed = new CompletableFuture<>();
      CompletableFuture<Void> written = allowed.thenRun(() -> add(events));
      if (holding) {
        held.add(allowed);
      } else {
        allowed.complete(null);
      }
      return written;
    }

    private synchronized void add(List<PersistentRepr> events) {
      entries.addAll(events);
    }

    private synchronized List<PersistentRepr> entries() {
      return List.copyOf(entries);
    }

    @Override
    public void read(String persistenceId, long fromSequenceNr, Visitor visitor) {
      for (PersistentRepr entry : entries()) {
        if (entry.sequenceNr() >= fromSequenceNr) {
          LogEvent event = (LogEvent) entry.payload();
          ByteBuffer bytes = ByteBuffer.allocate(LogEventCodec.sizeOf(event));
          LogEventCodec.encode(event, bytes);
          if (!visitor.entry(entry.sequenceNr(), bytes.flip())) {
            return;
          }
        }
      }
    }
  }

  /** Of the test that runs; the plugin is made by Akka and cannot be given one. */
  static volatile Disk disk = new Disk();

  @Override
  public Future<Iterable<Optional<Exception>>> doAsyncWriteMessages(Iterable<AtomicWrite> writes) {
    List<PersistentRepr> events = new ArrayList<>();
    List<Optional<Exception>> results = new ArrayList<>();
    for (AtomicWrite write : writes) {
      events.addAll(CollectionConverters.asJava(write.payload()));
      results.add(Optional.empty());
    }
    return FutureConverters.asScala(disk.write(events).thenApply(written -> results));
  }

  @Override
  public Future<Void> doAsyncDeleteMessagesTo(String persistenceId, long toSequenceNr) {
    return FutureConverters.asScala(CompletableFuture.completedFuture(null));
  }

  @Override
  public Future<Long> doAsyncReadHighestSequenceNr(String persistenceId, long fromSequenceNr) {
    List<PersistentRepr> all = disk.entries();
    long highest = all.isEmpty() ? 0 : all.get(all.size() - 1).sequenceNr();
    return FutureConverters.asScala(CompletableFuture.completedFuture(highest));
  }

  @Override
  public Future<Void> doAsyncReplayMessages(
      String persistenceId, long from, long to, long max, Consumer<PersistentRepr> replay) {
    disk.entries().stream()
        .filter(entry -> entry.sequenceNr() >= from && entry.sequenceNr() <= to)
        .limit(max)
        .forEach(replay);
    return FutureConverters.asScala(CompletableFuture.completedFuture(null));
  }
}
