package io.tidemark.broker;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.AbstractBehavior;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import akka.actor.typed.javadsl.Receive;
import akka.actor.typed.javadsl.TimerScheduler;
import io.tidemark.controller.Broker;
import io.tidemark.controller.ControllerReplica.ControllerMoved;
import io.tidemark.controller.ControllerReplica.ImageChanged;
import io.tidemark.controller.MetadataImage;
import io.tidemark.controller.Topic;
import io.tidemark.group.GroupSettings;
import io.tidemark.protocol.ControllerRequest.BrokerDied;
import io.tidemark.protocol.ControllerRequest.CreateGroupsTopic;
import io.tidemark.protocol.ControllerRequest.RegisterBroker;
import io.tidemark.protocol.ControllerResponse;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import io.tidemark.replica.PartitionReplica;
import io.tidemark.replica.PartitionReplica.ReplicaErased;
import io.tidemark.replica.PartitionReplica.ReplicaFailed;
import io.tidemark.replica.PartitionReplica.ViewTaken;
import io.tidemark.replica.PeerLocator;
import io.tidemark.wire.BrokerMessage;
import io.tidemark.wire.BrokerMessage.AskController;
import io.tidemark.wire.BrokerMessage.AskGroup;
import io.tidemark.wire.BrokerMessage.ControllerAnswered;
import io.tidemark.wire.BrokerMessage.DescribeReplica;
import io.tidemark.wire.BrokerMessage.DescribeTopic;
import io.tidemark.wire.BrokerMessage.FindReplica;
import io.tidemark.wire.BrokerMessage.TopicDescribed;
import io.tidemark.wire.ReplicaMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * A node's broker: registers with the controller and stays in touch, tells each replica what the
 * metadata says of it, and answers for the cluster to clients.
 */
public final class BrokerNode extends AbstractBehavior<BrokerMessage> {

  /** The process of that incarnation of a broker was seen to end. */
  public record PeerDied(int brokerId, UUID incarnation) implements BrokerMessage.Local {}

  /** Leave in order: lead nothing any more, be in no ISR. */
  public record Leave(ActorRef<Left> replyTo) implements BrokerMessage.Local {}

  /** The broker has left. */
  public record Left() {}

  private record LifecycleAnswered(ControllerAnswered answer) implements BrokerMessage.Local {}

  private record LinkAnswered(ControllerAnswered answer) implements BrokerMessage.Local {}

  private record Tick() implements BrokerMessage.Local {}

  /** Starts or reaches this node's own replicas, through sharding. */
  @FunctionalInterface
  public interface Replicas {
    void tell(PartitionId partition, ReplicaMessage message);
  }

  /**
   * @param registration who this broker is
   * @param locator finds replicas on any broker
   * @param stored replicas whose data is on this node's disk
   * @param imageObserver sees each image first; must not block
   * @param controllerObserver sees each new controller, null for none; must not block
   * @param voters of the controller quorum: at least so many brokers there are to be
   * @param groups of the coordinators of consumer groups
   * @param refused told once why this broker's directory can never be part of the cluster
   */
  public record Setup(
      RegisterBroker registration,
      Replicas replicas,
      PeerLocator locator,
      List<PartitionId> stored,
      Consumer<MetadataImage> imageObserver,
      Consumer<ActorRef<ReplicaMessage>> controllerObserver,
      int voters,
      GroupSettings groups,
      Consumer<String> refused) {}

  private static final Duration TICK = Duration.ofMillis(50);

  /** A failed disk is not tried again faster than this, doubling up to a minute. */
  private static final long FIRST_RESTART_NANOS = 1_000_000_000;

  private static final long LAST_RESTART_NANOS = 60_000_000_000L;

  /** Longer than it takes a controller that can. */
  private static final long CREATE_AGAIN_NANOS = 2_000_000_000;

