package io.tidemark.client;

import akka.Done;
import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.javadsl.AbstractBehavior;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import akka.actor.typed.javadsl.Receive;
import akka.actor.typed.javadsl.TimerScheduler;
import akka.stream.BoundedSourceQueue;
import akka.stream.QueueOfferResult;
import io.tidemark.group.GroupMember;
import io.tidemark.group.GroupRequests;
import io.tidemark.group.MemberEffect;
import io.tidemark.group.MemberSettings;
import io.tidemark.protocol.CommittedOffset;
import io.tidemark.protocol.ControllerRequest.CreateGroupsTopic;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.GroupResponse.AssignedPartition;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import io.tidemark.wire.BrokerMessage.AskGroup;
import io.tidemark.wire.BrokerMessage.DescribeTopic;
import io.tidemark.wire.BrokerMessage.GroupAnswered;
import io.tidemark.wire.BrokerMessage.TopicDescribed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** A consumer behind its stream: the shell of {@link GroupMember}. */
final class ConsumerActor extends AbstractBehavior<ConsumerActor.Command> {

  sealed interface Command {}

  record Commit(List<CommittedOffset> offsets, CompletableFuture<Done> result) implements Command {}

  /** Hand on nothing more; what was handed on may still be committed. */
  record Stop(CompletableFuture<Done> done) implements Command {}

  /** Stop, give up what is held, and end. */
  record Shutdown() implements Command {}

  /** The stream ended. */
  record StreamEnded(boolean failed) implements Command {}

  private record FeedEnded(PartitionId partition, PartitionFeed feed) implements Command {}

  private record Described(TopicDescribed topic) implements Command {}

  private record Answered(GroupAnswered answer) implements Command {}

  private record Tick() implements Command {}

  /**
   * @param commits whether what is read will be committed
   * @param feeds where partitions to read go
   * @param memory of all partitions together
   * @param ended completes with the actor
   */
  record Setup(
      ConsumerSettings<?, ?> settings,
      Subscription subscription,
      boolean commits,
      BoundedSourceQueue<PartitionFeed> feeds,
      FetchMemory memory,
      CompletableFuture<Done> ended) {}

  private static final Duration TICK = Duration.ofMillis(50);

  private final Setup setup;
  private final GroupMember member;
  private final TopicSearch search;
  private final String groupId;

  /** Whether there is anything to tell a coordinator. */
  private final boolean isGroupUsed;

  private final ActorRef<TopicDescribed> descriptions;
  private final ActorRef<GroupAnswered> answers;

  /** What the group gave, the last of each partition. */
  private final Map<PartitionId, PartitionFeed> reading = new HashMap<>();

  /** What the subscription itself names. */
  private final List<PartitionFeed> chosen = new ArrayList<>();

  private final Map<Long, CompletableFuture<Done>> commits = new HashMap<>();
  private final long origin = System.nanoTime();
  private Map<Integer, String> brokers = Map.of();
  private long nextToken;
  private boolean stopping;
  private boolean awaitsCommits;
  private boolean over;

  private ConsumerActor(
      ActorContext<Command> context, TimerScheduler<Command> timers, Setup setup) {
    super(context);
    context.setLoggerName(ConsumerActor.class);
    this.setup = setup;
    ConsumerSettings<?, ?> settings = setup.settings();
    this.groupId = settings.groupId();
    this.awaitsCommits = setup.commits();
    this.descriptions = context.messageAdapter(TopicDescribed.class, Described::new);
    this.answers = context.messageAdapter(GroupAnswered.class, Answered::new);
    List<String> topics =
        setup.subscription() instanceof Subscription.Topics wanted
            ? List.copyOf(wanted.topics())
            : List.of();
    this.search = new TopicSearch(topics);
    this.member =
        new GroupMember(
            new MemberSettings(
                groupId,
                topics.isEmpty() ? "" : UUID.randomUUID().toString(),
                topics,
                settings.heartbeatIntervalMs(),
                settings.sessionTimeoutMs(),
                settings.drainTimeoutMs(),
                settings.commitTimeoutMs()));
    if (setup.subscription() instanceof Subscription.Assignment assignment) {
      assignment
          .partitions()
          .forEach((partition, start) -> chosen.add(feed(partition, null, start)));
    }
    this.isGroupUsed = setup.commits() || !topics.isEmpty();
    if (isGroupUsed) {
      timers.startTimerWithFixedDelay(new Tick(), Duration.ZERO, TICK);
    }
  }

