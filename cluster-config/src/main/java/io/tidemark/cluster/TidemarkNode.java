package io.tidemark.cluster;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.Terminated;
import akka.actor.typed.javadsl.AbstractBehavior;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import akka.actor.typed.javadsl.Receive;
import akka.actor.typed.javadsl.TimerScheduler;
import io.tidemark.broker.BrokerNode;
import io.tidemark.controller.ControllerReplica;
import io.tidemark.wire.BrokerMessage;
import io.tidemark.wire.ReplicaMessage;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Function;

/** The parent of a node's Tidemark actors: its broker, and its member of the controller quorum. */
final class TidemarkNode extends AbstractBehavior<TidemarkNode.Command> {

  sealed interface Command {}

  /** Hand over everything and stop taking part. */
  record Leave(ActorRef<BrokerNode.Left> replyTo) implements Command {}

  /** The process of that incarnation of a broker was seen to end. */
  record PeerDied(int brokerId, UUID incarnation) implements Command {}

  private record RestartController() implements Command {}

  private static final Duration FIRST_RESTART = Duration.ofSeconds(1);
  private static final Duration LAST_RESTART = Duration.ofMinutes(1);

  private final TimerScheduler<Command> timers;
  private final Behavior<ReplicaMessage> controllerBehavior;
  private final ActorRef<BrokerMessage> broker;
  private ActorRef<ReplicaMessage> controller;
  private Duration restart = FIRST_RESTART;
  private long startedAt;

  private TidemarkNode(
      ActorContext<Command> context,
      TimerScheduler<Command> timers,
      Behavior<BrokerMessage> broker,
      Function<ActorRef<BrokerMessage>, Behavior<ReplicaMessage>> controller) {
    super(context);
    this.timers = timers;
    this.broker = context.spawn(broker, "broker");
    this.controllerBehavior = controller.apply(this.broker);
    startController();
  }

  static Behavior<Command> create(
      Behavior<BrokerMessage> broker,
      Function<ActorRef<BrokerMessage>, Behavior<ReplicaMessage>> controller) {
    return Behaviors.setup(
        context ->
            Behaviors.withTimers(timers -> new TidemarkNode(context, timers, broker, controller)));
  }

  private void startController() {
    controller = getContext().spawn(controllerBehavior, "controller");
    getContext().watch(controller);
    startedAt = System.nanoTime();
  }

  @Override
  public Receive<Command> createReceive() {
    return newReceiveBuilder()
        .onMessage(PeerDied.class, this::onPeerDied)
        .onMessage(Leave.class, this::onLeave)
        .onMessage(RestartController.class, this::onRestartController)
        .onSignal(Terminated.class, this::onControllerTerminated)
        .build();
  }

  private Behavior<Command> onPeerDied(PeerDied died) {
    controller.tell(new ControllerReplica.Suspect(died.brokerId()));
    broker.tell(new BrokerNode.PeerDied(died.brokerId(), died.incarnation()));
    return this;
  }

  private Behavior<Command> onLeave(Leave leave) {
    ActorRef<BrokerNode.Left> handOverController =
        getContext()
            .spawnAnonymous(
                Behaviors.receiveMessage(
                    left -> {
                      controller.tell(new ControllerReplica.Resign());
                      leave.replyTo().tell(left);
                      return Behaviors.stopped();
                    }));
    broker.tell(new BrokerNode.Leave(handOverController));
    return this;
  }

  /** Its log failed, and may work again: a full disk is emptied, a damaged one exchanged. */
  private Behavior<Command> onControllerTerminated(Terminated terminated) {
    boolean ranLong = System.nanoTime() - startedAt > LAST_RESTART.toNanos();
    Duration doubled = restart.multipliedBy(2);
    Duration next = doubled.compareTo(LAST_RESTART) > 0 ? LAST_RESTART : doubled;
    restart = ranLong ? FIRST_RESTART : next;
    timers.startSingleTimer(new RestartController(), restart);
    return this;
  }

  private Behavior<Command> onRestartController(RestartController tick) {
    startController();
    return this;
  }
}
