package io.tidemark.log;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import akka.persistence.typed.PersistenceId;
import akka.persistence.typed.RecoveryCompleted;
import akka.persistence.typed.SnapshotCompleted;
import akka.persistence.typed.javadsl.CommandHandler;
import akka.persistence.typed.javadsl.EventHandler;
import akka.persistence.typed.javadsl.EventSourcedBehavior;
import akka.persistence.typed.javadsl.SignalHandler;
import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogEvent.HighWatermarkCheckpointed;
import io.tidemark.log.LogEvent.LogRestarted;
import io.tidemark.log.LogEvent.LogStartAdvanced;
import io.tidemark.log.LogEvent.SnapshotInstalled;
import io.tidemark.log.LogEvent.SnapshotTaken;

/**
 * A replica's log as an event-sourced actor: events in, notices out. It decides nothing; the
 * replica that owns it does, and keeps at most one write in flight, so commands are never stashed
 * in number.
 *
 * <p>When the log's start has moved it gives the journal free up to the older of two snapshots, so
 * that a recovery never needs an event that was deleted, also when the newest snapshot is damaged.
 *
 * <p>A write that fails stops this actor with its outcome unknown; the owner watches it.
 */
public final class PartitionLog
    extends EventSourcedBehavior<PartitionLog.Command, LogEvent, LogState> {

  public sealed interface Command {}

  /**
   * Writes one event.
   *
   * @param token comes back in {@link Persisted}
   */
  public record Persist(long token, LogEvent event) implements Command {}

  /**
   * Empties the log, to begin anew at offset 0, and gives its disk space back. {@link Erased} comes
   * when that is done; the log stops when it cannot be done now.
   */
  public record Erase() implements Command {}

  private record ErasureEnded(Throwable failure) implements Command {}

  /** Ends the log, behind the write that may be in flight. */
  public record Stop() implements Command {}

  /** A log that is not written to would wait for its second snapshot for ever. */
  private record TakeSecondSnapshot() implements Command {}

  public sealed interface Notice {}

  /** The log has been read back; sent once, before anything else. */
  public record Recovered(LogState state) implements Notice {}

  /** The event is as durable as the flush policy makes it, and {@code state} holds it. */
  public record Persisted(long token, LogState state) implements Notice {}

  /** Nothing of the log's records is on the disk any more. */
  public record Erased() implements Notice {}

  /** What is written between two snapshots: recovery reads no more than this. */
  static final long SNAPSHOT_INTERVAL_BYTES = 64L << 20;

  private final ActorContext<Command> context;
  private final String journal;
  private final String snapshotStore;
  private final ActorRef<Notice> owner;
  private final JournalSpace space;
  private boolean secondSnapshotDue;
  private boolean erasing;

  private PartitionLog(
      ActorContext<Command> context,
      PersistenceId id,
      String journal,
      String snapshotStore,
      ActorRef<Notice> owner) {
    super(id);
    this.context = context;
    this.journal = journal;
    this.snapshotStore = snapshotStore;
    this.owner = owner;
    this.space = new JournalSpace(context, id.id(), journal);
  }

  /**
   * @param journal the path of the journal plugin's settings, which decides the flush policy
   * @param snapshotStore the path of the snapshot store's settings; it has to keep two at least
   * @param owner gets the notices
   */
  public static Behavior<Command> create(
      String persistenceId, String journal, String snapshotStore, ActorRef<Notice> owner) {
    return Behaviors.setup(
        context ->
            new PartitionLog(
                context, PersistenceId.ofUniqueId(persistenceId), journal, snapshotStore, owner));
  }

  @Override
  public String journalPluginId() {
    return journal;
  }

  @Override
  public String snapshotPluginId() {
    return snapshotStore;
  }

  @Override
  public LogState emptyState() {
    return LogState.EMPTY;
  }

  @Override
  public CommandHandler<Command, LogEvent, LogState> commandHandler() {
    return newCommandHandlerBuilder()
        .forAnyState()
        .onCommand(
            Persist.class,
            (state, command) ->
                Effect()
                    .persist(command.event())
                    .thenRun(
                        (LogState written) -> owner.tell(new Persisted(command.token(), written))))
        .onCommand(
            TakeSecondSnapshot.class,
            (state, command) -> {
              secondSnapshotDue = space.awaitsSecond(state);
              return secondSnapshotDue
                  ? Effect().persist(new HighWatermarkCheckpointed(state.highWatermark()))
                  : Effect().none();
            })
        .onCommand(
            Erase.class,
            command -> {
              erasing = true;
              return Effect().persist(new LogRestarted(0));
            })
        .onCommand(
            ErasureEnded.class,
            command ->
                command.failure() == null
                    ? Effect().none().thenRun(() -> owner.tell(new Erased()))
                    : Effect().stop())
        .onCommand(Stop.class, command -> Effect().stop())
        .build();
  }

  @Override
  public EventHandler<LogState, LogEvent> eventHandler() {
    return LogState::apply;
  }

  @Override
  public SignalHandler<LogState> signalHandler() {
    return newSignalHandlerBuilder()
        .onSignal(RecoveryCompleted.instance(), this::recovered)
        .onSignal(SnapshotCompleted.class, this::snapshotCompleted)
        .build();
  }

  private void recovered(LogState state) {
    long last = lastSequenceNumber(context);
    if (state.sequenceNr() != last) {
      throw new IllegalStateException(
          "log of [%s] has %d events of %d: deleted ones were needed to recover; remove its journal and snapshot folders and let replication fill it again"
              .formatted(persistenceId().id(), state.sequenceNr(), last));
    }
    owner.tell(new Recovered(state));
  }

  private void snapshotCompleted(LogState state, SnapshotCompleted signal) {
    if (erasing) {
      String id = persistenceId().id();
      LogErasure.upTo(state.sequenceNr(), id, journal, snapshotStore, context.getSystem())
          .whenComplete((done, failure) -> context.getSelf().tell(new ErasureEnded(failure)));
      return;
    }
    space.snapshotTaken(signal.metadata().sequenceNr(), state);
    if (space.awaitsSecond(state)) {
      context.getSelf().tell(new TakeSecondSnapshot());
    }
  }

  /** By bytes, never by event count: an event may be a few bytes or a megabyte. */
  @Override
  public boolean shouldSnapshot(LogState state, LogEvent event, long sequenceNr) {
    if (event instanceof BatchesAppended appended) {
      long before = state.bytes() - appended.batches().remaining();
      return before / SNAPSHOT_INTERVAL_BYTES < state.bytes() / SNAPSHOT_INTERVAL_BYTES;
    }
    if (erasing) {
      return true;
    }
    if (event instanceof LogStartAdvanced
        || event instanceof LogRestarted
        || event instanceof SnapshotTaken
        || event instanceof SnapshotInstalled) {
      return space.isWorthFreeing(state);
    }
    boolean second = secondSnapshotDue && event instanceof HighWatermarkCheckpointed;
    secondSnapshotDue &= !second;
    return second;
  }
}
