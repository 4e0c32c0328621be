package io.tidemark.client;

import akka.Done;
import akka.actor.CoordinatedShutdown;
import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.Behavior;
import akka.actor.typed.Props;
import akka.actor.typed.SpawnProtocol;
import akka.actor.typed.javadsl.AskPattern;
import com.typesafe.config.Config;
import io.tidemark.channel.DataChannels;
import io.tidemark.group.GroupRequests;
import io.tidemark.protocol.CommittedOffset;
import io.tidemark.protocol.ControllerRequest;
import io.tidemark.protocol.ControllerRequest.AddVoter;
import io.tidemark.protocol.ControllerRequest.AlterPartitionReassignment;
import io.tidemark.protocol.ControllerRequest.CreateGroupsTopic;
import io.tidemark.protocol.ControllerRequest.CreateTopic;
import io.tidemark.protocol.ControllerRequest.RemoveVoter;
import io.tidemark.protocol.ControllerResponse;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.GroupRequest;
import io.tidemark.protocol.GroupRequest.FetchOffsets;
import io.tidemark.protocol.GroupResponse;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import io.tidemark.wire.BrokerMessage;
import io.tidemark.wire.BrokerMessage.AskController;
import io.tidemark.wire.BrokerMessage.ControllerAnswered;
import io.tidemark.wire.BrokerMessage.DescribeTopic;
import io.tidemark.wire.BrokerMessage.GroupAnswered;
import io.tidemark.wire.BrokerMessage.TopicDescribed;
import io.tidemark.wire.ReplicaMessage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The way to the readers, topics and, through {@link ProducerSettings}, producers of a cluster, for
 * any actor system that can reach its brokers: a node of the cluster, or a system of the same name
 * beside it.
 */
public final class TidemarkClient {
  private static final String CLIENTS = "tidemark-clients";
  private static final Duration ANSWER = Duration.ofSeconds(5);
  private static final Duration VOTERS = Duration.ofSeconds(35);
  private static final int ATTEMPTS = 7;
  private static final Duration DESCRIBE = Duration.ofSeconds(3);

  private final ActorSystem<?> system;
  private final ClusterNodes nodes;
  private final ActorRef<SpawnProtocol.Command> clients;
  private final Set<Producer<?, ?>> producers = ConcurrentHashMap.newKeySet();

  public TidemarkClient(ActorSystem<?> system, ClusterNodes nodes) {
    // A wrong setting is told here, and not by an actor that fails at its first message.
    DataChannels.get(system);
    this.system = system;
    this.nodes = nodes;
    this.clients =
        system.systemActorOf(
            SpawnProtocol.create(), CLIENTS + "-" + UUID.randomUUID(), Props.empty());
    CoordinatedShutdown.get(system)
        .addTask(
            CoordinatedShutdown.PhaseServiceStop(), "tidemark-producers", this::closeProducers);
  }

  /** Before the node leaves the cluster, so that nothing is lost that waits in a producer. */
  private CompletionStage<Done> closeProducers() {
    return CompletableFuture.allOf(
            producers.stream()
                .map(producer -> producer.close().toCompletableFuture())
                .toArray(CompletableFuture[]::new))
        .thenApply(closed -> Done.getInstance());
  }

  Config config() {
    return system.settings().config();
  }

  void opened(Producer<?, ?> producer) {
    producers.add(producer);
  }

  void closed(Producer<?, ?> producer) {
    producers.remove(producer);
  }

  ActorRef<ProducerActor.Command> startProducer(
      String topic, ProducerCoreSettings settings, BufferMemory memory) {
    return system.systemActorOf(
        ProducerActor.create(topic, new ProducerActor.Setup(settings, nodes, memory)),
        "tidemark-producer-" + UUID.randomUUID(),
        Props.empty());
  }

  /** A reader of what the partition's leader serves. */
  public CompletionStage<PartitionReader> reader(String topic, int partition) {
    return reader(topic, partition, new ReaderActor.Source(-1, ""));
  }

  /**
   * A reader that the leader sends to an in-sync replica in its own rack, if there is one
   * (KIP-392): less traffic between racks, at the price of seeing records a little later.
   *
   * @param rack as in the brokers' {@code tidemark.broker.rack}
   */
  public CompletionStage<PartitionReader> reader(String topic, int partition, String rack) {
    return reader(topic, partition, new ReaderActor.Source(-1, rack));
  }

