package io.tidemark.benchmark;

import akka.dispatch.Futures;
import akka.persistence.AtomicWrite;
import akka.persistence.PersistentRepr;
import akka.persistence.journal.japi.AsyncWriteJournal;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import scala.concurrent.Future;

/** Acknowledges everything and keeps nothing: what persisting costs without a journal. */
public final class NoopJournal extends AsyncWriteJournal {

  @Override
  public Future<Iterable<Optional<Exception>>> doAsyncWriteMessages(
      Iterable<AtomicWrite> messages) {
    return Futures.successful(List.of());
  }

  @Override
  public Future<Void> doAsyncDeleteMessagesTo(String persistenceId, long toSequenceNr) {
    return Futures.successful(null);
  }

  @Override
  public Future<Void> doAsyncReplayMessages(
      String persistenceId,
      long fromSequenceNr,
      long toSequenceNr,
      long max,
      Consumer<PersistentRepr> replay) {
    return Futures.successful(null);
  }

  @Override
  public Future<Long> doAsyncReadHighestSequenceNr(String persistenceId, long fromSequenceNr) {
    return Futures.successful(0L);
  }
}
