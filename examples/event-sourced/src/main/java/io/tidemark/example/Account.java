package io.tidemark.example;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import akka.persistence.typed.PersistenceId;
import akka.persistence.typed.javadsl.CommandHandler;
import akka.persistence.typed.javadsl.EventHandler;
import akka.persistence.typed.javadsl.EventSourcedBehavior;
import akka.persistence.typed.javadsl.RetentionCriteria;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.Set;

/** A bank account: nothing in it knows where its events are stored. */
final class Account extends EventSourcedBehavior<Account.Command, Account.Event, Account.State> {

  /** What is written to the disk; {@code application.conf} binds it to a serializer. */
  interface Stored {}

  sealed interface Command {}

  /** Answered with the new balance, once it is on disk. */
  record Deposit(long cents, ActorRef<Long> replyTo) implements Command {}

  /** Answered with the new balance, or with −1 when there is not enough. */
  record Withdraw(long cents, ActorRef<Long> replyTo) implements Command {}

  record GetBalance(ActorRef<Long> replyTo) implements Command {}

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
  @JsonSubTypes({
    @JsonSubTypes.Type(value = Deposited.class, name = "deposited"),
    @JsonSubTypes.Type(value = Withdrawn.class, name = "withdrawn")
  })
  sealed interface Event extends Stored {}

  record Deposited(long cents) implements Event {}

  record Withdrawn(long cents) implements Event {}

  record State(long balance) implements Stored {}

  private Account(PersistenceId id) {
    super(id);
  }

  static Behavior<Command> create(String number) {
    return Behaviors.setup(context -> new Account(PersistenceId.of("account", number)));
  }

  @Override
  public State emptyState() {
    return new State(0);
  }

  @Override
  public CommandHandler<Command, Event, State> commandHandler() {
    return newCommandHandlerBuilder()
        .forAnyState()
        .onCommand(
            Deposit.class,
            deposit ->
                Effect()
                    .persist(new Deposited(deposit.cents()))
                    .thenReply(deposit.replyTo(), State::balance))
        .onCommand(
            Withdraw.class,
            (state, withdraw) ->
                state.balance() < withdraw.cents()
                    ? Effect().none().thenReply(withdraw.replyTo(), same -> -1L)
                    : Effect()
                        .persist(new Withdrawn(withdraw.cents()))
                        .thenReply(withdraw.replyTo(), State::balance))
        .onCommand(
            GetBalance.class, ask -> Effect().none().thenReply(ask.replyTo(), State::balance))
        .build();
  }

  @Override
  public EventHandler<State, Event> eventHandler() {
    return newEventHandlerBuilder()
        .forAnyState()
        .onEvent(Deposited.class, (state, event) -> new State(state.balance() + event.cents()))
        .onEvent(Withdrawn.class, (state, event) -> new State(state.balance() - event.cents()))
        .build();
  }

  /** A snapshot every 50 events; the two before the newest stay, and the events before those go. */
  @Override
  public RetentionCriteria retentionCriteria() {
    return RetentionCriteria.snapshotEvery(50, 2).withDeleteEventsOnSnapshot();
  }

  /** The journal keeps the event and drops the tag. */
  @Override
  public Set<String> tagsFor(Event event) {
    return Set.of("accounts");
  }
}