  ClusterNodes nodes() {
    return nodes;
  }

  /** A reader of one replica: what that broker itself holds and knows to be committed. */
  public CompletionStage<PartitionReader> replicaReader(String topic, int partition, int broker) {
    return reader(topic, partition, new ReaderActor.Source(broker, ""));
  }

  private CompletionStage<PartitionReader> reader(
      String topic, int partition, ReaderActor.Source source) {
    if (topic == null || partition < 0) {
      return CompletableFuture.failedStage(
          new ReadFailure(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, topic, partition));
    }
    return this.<ReaderActor.Command>spawn(ReaderActor.create(topic, partition, source, nodes))
        .thenApply(actor -> new PartitionReader(topic, partition, actor));
  }

  <T> CompletionStage<ActorRef<T>> spawn(Behavior<T> behavior) {
    return AskPattern.ask(
        clients,
        replyTo -> new SpawnProtocol.Spawn<>(behavior, "", Props.empty(), replyTo),
        DESCRIBE,
        system.scheduler());
  }

  /**
   * Creates a topic. Completes when the controllers have committed it; the partitions have their
   * leaders a moment later. Fails with {@link TopicFailure}.
   *
   * @param configs see {@code TopicConfig} for the names
   */
  public CompletionStage<UUID> createTopic(
      String name, int partitions, int replicationFactor, Map<String, String> configs) {
    CreateTopic request =
        new CreateTopic(UUID.randomUUID(), name, partitions, replicationFactor, configs);
    return ask(request)
        .thenCompose(
            response ->
                response instanceof ControllerResponse.TopicCreated created
                    ? CompletableFuture.completedStage(created.topicId())
                    : CompletableFuture.failedStage(failure(name, response)));
  }

  /**
   * Gives up a partition's records below an offset (KIP-107): its leader's log starts there when
   * this completes, those of the followers soon after, and disk space comes back in whole segments.
   * Fails with {@link OffsetOutOfRange} when the offset is above the high watermark.
   *
   * @param offset the first one that stays; −1 for the high watermark: all that is committed goes
   * @return where the leader's log starts now; higher than asked for when it did already
   */
  public CompletionStage<Long> deleteRecords(String topic, int partition, long offset) {
    return reader(topic, partition)
        .thenCompose(
            leader -> leader.deleteBefore(offset).whenComplete((start, failure) -> leader.close()));
  }

  /**
   * Moves a partition to these brokers, the preferred leader first, while it is in use. Completes
   * when that has begun: new replicas are copied, then the old ones are removed, see {@link
   * PartitionState}. Fails with {@link TopicFailure}. It takes the place of a move under way.
   *
   * @param brokers null takes back a move under way
   */
  public CompletionStage<Void> reassignPartition(
      String topic, int partition, List<Integer> brokers) {
    return again(() -> describeTopic(topic), ATTEMPTS)
        .thenCompose(
            found -> {
              if (partition < 0 || partition >= found.partitions().size()) {
                return CompletableFuture.failedStage(
                    new TopicFailure(
                        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
                        topic,
                        "it has no partition " + partition));
              }
              PartitionId id = new PartitionId(found.topicId(), partition);
              return ask(new AlterPartitionReassignment(id, brokers));
            })
        .thenCompose(
            response ->
                response instanceof ControllerResponse.Done
                    ? CompletableFuture.completedStage(null)
                    : CompletableFuture.failedStage(failure(topic, response)));
  }

  /**
   * Has a broker vote in the controller quorum. Completes when the voters have committed it; waits
   * up to 30 s until the broker has caught up. An odd number of voters is best. Fails with {@link
   * VoterFailure}.
   */
  public CompletionStage<Void> addVoter(int brokerId) {
    return changeVoters(new AddVoter(brokerId), brokerId);
  }

  /** Has a broker vote no more, the controller too: another one leads then. See addVoter. */
  public CompletionStage<Void> removeVoter(int brokerId) {
    return changeVoters(new RemoveVoter(brokerId), brokerId);
  }

