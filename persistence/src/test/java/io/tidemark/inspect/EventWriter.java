package io.tidemark.inspect;

import akka.Done;
import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import akka.actor.typed.javadsl.Behaviors;
import akka.persistence.typed.PersistenceId;
import akka.persistence.typed.javadsl.CommandHandler;
import akka.persistence.typed.javadsl.EventHandler;
import akka.persistence.typed.javadsl.EventSourcedBehavior;
import akka.persistence.typed.javadsl.RetentionCriteria;
import com.typesafe.config.ConfigFactory;
import io.tidemark.log.LogEvent;
import io.tidemark.log.LogState;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Stores the log events that it is given, also such as no replica would write. */
final class EventWriter extends EventSourcedBehavior<EventWriter.Add, LogEvent, LogState> {
  record Add(LogEvent event, ActorRef<Done> replyTo) {}

  /** How the events amount to the state that snapshots hold. */
  interface Fold {
    LogState apply(LogState state, LogEvent event);
  }

  private final Fold fold;
  private final RetentionCriteria retention;

  private EventWriter(String id, Fold fold, RetentionCriteria retention) {
    super(PersistenceId.ofUniqueId(id));
    this.fold = fold;
    this.retention = retention;
  }

  /** Writes all events into the directory, which is closed when this returns. */
  static void write(
      Path directory, String id, Fold fold, RetentionCriteria retention, List<LogEvent> events) {
    ActorTestKit kit =
        ActorTestKit.create(
            ConfigFactory.parseMap(
                    Map.of(
                        "tidemark.storage.directory", directory.toString(),
                        "tidemark.storage.segment.initial-size", "4 KiB",
                        "tidemark.storage.segment.max-size", "4 KiB",
                        "akka.actor.testkit.typed.single-expect-default", "60s",
                        "akka.loglevel", "WARNING"))
                .withFallback(ConfigFactory.load()));
    try {
      ActorRef<Add> writer =
          kit.spawn(Behaviors.setup(context -> new EventWriter(id, fold, retention)));
      TestProbe<Done> probe = kit.createTestProbe();
      for (LogEvent event : events) {
        writer.tell(new Add(event, probe.ref()));
        probe.receiveMessage();
      }
      // Behind what the last snapshot has set off.
      kit.stop(writer);
    } finally {
      kit.shutdownTestKit();
    }
  }

  @Override
  public String journalPluginId() {
    return "tidemark.journal.each-commit";
  }

  @Override
  public String snapshotPluginId() {
    return "tidemark.snapshot-store";
  }

  @Override
  public RetentionCriteria retentionCriteria() {
    return retention;
  }

  @Override
  public LogState emptyState() {
    return LogState.EMPTY;
  }

  @Override
  public CommandHandler<Add, LogEvent, LogState> commandHandler() {
    return newCommandHandlerBuilder()
        .forAnyState()
        .onCommand(
            Add.class,
            add -> Effect().persist(add.event()).thenReply(add.replyTo(), s -> Done.getInstance()))
        .build();
  }

  @Override
  public EventHandler<LogState, LogEvent> eventHandler() {
    return fold::apply;
  }
}
