package io.tidemark.simulation;

import static io.tidemark.simulation.Simulation.MS;

import io.tidemark.controller.Broker;
import io.tidemark.protocol.ControllerRequest;
import io.tidemark.protocol.ControllerRequest.AlterPartition;
import io.tidemark.protocol.ControllerRequest.CreateTopic;
import io.tidemark.protocol.ControllerRequest.Heartbeat;
import io.tidemark.protocol.ControllerRequest.RegisterBroker;
import io.tidemark.protocol.DeleteRecordsRequest;
import io.tidemark.protocol.EpochEndRequest;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.ListOffsetsRequest;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import io.tidemark.protocol.ProduceRequest;
import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.record.Compression;
import io.tidemark.record.RecordBatchBuilder;
import io.tidemark.replica.ReplicaInput;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongFunction;

/** Asks for what nobody should ask for. All of it must be refused, and change nothing. */
final class RogueClient {
  private static final long FIRST_PRODUCER = 1L << 40;
  private static final int NOBODY = 99;

  private final Simulation sim;
  private final Clients clients;
  private final Chance chance;
  private long producer = FIRST_PRODUCER;

  RogueClient(Clients clients) {
    this.clients = clients;
    this.sim = clients.sim();
    this.chance = clients.chance();
  }

  void start() {
    clients.after(chance.below(150 * MS), "rogue", this::act);
  }

  private void act() {
    if (sim.faults.isHealed()) {
      return;
    }
    if (chance.happens(0.4)) {
      askController();
    } else {
      askReplica();
    }
    start();
  }

  private void askController() {
    UUID id = chance.uuid();
    String known = sim.shape.topics().get(0).name();
    Map<Integer, Broker> brokers = sim.invariants.image().brokers();
    boolean exists = sim.invariants.image().topicsByName().containsKey(known);
    int broker = 1 + chance.below(sim.shape.nodes());
    ControllerRequest request =
        switch (chance.below(8)) {
          case 0 -> new CreateTopic(id, "no name?", 1, 1, Map.of());
          case 1 -> new CreateTopic(id, "strange", 1, 1, Map.of("colour", "blue"));
          case 2 -> new CreateTopic(id, "wide", 1, NOBODY, Map.of());
          case 3 -> new CreateTopic(id, exists ? known : "", 1, 1, Map.of());
          case 4 -> new Heartbeat(NOBODY, 1, 1, false);
          case 5 ->
              new RegisterBroker(
                  broker, id, id, null, Shape.address(broker), -1, "", 1 << 20, false);
          case 6 -> new Heartbeat(broker, chance.below(3), 0, false);
          default -> alteration(brokers);
        };
    if (request instanceof RegisterBroker && chance.happens(0.5)) {
      impersonate(broker, brokers);
    }
    toController(request);
  }

  /** Another directory under the id of a broker that lives. */
  private void impersonate(int broker, Map<Integer, Broker> brokers) {
    Broker known = brokers.get(broker);
    if (known != null && !known.fenced() && sim.node(broker).isUp()) {
      sim.faults.impersonating(broker);
    }
  }

  private ControllerRequest alteration(Map<Integer, Broker> brokers) {
    List<PartitionId> ids = List.copyOf(sim.invariants.partitions().keySet());
    if (ids.isEmpty()) {
      return new AlterPartition(new PartitionId(chance.uuid(), 0), 1, 1, 1, 1, List.of(), false);
    }
    PartitionId id = chance.oneOf(ids);
    PartitionState state = sim.invariants.image().partition(id);
    if (state == null || state.leader() < 0) {
      return new AlterPartition(new PartitionId(chance.uuid(), 0), 1, 1, 1, 1, List.of(), false);
    }
    long epoch = brokers.get(state.leader()).epoch();
    int ahead = chance.happens(0.5) ? 1_000 : 0;
    return new AlterPartition(
        id,
        state.leader(),
        epoch,
        state.leaderEpoch() + ahead,
        state.partitionEpoch(),
        List.of(),
        false);
  }

