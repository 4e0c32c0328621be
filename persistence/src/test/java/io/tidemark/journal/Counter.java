package io.tidemark.journal;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import akka.persistence.typed.PersistenceId;
import akka.persistence.typed.javadsl.CommandHandler;
import akka.persistence.typed.javadsl.EventHandler;
import akka.persistence.typed.javadsl.EventSourcedBehavior;

/** Persists each text it is told and answers with the number of texts so far. */
final class Counter extends EventSourcedBehavior<Counter.Command, String, Long> {
  interface Command {}

  record Add(String text, ActorRef<Long> replyTo) implements Command {}

  private final String journal;

  private Counter(String id, String journal) {
    super(PersistenceId.ofUniqueId(id));
    this.journal = journal;
  }

  static Behavior<Command> create(String id, String journal) {
    return Behaviors.setup(context -> new Counter(id, journal));
  }

  @Override
  public String journalPluginId() {
    return journal;
  }

  @Override
  public String snapshotPluginId() {
    return "tidemark.snapshot-store";
  }

  @Override
  public Long emptyState() {
    return 0L;
  }

  @Override
  public boolean shouldSnapshot(Long count, String event, long sequenceNr) {
    return event.startsWith("snapshot");
  }

  @Override
  public CommandHandler<Command, String, Long> commandHandler() {
    return newCommandHandlerBuilder()
        .forAnyState()
        .onCommand(Add.class, add -> Effect().persist(add.text()).thenReply(add.replyTo(), n -> n))
        .build();
  }

  @Override
  public EventHandler<Long, String> eventHandler() {
    return newEventHandlerBuilder().forAnyState().onAnyEvent((count, text) -> count + 1);
  }
}
