package io.tidemark.benchmark;

import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import akka.persistence.typed.PersistenceId;
import akka.persistence.typed.RecoveryCompleted;
import akka.persistence.typed.javadsl.CommandHandler;
import akka.persistence.typed.javadsl.EventHandler;
import akka.persistence.typed.javadsl.EventSourcedBehavior;
import akka.persistence.typed.javadsl.SignalHandler;
import java.util.function.LongConsumer;

/** Persists one event after the other until it is told to stop. */
final class Writer extends EventSourcedBehavior<Writer.Command, byte[], Long> {
  enum Command {
    WRITE,
    STOP
  }

  private final ActorContext<Command> context;
  private final byte[] event;
  private final LongConsumer persisted;
  private final Runnable recovered;
  private long began;

  private Writer(
      ActorContext<Command> context,
      String id,
      byte[] event,
      LongConsumer persisted,
      Runnable recovered) {
    super(PersistenceId.ofUniqueId(id));
    this.context = context;
    this.event = event;
    this.persisted = persisted;
    this.recovered = recovered;
  }

  /**
   * @param persisted is given the nanoseconds that each event took
   * @param recovered runs when the events of earlier runs have been replayed
   */
  static Behavior<Command> create(
      String id, byte[] event, LongConsumer persisted, Runnable recovered) {
    return Behaviors.setup(context -> new Writer(context, id, event, persisted, recovered));
  }

  @Override
  public Long emptyState() {
    return 0L;
  }

  @Override
  public CommandHandler<Command, byte[], Long> commandHandler() {
    return newCommandHandlerBuilder()
        .forAnyState()
        .onCommand(
            Command.WRITE::equals,
            command -> {
              began = System.nanoTime();
              return Effect()
                  .persist(event)
                  .thenRun(
                      state -> {
                        persisted.accept(System.nanoTime() - began);
                        context.getSelf().tell(Command.WRITE);
                      });
            })
        .onCommand(Command.STOP::equals, command -> Effect().stop())
        .build();
  }

  @Override
  public EventHandler<Long, byte[]> eventHandler() {
    return (count, written) -> count + 1;
  }

  @Override
  public SignalHandler<Long> signalHandler() {
    return newSignalHandlerBuilder()
        .onSignal(RecoveryCompleted.instance(), state -> recovered.run())
        .build();
  }
}