  private final Replicas replicas;
  private final PeerLocator locator;
  private final Consumer<MetadataImage> imageObserver;
  private final Consumer<ActorRef<ReplicaMessage>> controllerObserver;
  private final int voters;
  private final Consumer<String> refused;
  private final BrokerLifecycle lifecycle;
  private final ReplicaViews views;
  private final ControllerLink link;
  private final ActorRef<ControllerAnswered> lifecycleAnswers;
  private final ActorRef<ControllerAnswered> ignored;
  private final ActorRef<GroupCoordinators.Command> groups;
  private final List<ActorRef<Left>> leaving = new ArrayList<>();
  private final long origin = System.nanoTime();
  private MetadataImage image = MetadataImage.EMPTY;
  private ActorRef<ReplicaMessage> controller;
  private int controllerId = -1;
  private long restartDelay = FIRST_RESTART_NANOS;
  private long restartAt = Long.MAX_VALUE;
  private long lastRestart = -LAST_RESTART_NANOS;
  private long createGroupsAt;
  private boolean incarnationEnds;
  private String lastRefusal = "";
  private final Set<PartitionId> failed = new HashSet<>();

  private BrokerNode(
      ActorContext<BrokerMessage> context, TimerScheduler<BrokerMessage> timers, Setup setup) {
    super(context);
    context.setLoggerName(BrokerNode.class);
    this.replicas = setup.replicas();
    this.locator = setup.locator();
    this.imageObserver = setup.imageObserver();
    this.controllerObserver = setup.controllerObserver();
    this.voters = setup.voters();
    this.refused = setup.refused();
    this.lifecycle = new BrokerLifecycle(setup.registration());
    this.views = new ReplicaViews(setup.registration().brokerId(), setup.stored());
    this.lifecycleAnswers =
        context.spawn(Behaviors.receiveMessage(this::passLifecycle), "lifecycle-answers");
    ActorRef<ControllerAnswered> linkAnswers =
        context.messageAdapter(ControllerAnswered.class, LinkAnswered::new);
    this.ignored = context.getSystem().ignoreRef();
    this.link = new ControllerLink(this::sendToController, linkAnswers);
    this.groups =
        context.spawn(
            GroupCoordinators.create(
                new GroupCoordinators.Setup(
                    setup.registration().brokerId(), setup.locator(), setup.groups())),
            "groups");
    timers.startTimerWithFixedDelay(new Tick(), TICK);
  }

  private Behavior<ControllerAnswered> passLifecycle(ControllerAnswered answer) {
    getContext().getSelf().tell(new LifecycleAnswered(answer));
    return Behaviors.same();
  }

  public static Behavior<BrokerMessage> create(Setup setup) {
    return Behaviors.setup(
        context -> Behaviors.withTimers(timers -> new BrokerNode(context, timers, setup)));
  }

  @Override
  public Receive<BrokerMessage> createReceive() {
    return newReceiveBuilder()
        .onMessage(ImageChanged.class, this::onImageChanged)
        .onMessage(ControllerMoved.class, this::onControllerMoved)
        .onMessage(DescribeTopic.class, this::onDescribeTopic)
        .onMessage(FindReplica.class, this::onFindReplica)
        .onMessage(DescribeReplica.class, this::onDescribeReplica)
        .onMessage(AskController.class, this::onAskController)
        .onMessage(AskGroup.class, this::onAskGroup)
        .onMessage(LifecycleAnswered.class, this::onLifecycleAnswered)
        .onMessage(LinkAnswered.class, this::onLinkAnswered)
        .onMessage(ViewTaken.class, this::onViewTaken)
        .onMessage(ReplicaFailed.class, this::onReplicaFailed)
        .onMessage(ReplicaErased.class, this::onReplicaErased)
        .onMessage(PeerDied.class, this::onPeerDied)
        .onMessage(Leave.class, this::onLeave)
        .onMessage(Tick.class, this::onTick)
        .build();
  }

