package io.tidemark.simulation;

import static io.tidemark.simulation.Simulation.MS;

import io.tidemark.controller.MetadataImage;
import io.tidemark.protocol.ControllerRequest;
import io.tidemark.protocol.ControllerRequest.CreateTopic;
import io.tidemark.protocol.ControllerResponse;
import io.tidemark.protocol.DeleteRecordsRequest;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.replica.ReplicaInput;
import io.tidemark.simulation.Scheduler.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;

/** All who use the cluster. They run outside of it, by an exact clock. */
final class Clients {
  private final Simulation sim;
  private final Chance chance;
  private final Receipts receipts;
  private final Map<String, UUID> topics = new LinkedHashMap<>();
  private final List<ProducerClient> producers = new ArrayList<>();
  private final List<ReaderClient> readers = new ArrayList<>();

  Clients(Simulation sim, Chance chance) {
    this.sim = sim;
    this.chance = chance;
    this.receipts = new Receipts(sim);
    for (Shape.TopicSpec topic : sim.shape.topics()) {
      topics.put(topic.name(), chance.uuid());
      int writers = 1 + chance.below(2);
      for (int i = 0; i < writers; i++) {
        Acks acks = chance.oneOf(List.of(Acks.ALL, Acks.ALL, Acks.ALL, Acks.LEADER, Acks.NONE));
        producers.add(
            new ProducerClient(
                this, producers.size() + 1, topic, producers.isEmpty() ? Acks.ALL : acks));
      }
      for (int i = 0; i < 2; i++) {
        int partition = chance.below(topic.partitions());
        int broker = i == 0 ? -1 : 1 + chance.below(sim.shape.nodes());
        readers.add(new ReaderClient(this, topic.name(), partition, broker));
      }
    }
  }

  Simulation sim() {
    return sim;
  }

  Chance chance() {
    return chance;
  }

  Receipts receipts() {
    return receipts;
  }

  List<ProducerClient> producers() {
    return producers;
  }

  UUID topicId(String topic) {
    return topics.get(topic);
  }

  void start() {
    sim.shape.topics().forEach(this::create);
    producers.forEach(ProducerClient::start);
    readers.forEach(ReaderClient::start);
    if (sim.profile.odd) {
      new RogueClient(this).start();
    }
  }

  void create(Shape.TopicSpec topic) {
    UUID id = topics.computeIfAbsent(topic.name(), name -> chance.uuid());
    CreateTopic request =
        new CreateTopic(id, topic.name(), topic.partitions(), topic.replicas(), topic.configs());
    askController(request, response -> {});
    after(
        300 * MS,
        "is the topic there?",
        () -> {
          if (!sim.invariants.image().topicsByName().containsKey(topic.name())) {
            create(topic);
          }
        });
  }

  /** After healing: everyone can write. */
  void probe() {
    producers.forEach(ProducerClient::probe);
  }

  void checkReceipts() {
    producers.forEach(producer -> producer.receipts().forEach(receipts::check));
  }

  void after(long delay, Object what, Runnable action) {
    sim.scheduler.add(sim.now + delay, Kind.CLIENT, 0, what, action);
  }

  private BrokerShell anyBroker() {
    for (int tries = 0; tries < 5; tries++) {
      BrokerShell broker = chance.oneOf(sim.nodes()).broker();
      if (broker != null) {
        return broker;
      }
    }
    return null;
  }

  /** Lets go of some of what is committed, by what its leader is said to be. */
  void deleteRecords(PartitionId id) {
    PartitionState state = sim.invariants.partition(id).state();
    if (state == null || state.leader() < 0) {
      return;
    }
    long offset = chance.below(sim.invariants.partition(id).ghost().end() + 1);
    DeleteRecordsRequest request = new DeleteRecordsRequest(id, state.leaderEpoch(), offset);
    sim.network.send(
        0,
        state.leader(),
        request,
        () -> {
          ReplicaShell replica = sim.replicaAt(state.leader(), id);
          if (replica != null) {
            replica.asked(
                token -> new ReplicaInput.DeleteRecordsArrived(token, request), answer -> {});
          }
        });
  }

  /** Asks any broker, which may know of old metadata only, or of none. */
  void describe(String topic, ProducerClient.Described result) {
    BrokerShell broker = anyBroker();
    if (broker == null) {
      return;
    }
    int id = broker.node().id;
    sim.network.send(
        0,
        id,
        topic,
        () -> {
          if (!broker.isAlive()) {
            return;
          }
          MetadataImage image = broker.image();
          List<PartitionId> partitions = image.partitionsOf(topic);
          if (!partitions.isEmpty()) {
            sim.network.send(id, 0, "metadata", () -> result.accept(partitions, image));
          }
        });
  }

  /** Through any broker. */
  void askController(ControllerRequest request, Consumer<ControllerResponse> result) {
    BrokerShell broker = anyBroker();
    if (broker == null) {
      return;
    }
    int id = broker.node().id;
    sim.network.send(
        0,
        id,
        request,
        () -> {
          if (broker.isAlive()) {
            broker.ask(
                request,
                response -> sim.network.send(id, 0, response, () -> result.accept(response)));
          }
        });
  }
}
