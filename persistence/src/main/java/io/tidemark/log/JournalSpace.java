package io.tidemark.log;

import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Adapter;
import akka.actor.typed.javadsl.Behaviors;
import akka.persistence.DeleteMessagesFailure;
import akka.persistence.JournalProtocol.DeleteMessagesTo;
import akka.persistence.Persistence;
import com.typesafe.config.ConfigFactory;

/**
 * Gives a log's space in the journal free. Akka's typed API can delete only what a snapshot makes
 * superfluous, and a log's records are in its events; so the journal is asked by its own protocol.
 *
 * <p>Invariant: what is deleted is needed neither by reads nor by a recovery from the older of the
 * two newest snapshots.
 */
final class JournalSpace {
  /**
   * @param deadBytes of batches that no read needed when it was taken
   */
  private record Snapshot(long sequenceNr, long deadBytes) {
    private static final Snapshot NONE = new Snapshot(-1, 0);
  }

  private final ActorContext<?> context;
  private final String persistenceId;
  private final String journal;
  private Snapshot older = Snapshot.NONE;
  private Snapshot newer = Snapshot.NONE;
  private long deleted;

  JournalSpace(ActorContext<?> context, String persistenceId, String journal) {
    this.context = context;
    this.persistenceId = persistenceId;
    this.journal = journal;
  }

  /** Whether so much is dead by now that a snapshot should let it go. */
  boolean isWorthFreeing(LogState state) {
    return hasMoreDeadThan(newer, state);
  }

  /** Whether one more snapshot lets go of what is dead. */
  boolean awaitsSecond(LogState state) {
    return hasMoreDeadThan(older, state);
  }

  private static boolean hasMoreDeadThan(Snapshot snapshot, LogState state) {
    return state.deadBytes() - snapshot.deadBytes() >= Layout.INDEX_INTERVAL_BYTES;
  }

  /** Only snapshots of this actor's life are counted: which older ones are kept is not known. */
  void snapshotTaken(long sequenceNr, LogState state) {
    older = newer;
    newer = new Snapshot(sequenceNr, state.deadBytes());
    long to = Math.min(state.firstLiveSequenceNr() - 1, older.sequenceNr());
    if (to > deleted) {
      deleted = to;
      delete(to);
    }
  }

  private void delete(long toSequenceNr) {
    Persistence persistence = Persistence.get(context.getSystem().classicSystem());
    persistence
        .journalFor(journal, ConfigFactory.empty())
        .tell(
            new DeleteMessagesTo(persistenceId, toSequenceNr, answers()),
            akka.actor.ActorRef.noSender());
  }

  /** A failure is only told: the next deletion takes with it what this one left. */
  private akka.actor.ActorRef answers() {
    return Adapter.toClassic(
        context.spawnAnonymous(
            Behaviors.receive(
                (answering, answer) -> {
                  if (answer instanceof DeleteMessagesFailure failure) {
                    answering
                        .getLog()
                        .warn(
                            "events of [{}] up to {} were not deleted",
                            persistenceId,
                            failure.toSequenceNr(),
                            failure.cause());
                  }
                  return Behaviors.stopped();
                })));
  }
}