  /** Asked of one broker only: a change that was made cannot be made again. */
  private CompletionStage<Void> changeVoters(ControllerRequest change, int brokerId) {
    return nodes
        .askAny(ControllerAnswered.class, replyTo -> new AskController(0, change, replyTo), VOTERS)
        .thenCompose(
            answered -> {
              if (answered.response() instanceof ControllerResponse.Done) {
                return CompletableFuture.completedStage(null);
              }
              String reason =
                  answered.response() instanceof ControllerResponse.Failed failed
                      ? failed.message()
                      : "unexpected answer " + answered.response();
              return CompletableFuture.failedStage(
                  new VoterFailure(answered.response().error(), brokerId, reason));
            });
  }

  private static TopicFailure failure(String topic, ControllerResponse response) {
    String message =
        response instanceof ControllerResponse.Failed failed
            ? failed.message()
            : "unexpected answer " + response;
    return new TopicFailure(response.error(), topic, message);
  }

  private CompletionStage<ControllerResponse> ask(ControllerRequest request) {
    return again(
        () ->
            nodes
                .askAny(
                    ControllerAnswered.class,
                    replyTo -> new AskController(0, request, replyTo),
                    ANSWER)
                .thenApply(ControllerAnswered::response),
        ATTEMPTS);
  }

  /** At another broker when one does not answer: all of these requests may be repeated. */
  private static <T> CompletionStage<T> again(Supplier<CompletionStage<T>> ask, int attempts) {
    return ask.get()
        .exceptionallyCompose(
            failure ->
                attempts > 1 ? again(ask, attempts - 1) : CompletableFuture.failedStage(failure));
  }

  /**
   * How far a group has come, in each partition that it has committed anything for. Fails with
   * {@link GroupFailure} when its coordinator cannot be asked.
   */
  public CompletionStage<List<CommittedOffset>> committedOffsets(String groupId) {
    return again(() -> askCoordinator(new FetchOffsets(groupId)), ATTEMPTS)
        .thenCompose(
            response -> {
              if (response instanceof GroupResponse.OffsetsFetched fetched) {
                return CompletableFuture.completedStage(fetched.offsets());
              }
              String reason =
                  response instanceof GroupResponse.Failed failed
                      ? failed.message()
                      : "unexpected answer " + response;
              return CompletableFuture.failedStage(
                  new GroupFailure(response.error(), groupId, reason));
            });
  }

  private CompletionStage<GroupResponse> askCoordinator(GroupRequest request) {
    return describeTopic(CreateGroupsTopic.NAME)
        .thenCompose(
            topic -> {
              List<PartitionState> partitions = topic.partitions();
              int leader =
                  partitions.isEmpty()
                      ? PartitionState.NO_LEADER
                      : partitions
                          .get(GroupRequests.partitionOf(request.groupId(), partitions.size()))
                          .leader();
              String address = topic.brokers().get(leader);
              return address == null
                  ? CompletableFuture.failedStage(
                      new GroupFailure(
                          ErrorCode.LEADER_NOT_AVAILABLE,
                          request.groupId(),
                          "it has no coordinator at the moment; ask again"))
                  : nodes
                      .ask(
                          address,
                          GroupAnswered.class,
                          replyTo -> new BrokerMessage.AskGroup(0, request, replyTo),
                          ANSWER)
                      .thenApply(GroupAnswered::response);
            });
  }

  /** What one of the brokers knows of a topic now; null as topic asks for the cluster alone. */
  public CompletionStage<TopicDescription> describeTopic(String topic) {
    return nodes
        .askAny(TopicDescribed.class, replyTo -> new DescribeTopic(topic, replyTo), DESCRIBE)
        .thenApply(
            found ->
                new TopicDescription(
                    topic,
                    found.topicId(),
                    found.partitions(),
                    found.brokers(),
                    found.unfenced(),
                    found.controllerId()));
  }

  /** How one replica is now. Fails when its broker does not answer within a few seconds. */
  public CompletionStage<ReplicaMessage.Described> describeReplica(
      TopicDescription topic, int partition, int broker) {
    String address = topic.brokers().get(broker);
    if (topic.topicId() == null || partition < 0 || address == null) {
      ErrorCode error = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
      String reason = "partition %d on broker %d is not known".formatted(partition, broker);
      return CompletableFuture.failedStage(new TopicFailure(error, topic.topic(), reason));
    }
    return nodes.ask(
        address,
        ReplicaMessage.Described.class,
        replyTo ->
            new BrokerMessage.DescribeReplica(new PartitionId(topic.topicId(), partition), replyTo),
        DESCRIBE);
  }
}
