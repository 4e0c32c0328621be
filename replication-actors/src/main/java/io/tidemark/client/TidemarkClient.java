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
import io.tidemark.protocol.CommittedOffset;
import io.tidemark.protocol.ControllerRequest;
import io.tidemark.protocol.ControllerRequest.AddVoter;
import io.tidemark.protocol.ControllerRequest.AlterPartitionReassignment;
import io.tidemark.protocol.ControllerRequest.CreateTopic;
import io.tidemark.protocol.ControllerRequest.RemoveVoter;
import io.tidemark.protocol.ControllerResponse;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import io.tidemark.settings.SettingNames;
import io.tidemark.settings.SettingsReader;
import io.tidemark.wire.BrokerMessage;
import io.tidemark.wire.BrokerMessage.AskController;
import io.tidemark.wire.BrokerMessage.ControllerAnswered;
import io.tidemark.wire.BrokerMessage.DescribeTopic;
import io.tidemark.wire.BrokerMessage.TopicDescribed;
import io.tidemark.wire.ReplicaMessage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The way to the readers, topics and, through {@link ProducerSettings}, producers of a cluster, for
 * any actor system that can reach its brokers: a node of the cluster, or a system of the same name
 * beside it.
 */
public final class TidemarkClient {
  private static final String CLIENTS = "tidemark-clients";
  private static final String API_TIMEOUT = "tidemark.client.api-timeout";
  private static final Duration ANSWER = Duration.ofSeconds(5);
  private static final Duration VOTERS = Duration.ofSeconds(35);
  private static final Duration DESCRIBE = Duration.ofSeconds(3);

  private final ActorSystem<?> system;
  private final ClusterNodes nodes;
  private final Duration apiTimeout;
  private final Asking asking;
  private final ActorRef<SpawnProtocol.Command> clients;
  private final Set<Producer<?, ?>> producers = ConcurrentHashMap.newKeySet();

  public TidemarkClient(ActorSystem<?> system, ClusterNodes nodes) {
    SettingNames.check(Objects.requireNonNull(system, "system").settings().config());
    Objects.requireNonNull(nodes, "nodes");
    // A wrong setting is told here, and not by an actor that fails at its first message.
    DataChannels.get(system);
    this.apiTimeout =
        Duration.ofMillis(
            new SettingsReader(system.settings().config())
                .millis(API_TIMEOUT, Duration.ofMillis(10), Duration.ofHours(1)));
    this.system = system;
    this.nodes = nodes;
    this.asking = new Asking(nodes, apiTimeout);
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
      String topic, SendQueue sends, ProducerCoreSettings settings, BufferMemory memory) {
    return system.systemActorOf(
        ProducerActor.create(topic, sends, new ProducerActor.Setup(settings, nodes, memory)),
        "tidemark-producer-" + UUID.randomUUID(),
        Props.empty());
  }

  /** A reader of what the partition's leader serves. */
  public CompletionStage<PartitionReader> reader(String topic, int partition) {
    return reader(topic, partition, new ReaderActor.Source(-1, ""), apiTimeout);
  }

  /**
   * A reader that the leader sends to an in-sync replica in its own rack, if there is one
   * (KIP-392): less traffic between racks, at the price of seeing records a little later.
   *
   * @param rack as in the brokers' {@code tidemark.broker.rack}
   */
  public CompletionStage<PartitionReader> reader(String topic, int partition, String rack) {
    return reader(topic, partition, new ReaderActor.Source(-1, rack), apiTimeout);
  }

  /** A reader whose calls wait as long as it takes: a stream goes on after any outage. */
  CompletionStage<PartitionReader> patientReader(TopicPartition partition, String rack) {
    ReaderActor.Source source = new ReaderActor.Source(-1, rack);
    return reader(partition.topic(), partition.partition(), source, null);
  }

  ClusterNodes nodes() {
    return nodes;
  }

  /** A reader of one replica: what that broker itself holds and knows to be committed. */
  public CompletionStage<PartitionReader> replicaReader(String topic, int partition, int broker) {
    return reader(topic, partition, new ReaderActor.Source(broker, ""), apiTimeout);
  }

  private CompletionStage<PartitionReader> reader(
      String topic, int partition, ReaderActor.Source source, Duration patience) {
    if (topic == null || partition < 0) {
      return CompletableFuture.failedStage(
          new ReadFailure(
              ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
              topic,
              partition,
              "a topic has a name, and partitions from 0"));
    }
    ReaderActor.Setup setup =
        new ReaderActor.Setup(topic, partition, source, nodes, new CompletableFuture<>());
    return spawn(ReaderActor.create(setup))
        .thenApply(actor -> new PartitionReader(setup, patience, actor));
  }

