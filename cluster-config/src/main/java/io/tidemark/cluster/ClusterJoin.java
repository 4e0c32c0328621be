package io.tidemark.cluster;

import akka.actor.Address;
import akka.actor.AddressFromURIString;
import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorRefResolver;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.AbstractBehavior;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import akka.actor.typed.javadsl.Receive;
import akka.actor.typed.javadsl.TimerScheduler;
import akka.cluster.Member;
import akka.cluster.MemberStatus;
import akka.cluster.typed.Cluster;
import akka.cluster.typed.Join;
import io.tidemark.cluster.ClusterChoice.Decision;
import io.tidemark.cluster.ClusterChoice.Situation;
import io.tidemark.wire.ControlMessage;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Joins the Akka cluster by what the controller quorum knows: the shell of {@link ClusterChoice}.
 */
final class ClusterJoin extends AbstractBehavior<ClusterJoin.Command> {
  static final String NAME = "tidemark-join";

  private static final Duration TICK = Duration.ofMillis(200);

  /** For a member, which only watches that its cluster is the leader's: answers are fresh then. */
  private static final Duration MEMBERS_TICK = Duration.ofNanos(ClusterChoice.FRESH_NANOS / 2);

  sealed interface Command {}

  /** Are you in a cluster, and in which? */
  record Ask(ActorRef<Answer> replyTo) implements Command, ControlMessage {}

  /**
   * @param address {@code host:port} of who answers
   * @param oldest the oldest member of its cluster, null for none
   */
  record Answer(String address, boolean joined, String oldest) implements Command, ControlMessage {}

  private record Tick() implements Command {}

  /**
   * What the node knows.
   *
   * @param voters addresses of the quorum's voters
   * @param leader the address of its leader, null while it is not known
   * @param registered whether the quorum has accepted this node's broker
   * @param startAnew is run when the node is in another cluster than the leader
   */
  record Node(
      List<String> voters,
      Supplier<String> leader,
      BooleanSupplier registered,
      Runnable startAnew) {}

  private final TimerScheduler<Command> timers;
  private final Node node;
  private final Cluster cluster;
  private final ActorRefResolver resolver;
  private final String self;
  private final ClusterChoice choice;
  private final long origin = System.nanoTime();

  private ClusterJoin(ActorContext<Command> context, TimerScheduler<Command> timers, Node node) {
    super(context);
    context.setLoggerName(ClusterJoin.class);
    this.timers = timers;
    this.node = node;
    this.cluster = Cluster.get(context.getSystem());
    this.resolver = ActorRefResolver.get(context.getSystem());
    this.self = BrokerAllocation.hostPort(cluster.selfMember().address());
    this.choice = new ClusterChoice(self, node.voters());
  }

  static Behavior<Command> create(Node node) {
    return Behaviors.setup(
        context ->
            Behaviors.withTimers(
                timers -> {
                  context.getSelf().tell(new Tick());
                  return new ClusterJoin(context, timers, node);
                }));
  }

  @Override
  public Receive<Command> createReceive() {
    return newReceiveBuilder()
        .onMessage(Tick.class, this::onTick)
        .onMessage(Ask.class, this::onAsk)
        .onMessage(Answer.class, this::onAnswer)
        .build();
  }

  private Behavior<Command> onAsk(Ask ask) {
    ask.replyTo().tell(new Answer(self, isJoined(), oldest()));
    return this;
  }

  private Behavior<Command> onAnswer(Answer answer) {
    choice.answered(answer.address(), answer.joined(), answer.oldest(), now());
    return this;
  }

  private Behavior<Command> onTick(Tick tick) {
    Situation situation =
        new Situation(node.leader().get(), node.registered().getAsBoolean(), isJoined(), oldest());
    Decision decision = choice.decide(situation, now());
    if (decision instanceof Decision.Form) {
      getContext().getLog().info("{} forms the Akka cluster", self);
      join(self);
    } else if (decision instanceof Decision.Join other) {
      join(other.address());
    } else if (decision instanceof Decision.StartAnew) {
      getContext()
          .getLog()
          .warn("{} is in another Akka cluster than the controller, and starts anew", self);
      node.startAnew().run();
      return Behaviors.stopped();
    }
    choice.toAsk(situation).forEach(this::ask);
    timers.startSingleTimer(tick, situation.joined() ? MEMBERS_TICK : TICK);
    return this;
  }

  private void ask(String address) {
    String path = "akka://" + getContext().getSystem().name() + "@" + address + "/system/" + NAME;
    resolver.<Command>resolveActorRef(path).tell(new Ask(getContext().getSelf().narrow()));
  }

  private boolean isJoined() {
    MemberStatus status = cluster.selfMember().status();
    return !status.equals(MemberStatus.removed()) && !status.equals(MemberStatus.down());
  }

  private String oldest() {
    Member oldest = null;
    for (Member member : cluster.state().getMembers()) {
      if (member.status().equals(MemberStatus.up())
          && (oldest == null || member.isOlderThan(oldest))) {
        oldest = member;
      }
    }
    return oldest == null ? null : oldest.uniqueAddress().toString();
  }

  private void join(String address) {
    Address target =
        AddressFromURIString.parse("akka://" + getContext().getSystem().name() + "@" + address);
    cluster.manager().tell(Join.create(target));
  }

  private long now() {
    return System.nanoTime() - origin;
  }
}