  private Behavior<BrokerMessage> onImageChanged(ImageChanged changed) {
    image = changed.image();
    imageObserver.accept(image);
    groups.tell(new GroupCoordinators.ImageChanged(image));
    tellReplicas();
    return this;
  }

  /** A broker that has left starts none again. */
  private void tellReplicas() {
    if (lifecycle.phase() == BrokerLifecycle.Phase.GONE) {
      return;
    }
    views
        .unwanted(image, lifecycle.brokerEpoch(), now())
        .forEach(partition -> replicas.tell(partition, new PartitionReplica.Remove()));
    views
        .due(image, lifecycle.brokerEpoch(), now())
        .forEach(
            (partition, view) -> replicas.tell(partition, new PartitionReplica.TakeView(view)));
  }

  private Behavior<BrokerMessage> onControllerMoved(ControllerMoved moved) {
    controller = moved.ref();
    controllerId = moved.leader();
    controllerObserver.accept(controller);
    if (controller != null) {
      lifecycle.askAgain(now());
      link.leaderChanged(now());
      onTick(new Tick());
    }
    return this;
  }

  private boolean sendToController(ReplicaMessage.ControllerAsk ask) {
    if (controller == null) {
      return false;
    }
    controller.tell(ask);
    return true;
  }

  private Behavior<BrokerMessage> onDescribeTopic(DescribeTopic ask) {
    Topic topic = ask.topic() == null ? null : image.topicsByName().get(ask.topic());
    createIfWanted(ask, topic);
    List<PartitionState> partitions = new ArrayList<>();
    if (topic != null) {
      image.partitionsOf(topic.name()).forEach(id -> partitions.add(image.partition(id)));
    }
    Map<Integer, String> brokers = new HashMap<>();
    image.brokers().values().forEach(broker -> brokers.put(broker.id(), broker.address()));
    List<Integer> unfenced =
        image.brokers().values().stream()
            .filter(broker -> !broker.fenced())
            .map(Broker::id)
            .toList();
    ask.replyTo()
        .tell(
            new TopicDescribed(
                ask.topic(),
                topic == null ? null : topic.id(),
                topic == null ? 0 : ReplicaViews.maxBatchBytes(image, topic.config()),
                partitions,
                brokers,
                unfenced,
                controllerId));
    return this;
  }

  /** The internal topic of the groups comes with the first who asks for it. */
  private void createIfWanted(DescribeTopic ask, Topic topic) {
    if (topic == null && CreateGroupsTopic.NAME.equals(ask.topic()) && now() >= createGroupsAt) {
      createGroupsAt = now() + CREATE_AGAIN_NANOS;
      link.ask(
          new AskController(0, new CreateGroupsTopic(UUID.randomUUID(), voters), ignored), now());
    }
  }

  private Behavior<BrokerMessage> onAskGroup(AskGroup ask) {
    groups.tell(new GroupCoordinators.Asked(ask));
    return this;
  }

  private Behavior<BrokerMessage> onFindReplica(FindReplica find) {
    locator.locate(find.partition(), find.brokerId(), find.replyTo());
    return this;
  }

  private Behavior<BrokerMessage> onDescribeReplica(DescribeReplica ask) {
    replicas.tell(ask.partition(), new ReplicaMessage.Describe(ask.replyTo()));
    return this;
  }

  private Behavior<BrokerMessage> onAskController(AskController ask) {
    link.ask(ask, now());
    return this;
  }

  private Behavior<BrokerMessage> onLinkAnswered(LinkAnswered answered) {
    link.answered(answered.answer(), now());
    return this;
  }

