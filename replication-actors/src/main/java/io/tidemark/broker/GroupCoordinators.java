package io.tidemark.broker;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.SupervisorStrategy;
import akka.actor.typed.Terminated;
import akka.actor.typed.javadsl.AbstractBehavior;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import akka.actor.typed.javadsl.Receive;
import akka.actor.typed.javadsl.TimerScheduler;
import io.tidemark.controller.MetadataImage;
import io.tidemark.controller.Topic;
import io.tidemark.group.GroupRequests;
import io.tidemark.group.GroupSettings;
import io.tidemark.group.TopicPartitions;
import io.tidemark.protocol.ControllerRequest.CreateGroupsTopic;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.GroupResponse;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import io.tidemark.replica.PeerLocator;
import io.tidemark.wire.BrokerMessage.AskGroup;
import io.tidemark.wire.BrokerMessage.GroupAnswered;
import io.tidemark.wire.ReplicaMessage;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * A broker's group coordinators: one for each partition of the internal topic that it leads, in
 * each leader epoch another one.
 */
final class GroupCoordinators extends AbstractBehavior<GroupCoordinators.Command> {

  sealed interface Command {}

  record ImageChanged(MetadataImage image) implements Command {}

  record Asked(AskGroup ask) implements Command {}

  /**
   * @param self the broker's id
   * @param locator finds its replicas
   */
  record Setup(int self, PeerLocator locator, GroupSettings settings) {}

  private record Located(ReplicaMessage.Located located) implements Command {}

  private record Produced(ReplicaMessage.ProduceReply reply) implements Command {}

  private record Fetched(ReplicaMessage.FetchReply reply) implements Command {}

  private record Listed(ReplicaMessage.ListOffsetsReply reply) implements Command {}

  private record Tick() implements Command {}

  /** What outlives a failure of the actor: nobody tells it again. */
  private static final class Known {
    private MetadataImage image = MetadataImage.EMPTY;
  }

  private static final Duration TICK = Duration.ofMillis(50);

  private final int self;
  private final PeerLocator locator;
  private final GroupReplica.Answers answers;
  private final ActorRef<ReplicaMessage.Located> locations;
  private final Map<Integer, GroupReplica> led = new HashMap<>();
  private final long origin = System.nanoTime();
  private final GroupSettings settings;
  private final Known known;
  private MetadataImage image = MetadataImage.EMPTY;

  private GroupCoordinators(
      ActorContext<Command> context, TimerScheduler<Command> timers, Setup setup, Known known) {
    super(context);
    context.setLoggerName(GroupCoordinators.class);
    this.self = setup.self();
    this.locator = setup.locator();
    this.settings = setup.settings();
    this.known = known;
    this.locations = context.messageAdapter(ReplicaMessage.Located.class, Located::new);
    this.answers =
        new GroupReplica.Answers(
            context.messageAdapter(ReplicaMessage.ProduceReply.class, Produced::new),
            context.messageAdapter(ReplicaMessage.FetchReply.class, Fetched::new),
            context.messageAdapter(ReplicaMessage.ListOffsetsReply.class, Listed::new),
            context.getSystem().ignoreRef());
    timers.startTimerWithFixedDelay(new Tick(), TICK);
    onImageChanged(new ImageChanged(known.image));
  }

  /** One that failed starts anew and reads what is written. */
  static Behavior<Command> create(Setup setup) {
    Known known = new Known();
    return Behaviors.supervise(
            Behaviors.<Command>setup(
                context ->
                    Behaviors.withTimers(
                        timers -> new GroupCoordinators(context, timers, setup, known))))
        .onFailure(SupervisorStrategy.restartWithBackoff(TICK, Duration.ofSeconds(10), 0.1));
  }

