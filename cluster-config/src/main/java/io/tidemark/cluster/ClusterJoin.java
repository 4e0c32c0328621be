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
import akka.cluster.MemberStatus;
import akka.cluster.typed.Cluster;
import akka.cluster.typed.Join;
import io.tidemark.wire.ControlMessage;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Joins the Akka cluster by what the controller quorum knows: the node that leads it forms the
 * cluster when most voters say that they are in none; everybody else joins it. So a node that comes
 * back, however slowly, never forms a second cluster beside the others'.
 */
public final class ClusterJoin extends AbstractBehavior<ClusterJoin.Command> {
  private static final String NAME = "tidemark-join";
  private static final Duration TICK = Duration.ofMillis(200);

  /** What it does and is asked. */
  public sealed interface Command {}

  /** Are you in a cluster? */
  record Ask(ActorRef<Answer> replyTo) implements Command, ControlMessage {}

  /**
   * @param address {@code host:port} of who answers
   */
  record Answer(String address, boolean joined) implements Command, ControlMessage {}

  private record Tick() implements Command {}

  private final Cluster cluster;
  private final ActorRefResolver resolver;
  private final List<String> voters;
  private final Supplier<String> leader;
  private final String self;
  private final Map<String, Boolean> answers = new HashMap<>();

  private ClusterJoin(ActorContext<Command> context, List<String> voters, Supplier<String> leader) {
    super(context);
    this.cluster = Cluster.get(context.getSystem());
    this.resolver = ActorRefResolver.get(context.getSystem());
    this.voters = voters;
    this.leader = leader;
    this.self = BrokerAllocation.hostPort(cluster.selfMember().address());
  }

  /**
   * @param voters addresses of the quorum's voters
   * @param leader the address of the quorum's leader, null while it is not known
   */
  static Behavior<Command> create(List<String> voters, Supplier<String> leader) {
    return Behaviors.setup(
        context ->
            Behaviors.withTimers(
                timers -> {
                  timers.startTimerWithFixedDelay(new Tick(), Duration.ZERO, TICK);
                  return new ClusterJoin(context, voters, leader);
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

  private boolean isJoined() {
    MemberStatus status = cluster.selfMember().status();
    return status != MemberStatus.removed() && !Objects.equals(status, MemberStatus.down());
  }

  private Behavior<Command> onAsk(Ask ask) {
    ask.replyTo().tell(new Answer(self, isJoined()));
    return this;
  }

  private Behavior<Command> onTick(Tick tick) {
    String known = leader.get();
    if (known == null || isJoined()) {
      answers.clear();
    } else if (known.equals(self)) {
      voters.forEach(this::ask);
    } else {
      ask(known);
    }
    return this;
  }

  private void ask(String address) {
    String path = "akka://" + getContext().getSystem().name() + "@" + address + "/system/" + NAME;
    resolver.<Command>resolveActorRef(path).tell(new Ask(getContext().getSelf().narrow()));
  }

  private Behavior<Command> onAnswer(Answer answer) {
    if (isJoined()) {
      return this;
    }
    if (answer.joined()) {
      join(answer.address());
      return this;
    }
    answers.put(answer.address(), true);
    boolean most = 2 * answers.keySet().stream().filter(voters::contains).count() > voters.size();
    if (self.equals(leader.get()) && most) {
      join(self);
    }
    return this;
  }

  private void join(String address) {
    Address target =
        AddressFromURIString.parse("akka://" + getContext().getSystem().name() + "@" + address);
    cluster.manager().tell(Join.create(target));
  }

  static String name() {
    return NAME;
  }
}