  static Behavior<Command> create(Setup setup) {
    return Behaviors.setup(
        context -> Behaviors.withTimers(timers -> new ConsumerActor(context, timers, setup)));
  }

  @Override
  public Receive<Command> createReceive() {
    return newReceiveBuilder()
        .onMessage(Commit.class, this::onCommit)
        .onMessage(Answered.class, this::onAnswered)
        .onMessage(Tick.class, this::onTick)
        .onMessage(Described.class, this::onDescribed)
        .onMessage(FeedEnded.class, this::onFeedEnded)
        .onMessage(Stop.class, this::onStop)
        .onMessage(Shutdown.class, this::onShutdown)
        .onMessage(StreamEnded.class, this::onStreamEnded)
        .onSignal(PostStop.class, this::onPostStop)
        .build();
  }

  private Behavior<Command> onCommit(Commit commit) {
    long token = nextToken++;
    commits.put(token, commit.result());
    return perform(member.commit(token, commit.offsets(), now()));
  }

  private Behavior<Command> onAnswered(Answered answered) {
    GroupAnswered answer = answered.answer();
    return perform(member.answered(answer.requestId(), answer.response(), now()));
  }

  private Behavior<Command> onTick(Tick tick) {
    search.due(now()).forEach(this::ask);
    search
        .complaints(now())
        .forEach(it -> getContext().getLog().warn("group '{}' waits for {}", groupId, it));
    return perform(member.timePassed(now()));
  }

  private void ask(String topic) {
    setup.settings().client().nodes().tellAny(new DescribeTopic(topic, descriptions));
  }

  private Behavior<Command> onDescribed(Described described) {
    TopicDescribed topic = described.topic();
    search.described(topic.topic(), topic.topicId() != null);
    if (!CreateGroupsTopic.NAME.equals(topic.topic())) {
      return this;
    }
    brokers = topic.brokers();
    if (topic.partitions().isEmpty()) {
      return this;
    }
    PartitionState state =
        topic.partitions().get(GroupRequests.partitionOf(groupId, topic.partitions().size()));
    return perform(member.coordinatorFound(state.leader(), state.leaderEpoch(), now()));
  }

  private Behavior<Command> onFeedEnded(FeedEnded ended) {
    if (reading.get(ended.partition()) != ended.feed()) {
      return this;
    }
    long awaited = awaitsCommits ? ended.feed().end() : -1;
    return perform(member.stopped(ended.partition(), awaited, now()));
  }

  private Behavior<Command> onStop(Stop stop) {
    stopping = true;
    completeStream();
    stopFeeds();
    stop.done().complete(Done.getInstance());
    return this;
  }

  private Behavior<Command> onShutdown(Shutdown shutdown) {
    onStop(new Stop(new CompletableFuture<>()));
    return leave();
  }

  /** Unless it was told to stop: then somebody will say when all is committed. */
  private Behavior<Command> onStreamEnded(StreamEnded ended) {
    awaitsCommits &= !ended.failed();
    return stopping ? this : leave();
  }

  private Behavior<Command> leave() {
    stopping = true;
    if (!isGroupUsed) {
      return Behaviors.stopped();
    }
    for (PartitionFeed feed : chosen) {
      PartitionId id = feed.id();
      if (id != null) {
        reading.put(id, feed);
        member.hold(id);
      }
    }
    return perform(member.leave(now()));
  }

  private Behavior<Command> perform(List<MemberEffect> effects) {
    effects.forEach(this::perform);
    return over ? Behaviors.stopped() : this;
  }