  @Override
  public Receive<Command> createReceive() {
    return newReceiveBuilder()
        .onMessage(ImageChanged.class, this::onImageChanged)
        .onMessage(Asked.class, this::onAsked)
        .onMessage(Located.class, this::onLocated)
        .onMessage(Produced.class, it -> each(replica -> replica.produced(it.reply(), now())))
        .onMessage(Fetched.class, it -> each(replica -> replica.fetched(it.reply(), now())))
        .onMessage(Listed.class, it -> each(replica -> replica.listed(it.reply(), now())))
        .onMessage(Tick.class, this::onTick)
        .onSignal(Terminated.class, this::onTerminated)
        .build();
  }

  private Behavior<Command> onImageChanged(ImageChanged changed) {
    MetadataImage before = image;
    image = changed.image();
    known.image = image;
    boolean started = false;
    Topic topic = image.topicsByName().get(CreateGroupsTopic.NAME);
    for (int i = 0; topic != null && i < topic.partitions(); i++) {
      PartitionId id = new PartitionId(topic.id(), i);
      PartitionState state = image.partition(id);
      GroupReplica running = led.get(i);
      boolean leads = state.leader() == self;
      if (running != null && (!leads || running.epoch() != state.leaderEpoch())) {
        led.remove(i).stop();
        running = null;
      }
      if (leads && running == null) {
        started = true;
        led.put(i, new GroupReplica(id, state.leaderEpoch(), settings, answers));
      }
    }
    if (started || before.topicsByName() != image.topicsByName()) {
      Map<String, TopicPartitions> topics = topics();
      led.values().forEach(replica -> replica.topicsChanged(topics));
    }
    return this;
  }

  private Map<String, TopicPartitions> topics() {
    Map<String, TopicPartitions> topics = new HashMap<>();
    image
        .topicsByName()
        .forEach(
            (name, topic) -> {
              if (!name.equals(CreateGroupsTopic.NAME)) {
                topics.put(name, new TopicPartitions(topic.id(), topic.partitions()));
              }
            });
    return topics;
  }

  private Behavior<Command> onAsked(Asked asked) {
    AskGroup ask = asked.ask();
    Topic topic = image.topicsByName().get(CreateGroupsTopic.NAME);
    GroupReplica replica =
        topic == null
            ? null
            : led.get(GroupRequests.partitionOf(ask.request().groupId(), topic.partitions()));
    if (replica == null) {
      ask.replyTo()
          .tell(
              new GroupAnswered(
                  ask.requestId(),
                  new GroupResponse.Failed(
                      ErrorCode.NOT_COORDINATOR,
                      "broker %d does not coordinate group '%s'"
                          .formatted(self, ask.request().groupId()))));
    } else {
      replica.asked(ask, now());
    }
    return this;
  }

  private Behavior<Command> onLocated(Located located) {
    GroupReplica replica = led.get(located.located().partition().partition());
    if (replica != null && replica.isLost()) {
      getContext().watch(located.located().replica());
      replica.found(located.located().replica());
    }
    return this;
  }

  private Behavior<Command> onTerminated(Terminated terminated) {
    return each(replica -> replica.lost(terminated.getRef()));
  }

  private Behavior<Command> onTick(Tick tick) {
    return each(
        replica -> {
          if (replica.isLost()) {
            locator.locate(replica.id(), self, locations);
          }
          return replica.timePassed(now());
        });
  }

  /** One that is over starts anew, in the same epoch: by reading it finds what became of all. */
  private Behavior<Command> each(Function<GroupReplica, Boolean> action) {
    led.replaceAll(
        (partition, replica) -> {
          if (action.apply(replica)) {
            return replica;
          }
          getContext()
              .getLog()
              .warn(
                  "the coordinator of the groups of partition {} starts anew in epoch {}",
                  partition,
                  replica.epoch());
          GroupReplica next = new GroupReplica(replica.id(), replica.epoch(), settings, answers);
          next.topicsChanged(topics());
          return next;
        });
    return this;
  }

  private long now() {
    return System.nanoTime() - origin;
  }
}
