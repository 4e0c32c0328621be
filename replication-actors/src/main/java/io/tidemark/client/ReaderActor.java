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
import io.tidemark.channel.DataChannels;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.ListOffsetsRequest.Position;
import io.tidemark.protocol.PartitionId;
import io.tidemark.wire.BrokerMessage.DescribeTopic;
import io.tidemark.wire.BrokerMessage.TopicDescribed;
import io.tidemark.wire.ReplicaMessage;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** The shell of {@link ReaderCore}. */
final class ReaderActor extends AbstractBehavior<ReaderActor.Command> {

  sealed interface Command {}

  /** What is asked for: one after the other is answered. */
  sealed interface Call extends Command {
    CompletableFuture<?> result();

    /** When it is given up, null for never. */
    Duration patience();
  }

  /** The next batches from an offset on. */
  record Read(
      long offset, int lastEpoch, int maxBytes, Duration patience, CompletableFuture<Served> result)
      implements Call {}

  /** An answer, which broker gave it, and of which creation of the topic. */
  record Served(FetchResponse response, int broker, UUID topicId) {}

  record Find(Position position, long timestamp, Duration patience, CompletableFuture<Long> result)
      implements Call {}

  record DeleteBefore(long offset, Duration patience, CompletableFuture<Long> result)
      implements Call {}

  record Close() implements Command {}

  private record Described(TopicDescribed topic) implements Command {}

  private record Located(ReplicaMessage.Located located) implements Command {}

  private record Fetched(ReplicaMessage.FetchReply reply) implements Command {}

  private record Listed(ReplicaMessage.ListOffsetsReply reply) implements Command {}

  private record Deleted(ReplicaMessage.DeleteRecordsReply reply) implements Command {}

  private record Tick() implements Command {}

  /**
   * A call in its turn.
   *
   * @param giveUpAt by {@link #now}
   */
  private record Waiting(Call call, long giveUpAt) {}

  private static final Duration TICK = Duration.ofMillis(50);
  private static final int MAX_CALLS = 1_000;

  private final String topic;
  private final int partition;
  private final ClusterNodes nodes;
  private final TimerScheduler<Command> timers;
  private final ReaderCore core;
  private final ReplicaRefs replicas;
  private final ActorRef<TopicDescribed> descriptions;
  private final ActorRef<ReplicaMessage.FetchReply> fetches;
  private final ActorRef<ReplicaMessage.ListOffsetsReply> lists;
  private final ActorRef<ReplicaMessage.DeleteRecordsReply> deletions;
  private final long origin = System.nanoTime();

  /** The first one is the core's. */
  private final Deque<Waiting> calls = new ArrayDeque<>();

  private final CompletableFuture<Done> ended;
  private UUID topicId;
  private boolean ticking;

  private ReaderActor(ActorContext<Command> context, TimerScheduler<Command> timers, Setup setup) {
    super(context);
    context.setLoggerName(ReaderActor.class);
    this.topic = setup.topic();
    this.partition = setup.partition();
    this.nodes = setup.nodes();
    this.ended = setup.ended();
    this.timers = timers;
    this.core = new ReaderCore(partition, setup.source().onlyBroker(), setup.source().rack());
    this.replicas =
        new ReplicaRefs(
            nodes,
            DataChannels.get(context.getSystem()),
            context.messageAdapter(ReplicaMessage.Located.class, Located::new));
    this.descriptions = context.messageAdapter(TopicDescribed.class, Described::new);
    this.fetches = context.messageAdapter(ReplicaMessage.FetchReply.class, Fetched::new);
    this.lists = context.messageAdapter(ReplicaMessage.ListOffsetsReply.class, Listed::new);
    this.deletions = context.messageAdapter(ReplicaMessage.DeleteRecordsReply.class, Deleted::new);
  }

  /**
   * Which replica is read.
   *
   * @param onlyBroker −1 for the leader, or one that it proposes
   * @param rack where the reader stands, empty for the leader alone
   */
  record Source(int onlyBroker, String rack) {}

  /**
   * @param ended completes with the actor
   */
  record Setup(
      String topic,
      int partition,
      Source source,
      ClusterNodes nodes,
      CompletableFuture<Done> ended) {}

  static Behavior<Command> create(Setup setup) {
    return Behaviors.setup(
        context -> Behaviors.withTimers(timers -> new ReaderActor(context, timers, setup)));
  }

  @Override
  public Receive<Command> createReceive() {
    return newReceiveBuilder()
        .onMessage(Call.class, this::onCall)
        .onMessage(Deleted.class, this::onDeleted)
        .onMessage(Fetched.class, this::onFetched)
        .onMessage(Listed.class, this::onListed)
        .onMessage(Described.class, this::onDescribed)
        .onMessage(Located.class, this::onLocated)
        .onMessage(Tick.class, this::onTick)
        .onMessage(Close.class, close -> Behaviors.stopped())
        .onSignal(PostStop.class, this::onPostStop)
        .build();
  }

  private Behavior<Command> onCall(Call call) {
    if (calls.size() >= MAX_CALLS) {
      String reason = MAX_CALLS + " calls of this reader wait already; ask again later";
      call.result()
          .completeExceptionally(
              new ReadFailure(ErrorCode.REQUEST_TIMED_OUT, topic, partition, reason));
      return this;
    }
    boolean never = call.patience() == null;
    calls.add(new Waiting(call, never ? Long.MAX_VALUE : now() + call.patience().toNanos()));
    return calls.size() == 1 ? perform(begin(call)) : this;
  }