  private void toController(ControllerRequest request) {
    Node node = chance.oneOf(sim.nodes());
    sim.network.send(
        0,
        node.id,
        request,
        () -> {
          if (node.quorum() != null && !node.quorum().isStopped()) {
            node.quorum().asked(request, answer -> {});
          }
        });
  }

  private void askReplica() {
    Node node = chance.oneOf(sim.nodes());
    List<PartitionId> ids = List.copyOf(sim.invariants.partitions().keySet());
    if (ids.isEmpty()) {
      return;
    }
    PartitionId id = chance.oneOf(ids);
    int epoch = chance.below(8) - 1;
    PartitionId unknown = new PartitionId(chance.uuid(), id.partition());
    switch (chance.below(11)) {
      case 0 -> produce(node, id, batch(-1, 0, 0, 3_000));
      case 1 -> produce(node, id, twice(batch(-1, 0, 0, 8)));
      case 2 -> produce(node, id, damaged(batch(-1, 0, 0, 8)));
      case 3 -> {
        long next = producer++;
        produce(node, id, batch(next, 1, 0, 9));
        produce(node, id, batch(next, 0, 0, 9));
        produce(node, id, batch(next, 1, 7, 9));
      }
      case 4 ->
          ask(
              node,
              id,
              token ->
                  new ReplicaInput.ListOffsetsArrived(
                      token,
                      new ListOffsetsRequest(
                          id,
                          epoch,
                          chance.oneOf(List.of(ListOffsetsRequest.Position.values())),
                          chance.below(6_000))));
      case 5 ->
          ask(
              node,
              id,
              token ->
                  new ReplicaInput.EpochEndArrived(
                      token, new EpochEndRequest(id, epoch, chance.below(6))));
      case 6 -> fetch(node, id, FetchRequest.reader(id, epoch, chance.below(400), 0, 1));
      case 7 ->
          ask(
              node,
              id,
              token ->
                  new ReplicaInput.DeleteRecordsArrived(
                      token, new DeleteRecordsRequest(id, epoch, chance.below(200) - 1)));
      case 8 -> clients.deleteRecords(id);
      case 9 -> fetch(node, id, stranger(id, Math.max(0, epoch)));
      default -> fetch(node, id, FetchRequest.reader(unknown, epoch, 0, 0, 1));
    }
  }

  private static FetchRequest stranger(PartitionId id, int epoch) {
    return new FetchRequest(NOBODY, 1, null, 0, 1, id, epoch, 0, 0, -1, 0, 1, 0, "");
  }

  private void fetch(Node node, PartitionId id, FetchRequest request) {
    ask(node, id, token -> new ReplicaInput.FetchArrived(token, request));
  }

  private void produce(Node node, PartitionId id, ByteBuffer batches) {
    ProduceRequest request = new ProduceRequest(id, Acks.ALL, batches);
    ask(node, id, token -> new ReplicaInput.ProduceArrived(token, request));
  }

  private void ask(Node node, PartitionId id, LongFunction<ReplicaInput> request) {
    ReplicaInput shown = request.apply(0);
    sim.network.send(
        0,
        node.id,
        shown,
        () -> {
          ReplicaShell replica = sim.replicaAt(node.id, id);
          if (replica != null) {
            replica.asked(request, answer -> {});
          }
        });
  }

  private ByteBuffer batch(long producerId, int epoch, int sequence, int bytes) {
    RecordBatchBuilder builder = new RecordBatchBuilder(Compression.NONE, 64);
    ByteBuffer value = ByteBuffer.allocate(bytes + 1);
    value.putLong(0, chance.next() & Long.MAX_VALUE);
    builder.append(sim.now / MS, null, value, List.of());
    if (producerId >= 0) {
      builder.producer(producerId, (short) epoch, sequence);
    }
    return builder.build(0, -1);
  }

  private static ByteBuffer twice(ByteBuffer batch) {
    return ByteBuffer.allocate(2 * batch.remaining())
        .put(batch.duplicate())
        .put(batch.duplicate())
        .flip();
  }

  private ByteBuffer damaged(ByteBuffer batch) {
    return Faults.damaged(batch, chance);
  }
}
