package io.tidemark.log;

import akka.actor.typed.ActorSystem;
import akka.pattern.Patterns;
import akka.persistence.DeleteMessagesFailure;
import akka.persistence.DeleteSnapshotsFailure;
import akka.persistence.JournalProtocol.DeleteMessagesTo;
import akka.persistence.Persistence;
import akka.persistence.SnapshotProtocol.DeleteSnapshots;
import akka.persistence.SnapshotSelectionCriteria;
import com.typesafe.config.ConfigFactory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Deletes all of a log but one snapshot, which says that it is empty. */
final class LogErasure {
  private static final Duration ANSWER = Duration.ofSeconds(30);

  private LogErasure() {}

  /**
   * @param sequenceNr of the snapshot that stays, and of the last event
   * @return completes when the disk has nothing else any more
   */
  static CompletionStage<Object> upTo(
      long sequenceNr,
      String persistenceId,
      String journal,
      String snapshotStore,
      ActorSystem<?> system) {
    Persistence plugins = Persistence.get(system.classicSystem());
    // Without the events they tell of, older snapshots would be of records that are gone.
    SnapshotSelectionCriteria older =
        SnapshotSelectionCriteria.create(sequenceNr - 1, Long.MAX_VALUE);
    return Patterns.ask(
            plugins.snapshotStoreFor(snapshotStore, ConfigFactory.empty()),
            new DeleteSnapshots(persistenceId, older),
            ANSWER)
        .thenCompose(LogErasure::orFail)
        .thenCompose(
            done ->
                Patterns.askWithReplyTo(
                    plugins.journalFor(journal, ConfigFactory.empty()),
                    replyTo -> new DeleteMessagesTo(persistenceId, sequenceNr, replyTo),
                    ANSWER))
        .thenCompose(LogErasure::orFail);
  }

  private static CompletionStage<Object> orFail(Object answer) {
    if (answer instanceof DeleteSnapshotsFailure failure) {
      return CompletableFuture.failedStage(failure.cause());
    }
    if (answer instanceof DeleteMessagesFailure failure) {
      return CompletableFuture.failedStage(failure.cause());
    }
    return CompletableFuture.completedStage(answer);
  }
}