  /** It is asked again and again, and may be refused for the same reason each time. */
  private void tellRefusal(ControllerResponse response) {
    if (response instanceof ControllerResponse.Failed refusal
        && lifecycle.phase() == BrokerLifecycle.Phase.REGISTERING
        && !refusal.message().equals(lastRefusal)
        && (refusal.error() == ErrorCode.INCONSISTENT_CLUSTER_ID
            || refusal.error() == ErrorCode.DUPLICATE_BROKER_REGISTRATION)) {
      lastRefusal = refusal.message();
      getContext().getLog().error("the controller refuses this broker: {}", refusal.message());
      if (refusal.error() == ErrorCode.INCONSISTENT_CLUSTER_ID) {
        refused.accept(refusal.message());
      }
    }
  }

  private Behavior<BrokerMessage> onLifecycleAnswered(LifecycleAnswered answered) {
    BrokerLifecycle.Phase before = lifecycle.phase();
    tellRefusal(answered.answer().response());
    lifecycle.answered(
        answered.answer().requestId(), answered.answer().response(), UUID.randomUUID(), now());
    if (before != lifecycle.phase()) {
      getContext()
          .getLog()
          .info(
              "broker {} is {} with epoch {}",
              lifecycle.brokerId(),
              lifecycle.phase(),
              lifecycle.brokerEpoch());
      tellReplicas();
    }
    return onTick(new Tick());
  }

  private Behavior<BrokerMessage> onViewTaken(ViewTaken taken) {
    views.confirmed(taken.partition(), taken.view());
    return this;
  }

  /**
   * A replica that lost its log is started again after a while, and recovers what the disk really
   * holds. One that was to lead may do so only as a new incarnation: others lead meanwhile.
   */
  private Behavior<BrokerMessage> onReplicaFailed(ReplicaFailed failure) {
    long now = now();
    failed.add(failure.partition());
    if (restartAt == Long.MAX_VALUE) {
      boolean wasQuiet = now - lastRestart > LAST_RESTART_NANOS;
      restartDelay =
          wasQuiet ? FIRST_RESTART_NANOS : Math.min(2 * restartDelay, LAST_RESTART_NANOS);
      restartAt = now + restartDelay;
    }
    if (failure.wasLeader() && !incarnationEnds) {
      incarnationEnds = true;
      if (lifecycle.brokerEpoch() >= 0) {
        link.ask(
            new AskController(
                0, new BrokerDied(lifecycle.brokerId(), lifecycle.incarnation()), ignored),
            now);
      }
    }
    return this;
  }

  private void restartFailed(long now) {
    restartAt = Long.MAX_VALUE;
    lastRestart = now;
    failed.forEach(views::forget);
    failed.clear();
    if (incarnationEnds) {
      incarnationEnds = false;
      lifecycle.restart(UUID.randomUUID(), true, now);
    }
  }

  private Behavior<BrokerMessage> onReplicaErased(ReplicaErased erased) {
    views.removed(erased.partition());
    return this;
  }

  private Behavior<BrokerMessage> onPeerDied(PeerDied died) {
    link.ask(
        new AskController(0, new BrokerDied(died.brokerId(), died.incarnation()), ignored), now());
    return this;
  }

  private Behavior<BrokerMessage> onLeave(Leave leave) {
    leaving.add(leave.replyTo());
    lifecycle.leave(now());
    return onTick(new Tick());
  }

  private Behavior<BrokerMessage> onTick(Tick tick) {
    long now = now();
    if (now >= restartAt) {
      restartFailed(now);
    }
    if (!incarnationEnds) {
      lifecycle
          .due(image.nextOffset(), now)
          .ifPresent(
              ask ->
                  sendToController(
                      new ReplicaMessage.ControllerAsk(
                          ask.requestId(), ask.request(), lifecycleAnswers)));
    }
    link.timePassed(now);
    tellReplicas();
    if (lifecycle.phase() == BrokerLifecycle.Phase.GONE && !leaving.isEmpty()) {
      views.started().forEach(id -> replicas.tell(id, new PartitionReplica.Stop()));
      leaving.forEach(waiting -> waiting.tell(new Left()));
      leaving.clear();
    }
    return this;
  }

  private long now() {
    return System.nanoTime() - origin;
  }
}