  private List<ReaderCore.Effect> begin(Call call) {
    if (call instanceof Read read) {
      return core.read(read.offset(), read.lastEpoch(), read.maxBytes(), now());
    } else if (call instanceof Find find) {
      return core.find(find.position(), find.timestamp(), now());
    }
    return core.deleteBefore(((DeleteBefore) call).offset(), now());
  }

  private Behavior<Command> onDeleted(Deleted deleted) {
    return perform(core.deleted(deleted.reply().requestId(), deleted.reply().response(), now()));
  }

  private Behavior<Command> onFetched(Fetched fetched) {
    return perform(core.fetched(fetched.reply().requestId(), fetched.reply().response(), now()));
  }

  private Behavior<Command> onListed(Listed listed) {
    return perform(core.listed(listed.reply().requestId(), listed.reply().response(), now()));
  }

  private Behavior<Command> onDescribed(Described described) {
    TopicDescribed found = described.topic();
    replicas.described(found);
    if (found.partitions().size() <= partition) {
      return perform(core.described(null, null, now()));
    }
    topicId = found.topicId();
    return perform(core.described(topicId, found.partitions().get(partition), now()));
  }

  private Behavior<Command> onLocated(Located located) {
    replicas.located(located.located());
    return this;
  }

  private Behavior<Command> onTick(Tick tick) {
    ticking = false;
    giveUpOverdue(now());
    replicas.findWaiting();
    return perform(core.timePassed(now()));
  }

  private void giveUpOverdue(long now) {
    Waiting first = calls.peek();
    for (Waiting waiting : List.copyOf(calls)) {
      if (now >= waiting.giveUpAt()) {
        calls.remove(waiting);
        ReaderCore.Trouble trouble = core.trouble();
        String reason = "not within " + waiting.call().patience() + ": " + trouble.reason();
        waiting
            .call()
            .result()
            .completeExceptionally(new ReadFailure(trouble.error(), topic, partition, reason));
      }
    }
    if (first != null && calls.peek() != first) {
      core.giveUp();
    }
  }

  private Behavior<Command> perform(List<ReaderCore.Effect> effects) {
    for (ReaderCore.Effect effect : effects) {
      perform(effect);
    }
    if (core.isIdle() && !calls.isEmpty()) {
      return perform(begin(calls.peek().call()));
    }
    if (!ticking && !core.isIdle()) {
      ticking = true;
      timers.startSingleTimer(new Tick(), TICK);
    }
    return this;
  }

  private void perform(ReaderCore.Effect effect) {
    if (effect instanceof ReaderCore.Effect.SendFetch send) {
      replicas.send(
          send.broker(),
          send.request().partition(),
          new ReplicaMessage.Fetch(send.requestId(), send.request(), fetches));
    } else if (effect instanceof ReaderCore.Effect.SendListOffsets send) {
      replicas.send(
          send.broker(),
          send.request().partition(),
          new ReplicaMessage.ListOffsets(send.requestId(), send.request(), lists));
    } else if (effect instanceof ReaderCore.Effect.SendDeleteRecords send) {
      replicas.send(
          send.broker(),
          send.request().partition(),
          new ReplicaMessage.DeleteRecords(send.requestId(), send.request(), deletions));
    } else if (effect instanceof ReaderCore.Effect.AskTopic) {
      nodes.tellAny(new DescribeTopic(topic, descriptions));
    } else if (effect instanceof ReaderCore.Effect.ForgetReplica forget) {
      replicas.forget(forget.broker(), new PartitionId(topicId, partition));
    } else if (effect instanceof ReaderCore.Effect.Deliver deliver) {
      ((Read) calls.remove().call())
          .result()
          .complete(new Served(deliver.response(), deliver.broker(), topicId));
    } else if (effect instanceof ReaderCore.Effect.DeliverOffset deliver) {
      Call call = calls.remove().call();
      CompletableFuture<Long> result =
          call instanceof Find find ? find.result() : ((DeleteBefore) call).result();
      result.complete(deliver.offset());
    } else if (effect instanceof ReaderCore.Effect.OutOfRange outOfRange) {
      fail(new OffsetOutOfRange(topic, partition, outOfRange.offset()));
    } else if (effect instanceof ReaderCore.Effect.Truncated truncated) {
      fail(new LogTruncated(new TopicPartition(topic, partition), truncated));
    } else if (effect instanceof ReaderCore.Effect.Refused refused) {
      fail(new ReadFailure(refused.error(), topic, partition));
    } else if (effect instanceof ReaderCore.Effect.Complain complaint) {
      getContext()
          .getLog()
          .warn(
              "{}-{} cannot be read: {}: {}; it goes on when it can",
              topic,
              partition,
              complaint.trouble().error(),
              complaint.trouble().reason());
    }
  }

  private void fail(RuntimeException failure) {
    calls.remove().call().result().completeExceptionally(failure);
  }

  private Behavior<Command> onPostStop(PostStop signal) {
    ended.complete(Done.getInstance());
    return this;
  }

  private long now() {
    return System.nanoTime() - origin;
  }
}
