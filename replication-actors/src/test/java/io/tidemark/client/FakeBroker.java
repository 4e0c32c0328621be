package io.tidemark.client;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.Behavior;
import akka.actor.typed.Props;
import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.tidemark.protocol.ControllerResponse.ProducerIdGiven;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchResponse.CurrentLeader;
import io.tidemark.protocol.PartitionState;
import io.tidemark.protocol.ProduceResponse;
import io.tidemark.record.Record;
import io.tidemark.record.RecordBatch;
import io.tidemark.wire.BrokerMessage;
import io.tidemark.wire.BrokerMessage.AskController;
import io.tidemark.wire.BrokerMessage.ControllerAnswered;
import io.tidemark.wire.BrokerMessage.DescribeTopic;
import io.tidemark.wire.BrokerMessage.FindReplica;
import io.tidemark.wire.BrokerMessage.TopicDescribed;
import io.tidemark.wire.ReplicaMessage;
import io.tidemark.wire.ReplicaMessage.Located;
import io.tidemark.wire.ReplicaMessage.Produce;
import io.tidemark.wire.ReplicaMessage.ProduceReply;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A broker without a log in the client's own actor system. It leads every partition of every topic,
 * and holds its answers back when it is told to.
 */
final class FakeBroker {
  static final int MAX_BATCH_BYTES = 4_000;
  private static final int ID = 1;

  private final int partitions;
  private final String address;
  private final List<Produce> held = new ArrayList<>();
  private final List<Record> written = new ArrayList<>();
  private final Map<Integer, Long> nextOffset = new HashMap<>();
  private boolean holds;
  private int unanswered;
  private int mostUnanswered;
  private long nextProducerId;

  /** What an actor system needs for it, before anything else. */
  static Config config(String more) {
    return ConfigFactory.parseString(
            """
            akka.actor.provider = remote
            akka.remote.artery.canonical { hostname = "127.0.0.1", port = 0 }
            akka.coordinated-shutdown.run-by-actor-system-terminate = off
            akka.log-dead-letters = off
            tidemark.producer { linger = 0 ms, request-timeout = 60 s }
            """
                + more)
        .withFallback(ConfigFactory.load());
  }

  FakeBroker(ActorSystem<?> system, int partitions) {
    this.partitions = partitions;
    this.address = "127.0.0.1:" + system.address().getPort().orElseThrow();
    system.systemActorOf(
        Behaviors.<Void>setup(
            context -> {
              ActorRef<ReplicaMessage> replica = context.spawn(replica(), "replica");
              context.spawn(broker(replica), "broker");
              return Behaviors.empty();
            }),
        "tidemark",
        Props.empty());
  }

  TidemarkClient client(ActorSystem<?> system) {
    return new TidemarkClient(system, new ClusterNodes(system, List.of(address)));
  }

  private Behavior<BrokerMessage> broker(ActorRef<ReplicaMessage> replica) {
    return Behaviors.receive(BrokerMessage.class)
        .onMessage(
            DescribeTopic.class,
            asked -> {
              asked.replyTo().tell(description(asked.topic()));
              return Behaviors.same();
            })
        .onMessage(
            FindReplica.class,
            asked -> {
              asked.replyTo().tell(new Located(asked.partition(), ID, replica, 0));
              return Behaviors.same();
            })
        .onMessage(
            AskController.class,
            asked -> {
              ProducerIdGiven given = new ProducerIdGiven(ErrorCode.NONE, nextProducerId++);
              asked.replyTo().tell(new ControllerAnswered(asked.requestId(), given));
              return Behaviors.same();
            })
        .build();
  }

  private TopicDescribed description(String topic) {
    List<Integer> all = List.of(ID);
    PartitionState state = new PartitionState(all, all, List.of(), ID, 1, 1, false);
    return new TopicDescribed(
        topic,
        UUID.nameUUIDFromBytes(topic.getBytes(StandardCharsets.UTF_8)),
        MAX_BATCH_BYTES,
        Collections.nCopies(partitions, state),
        Map.of(ID, address),
        all,
        ID);
  }

  private Behavior<ReplicaMessage> replica() {
    return Behaviors.receive(ReplicaMessage.class)
        .onMessage(
            Produce.class,
            produce -> {
              produced(produce);
              return Behaviors.same();
            })
        .build();
  }

  private synchronized void produced(Produce produce) {
    unanswered += batchOf(produce).recordCount();
    mostUnanswered = Math.max(mostUnanswered, unanswered);
    if (holds) {
      held.add(produce);
    } else {
      answer(produce);
    }
  }

  private static RecordBatch batchOf(Produce produce) {
    return RecordBatch.at(produce.request().batches(), 0);
  }

  private void answer(Produce produce) {
    RecordBatch batch = batchOf(produce);
    unanswered -= batch.recordCount();
    batch.records().forEach(written::add);
    int partition = produce.request().partition().partition();
    long offset = nextOffset.merge(partition, (long) batch.recordCount(), Long::sum);
    produce
        .replyTo()
        .tell(
            new ProduceReply(
                produce.requestId(),
                new ProduceResponse(
                    ErrorCode.NONE,
                    offset - batch.recordCount(),
                    0,
                    new CurrentLeader(ID, 1),
                    "")));
  }

  /** From now on requests are kept. */
  synchronized void hold() {
    holds = true;
  }

  synchronized void release() {
    holds = false;
    held.forEach(this::answer);
    held.clear();
  }

  synchronized int unanswered() {
    return unanswered;
  }

  /** The most records that were here without an answer at one time. */
  synchronized int mostUnanswered() {
    return mostUnanswered;
  }

  /** In the order in which they were acknowledged. */
  synchronized List<Record> written() {
    return List.copyOf(written);
  }

  synchronized List<String> values() {
    return written.stream()
        .map(record -> StandardCharsets.UTF_8.decode(record.value()).toString())
        .toList();
  }
}