  private void perform(MemberEffect effect) {
    if (effect instanceof MemberEffect.FindCoordinator) {
      ask(CreateGroupsTopic.NAME);
    } else if (effect instanceof MemberEffect.Send send) {
      String address = brokers.get(send.broker());
      if (address != null) {
        setup
            .settings()
            .client()
            .nodes()
            .tell(address, new AskGroup(send.requestId(), send.request(), answers));
      }
    } else if (effect instanceof MemberEffect.Start start) {
      start(start.partition());
    } else if (effect instanceof MemberEffect.Revoke revoke) {
      tell(new ConsumerEvent.Revoked(end(revoke.partition())));
    } else if (effect instanceof MemberEffect.Lost lost) {
      tell(new ConsumerEvent.Lost(end(lost.partition())));
    } else if (effect instanceof MemberEffect.Committed committed) {
      commits.remove(committed.token()).complete(Done.getInstance());
    } else if (effect instanceof MemberEffect.CommitFailed failed) {
      commits
          .remove(failed.token())
          .completeExceptionally(new GroupFailure(failed.error(), groupId, failed.reason()));
    } else if (effect instanceof MemberEffect.Refused refused) {
      failStream(refused.error(), refused.reason());
    } else if (effect instanceof MemberEffect.Left) {
      over = true;
    }
  }

  private void tell(ConsumerEvent event) {
    setup.settings().listener().accept(event);
  }

  private void start(AssignedPartition assigned) {
    TopicPartition partition =
        new TopicPartition(assigned.topic(), assigned.partition().partition());
    Start start =
        assigned.offset() < 0
            ? new Start.Uncommitted()
            : new Start.At(assigned.offset(), assigned.leaderEpoch());
    // Before its first record can come.
    tell(new ConsumerEvent.Assigned(partition));
    reading.put(assigned.partition(), feed(partition, assigned.partition().topicId(), start));
  }

  private PartitionFeed feed(TopicPartition partition, UUID topicId, Start start) {
    PartitionFeed feed =
        new PartitionFeed(
            partition,
            topicId,
            start,
            setup,
            new ConsumerHandle(getContext().getSelf(), setup.ended(), setup.settings()));
    if (!stopping && setup.feeds().offer(feed) != QueueOfferResult.enqueued()) {
      failStream(
          ErrorCode.GROUP_MAX_SIZE_REACHED,
          "the stream does not take up the partitions that it is given");
    }
    return feed;
  }

  private TopicPartition end(PartitionId partition) {
    PartitionFeed feed = reading.get(partition);
    ActorRef<Command> self = getContext().getSelf();
    feed.stop().thenRun(() -> self.tell(new FeedEnded(partition, feed)));
    return feed.partition();
  }

  private void completeStream() {
    try {
      setup.feeds().complete();
    } catch (IllegalStateException e) {
      // It has ended by itself, perhaps just now.
      stopping = true;
    }
  }

  private void failStream(ErrorCode error, String reason) {
    try {
      setup.feeds().fail(new GroupFailure(error, groupId, reason));
    } catch (IllegalStateException e) {
      // It has ended by itself, perhaps just now.
      stopping = true;
    }
  }

  private void stopFeeds() {
    reading.values().forEach(PartitionFeed::stop);
    chosen.forEach(PartitionFeed::stop);
  }

  /** A stream must not look complete when its consumer has failed. */
  private Behavior<Command> onPostStop(PostStop signal) {
    stopFeeds();
    if (stopping) {
      completeStream();
    } else {
      failStream(ErrorCode.REQUEST_TIMED_OUT, "the consumer has failed; its log says why");
    }
    GroupFailure ended =
        new GroupFailure(
            ErrorCode.REQUEST_TIMED_OUT, groupId, "the consumer ended before it was committed");
    commits.values().forEach(result -> result.completeExceptionally(ended));
    setup.ended().complete(Done.getInstance());
    return this;
  }

  private long now() {
    return System.nanoTime() - origin;
  }
}
