package io.tidemark.log;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import akka.persistence.typed.PersistenceId;
import akka.persistence.typed.RecoveryCompleted;
import akka.persistence.typed.javadsl.CommandHandler;
import akka.persistence.typed.javadsl.EventHandler;
import akka.persistence.typed.javadsl.EventSourcedBehavior;
import akka.persistence.typed.javadsl.SignalHandler;

/**
 * A replica's log as an event-sourced actor: events in, notices out. It decides nothing; the
 * replica that owns it does, and keeps at most one write in flight, so commands are never stashed
 * in number.
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

  /** Ends the log, behind the write that may be in flight. */
  public record Stop() implements Command {}

  public sealed interface Notice {}

  /** The log has been read back; sent once, before anything else. */
  public record Recovered(LogState state) implements Notice {}

  /** The event is as durable as the flush policy makes it, and {@code state} holds it. */
  public record Persisted(long token, LogState state) implements Notice {}

  /** What is written between two snapshots: recovery reads no more than this. */
  static final long SNAPSHOT_INTERVAL_BYTES = 64L << 20;

  private final String journal;
  private final String snapshotStore;
  private final ActorRef<Notice> owner;

  private PartitionLog(
      PersistenceId id, String journal, String snapshotStore, ActorRef<Notice> owner) {
    super(id);
    this.journal = journal;
    this.snapshotStore = snapshotStore;
    this.owner = owner;
  }

  /**
   * @param journal the path of the journal plugin's settings, which decides the flush policy
   * @param snapshotStore the path of the snapshot store's settings
   * @param owner gets the notices
   */
  public static Behavior<Command> create(
      String persistenceId, String journal, String snapshotStore, ActorRef<Notice> owner) {
    return Behaviors.setup(
        context ->
            new PartitionLog(
                PersistenceId.ofUniqueId(persistenceId), journal, snapshotStore, owner));
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
        .onSignal(RecoveryCompleted.instance(), state -> owner.tell(new Recovered(state)))
        .build();
  }

  /** By bytes, never by event count: an event may be a few bytes or a megabyte. */
  @Override
  public boolean shouldSnapshot(LogState state, LogEvent event, long sequenceNr) {
    if (!(event instanceof LogEvent.BatchesAppended appended)) {
      return false;
    }
    long before = state.bytes() - appended.batches().remaining();
    return before / SNAPSHOT_INTERVAL_BYTES < state.bytes() / SNAPSHOT_INTERVAL_BYTES;
  }
}