  <T> CompletionStage<ActorRef<T>> spawn(Behavior<T> behavior) {
    return AskPattern.<SpawnProtocol.Command, ActorRef<T>>ask(
            clients,
            replyTo -> new SpawnProtocol.Spawn<>(behavior, "", Props.empty(), replyTo),
            DESCRIBE,
            system.scheduler())
        .exceptionallyCompose(
            failure ->
                CompletableFuture.failedStage(
                    new IllegalStateException(
                        "actor system '%s' starts nothing any more; it has ended, or is about to"
                            .formatted(system.name()),
                        failure)));
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
    return ask(name, request)
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
    return describeTopic(topic)
        .thenCompose(
            found -> {
              if (found.topicId() == null) {
                return CompletableFuture.failedStage(
                    new TopicFailure(
                        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, topic, "there is no such topic"));
              }
              if (partition < 0 || partition >= found.partitions().size()) {
                return CompletableFuture.failedStage(
                    new TopicFailure(
                        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
                        topic,
                        "it has no partition " + partition));
              }
              PartitionId id = new PartitionId(found.topicId(), partition);
              return ask(topic, new AlterPartitionReassignment(id, brokers));
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
    CompletionStage<ControllerAnswered> answer =
        describeTopic(null)
            .thenCompose(
                cluster ->
                    nodes.ask(
                        cluster
                            .brokers()
                            .getOrDefault(cluster.controllerId(), nodes.bootstrap().get(0)),
                        ControllerAnswered.class,
                        replyTo -> new AskController(0, change, replyTo),
                        VOTERS));
    return Asking.orFail(
            answer,
            reason ->
                new VoterFailure(
                    ErrorCode.REQUEST_TIMED_OUT,
                    brokerId,
                    reason + "; whether the voters were changed is not known"))
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

  /** All of these requests may be repeated. */
  private CompletionStage<ControllerResponse> ask(String topic, ControllerRequest request) {
    return Asking.orFail(
            asking.any(
                ControllerAnswered.class,
                replyTo -> new AskController(0, request, replyTo),
                ANSWER,
                answered -> true),
            reason ->
                new TopicFailure(
                    ErrorCode.REQUEST_TIMED_OUT,
                    topic,
                    "%s; what became of this %s is not known"
                        .formatted(reason, request.getClass().getSimpleName())))
        .thenApply(ControllerAnswered::response);
  }

  /**
   * How far a group has come, in each partition that it has committed anything for. Fails with
   * {@link GroupFailure} when its coordinator cannot be asked.
   */
  public CompletionStage<List<CommittedOffset>> committedOffsets(String groupId) {
    return new GroupOffsets(nodes, asking).of(groupId);
  }

  /**
   * What one of the brokers knows of a topic now; null as topic asks for the cluster alone. Fails
   * with {@link TopicFailure} when no broker can tell.
   */
  public CompletionStage<TopicDescription> describeTopic(String topic) {
    return Asking.orFail(
            asking.any(
                TopicDescribed.class,
                replyTo -> new DescribeTopic(topic, replyTo),
                DESCRIBE,
                found -> !found.brokers().isEmpty()),
            reason -> new TopicFailure(ErrorCode.REQUEST_TIMED_OUT, topic, reason))
        .thenCompose(
            found ->
                found.brokers().isEmpty()
                    ? CompletableFuture.failedStage(
                        new TopicFailure(
                            ErrorCode.LEADER_NOT_AVAILABLE,
                            topic,
                            "the brokers have not heard of a controller since they started; most"
                                + " voters have to run"))
                    : CompletableFuture.completedStage(
                        new TopicDescription(
                            topic,
                            found.topicId(),
                            found.partitions(),
                            found.brokers(),
                            found.unfenced(),
                            found.controllerId())));
  }

  /**
   * How one replica is now. Fails with {@link TopicFailure}, also when its broker does not answer
   * within a few seconds.
   */
  public CompletionStage<ReplicaMessage.Described> describeReplica(
      TopicDescription topic, int partition, int broker) {
    String address = topic.brokers().get(broker);
    if (topic.topicId() == null || partition < 0 || address == null) {
      ErrorCode error = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
      String reason = "partition %d on broker %d is not known".formatted(partition, broker);
      return CompletableFuture.failedStage(new TopicFailure(error, topic.topic(), reason));
    }
    CompletionStage<ReplicaMessage.Described> answer =
        nodes.ask(
            address,
            ReplicaMessage.Described.class,
            replyTo ->
                new BrokerMessage.DescribeReplica(
                    new PartitionId(topic.topicId(), partition), replyTo),
            Asking.least(DESCRIBE, apiTimeout));
    return Asking.orFail(
        answer,
        reason ->
            new TopicFailure(
                ErrorCode.REQUEST_TIMED_OUT,
                topic.topic(),
                "broker %d does not describe its replica of partition %d: %s"
                    .formatted(broker, partition, reason)));
  }
}
