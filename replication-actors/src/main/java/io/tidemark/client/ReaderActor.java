package io.tidemark.client;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.javadsl.AbstractBehavior;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import akka.actor.typed.javadsl.Receive;
import akka.actor.typed.javadsl.TimerScheduler;
import io.tidemark.channel.DataChannels;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.ListOffsetsRequest.Position;
import io.tidemark.protocol.PartitionId;
import io.tidemark.wire.BrokerMessage.DescribeTopic;
import io.tidemark.wire.BrokerMessage.TopicDescribed;
import io.tidemark.wire.ReplicaMessage;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** The shell of {@link ReaderCore}. */
final class ReaderActor extends AbstractBehavior<ReaderActor.Command> {

  sealed interface Command {}

  /** The next batches from an offset on; one such request at a time. */
  record Read(long offset, int lastEpoch, int maxBytes, CompletableFuture<Served> result)
      implements Command {}

  /** An answer, which broker gave it, and of which creation of the topic. */
  record Served(FetchResponse response, int broker, UUID topicId) {}

  record Find(Position position, long timestamp, CompletableFuture<Long> result)
      implements Command {}

  record DeleteBefore(long offset, CompletableFuture<Long> result) implements Command {}

  record Close() implements Command {}

  private record Described(TopicDescribed topic) implements Command {}

  private record Located(ReplicaMessage.Located located) implements Command {}

  private record Fetched(ReplicaMessage.FetchReply reply) implements Command {}

  private record Listed(ReplicaMessage.ListOffsetsReply reply) implements Command {}

  private record Deleted(ReplicaMessage.DeleteRecordsReply reply) implements Command {}

  private record Tick() implements Command {}

  private static final Duration TICK = Duration.ofMillis(50);

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
  private CompletableFuture<Served> reading = new CompletableFuture<>();
  private CompletableFuture<Long> finding = new CompletableFuture<>();
  private UUID topicId;
  private boolean ticking;

  private ReaderActor(
      ActorContext<Command> context,
      TimerScheduler<Command> timers,
      String topic,
      int partition,
      Source source,
      ClusterNodes nodes) {
    super(context);
    this.topic = topic;
    this.partition = partition;
    this.nodes = nodes;
    this.timers = timers;
    this.core = new ReaderCore(partition, source.onlyBroker(), source.rack());
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

  static Behavior<Command> create(String topic, int partition, Source source, ClusterNodes nodes) {
    return Behaviors.setup(
        context ->
            Behaviors.withTimers(
                timers -> new ReaderActor(context, timers, topic, partition, source, nodes)));
  }

  @Override
  public Receive<Command> createReceive() {
    return newReceiveBuilder()
        .onMessage(Read.class, this::onRead)
        .onMessage(Find.class, this::onFind)
        .onMessage(DeleteBefore.class, this::onDeleteBefore)
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

  private Behavior<Command> onRead(Read read) {
    reading = read.result();
    return perform(core.read(read.offset(), read.lastEpoch(), read.maxBytes(), now()));
  }

  private Behavior<Command> onFind(Find find) {
    finding = find.result();
    return perform(core.find(find.position(), find.timestamp(), now()));
  }

  private Behavior<Command> onDeleteBefore(DeleteBefore delete) {
    finding = delete.result();
    return perform(core.deleteBefore(delete.offset(), now()));
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
      return this;
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
    replicas.findWaiting();
    return perform(core.timePassed(now()));
  }

  private Behavior<Command> perform(List<ReaderCore.Effect> effects) {
    for (ReaderCore.Effect effect : effects) {
      perform(effect);
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
      reading.complete(new Served(deliver.response(), deliver.broker(), topicId));
    } else if (effect instanceof ReaderCore.Effect.DeliverOffset deliver) {
      finding.complete(deliver.offset());
    } else if (effect instanceof ReaderCore.Effect.OutOfRange outOfRange) {
      OffsetOutOfRange failure = new OffsetOutOfRange(topic, partition, outOfRange.offset());
      reading.completeExceptionally(failure);
      finding.completeExceptionally(failure);
    } else if (effect instanceof ReaderCore.Effect.Truncated truncated) {
      reading.completeExceptionally(
          new LogTruncated(new TopicPartition(topic, partition), truncated));
    } else if (effect instanceof ReaderCore.Effect.Refused refused) {
      ReadFailure failure = new ReadFailure(refused.error(), topic, partition);
      reading.completeExceptionally(failure);
      finding.completeExceptionally(failure);
    }
  }

  private Behavior<Command> onPostStop(PostStop signal) {
    IllegalStateException closed = new IllegalStateException("the consumer was closed");
    reading.completeExceptionally(closed);
    finding.completeExceptionally(closed);
    return this;
  }

  private long now() {
    return System.nanoTime() - origin;
  }
}
