package io.tidemark.simulation;

import static io.tidemark.simulation.Simulation.MS;

import io.tidemark.client.SimProducer;
import io.tidemark.controller.MetadataImage;
import io.tidemark.protocol.ControllerRequest.InitProducerId;
import io.tidemark.protocol.ControllerResponse.ProducerIdGiven;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.ProduceRequest;
import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.protocol.ProduceResponse;
import io.tidemark.replica.ReplicaInput;
import io.tidemark.simulation.Scheduler.Kind;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Writes numbered records to one topic, and keeps the receipts. */
final class ProducerClient implements SimProducer.Shell {
  private static final long TICK = 40 * MS;
  private static final long ID_PATIENCE = 500 * MS;

  /** What a producer was told: this value is at that offset. */
  record Receipt(PartitionId partition, long offset, long value) {}

  private final Simulation sim;
  private final Clients clients;
  private final Shape.TopicSpec topic;
  private final int number;
  private final Acks acks;
  private final SimProducer core;
  private final List<Receipt> receipts = new ArrayList<>();
  private final Map<Integer, Long> lastOffsets = new HashMap<>();
  private long nextToken;
  private long idRequest;
  private long idAskedAt = -1;
  private long probesFrom = Long.MAX_VALUE;
  private int probesWritten;
  private boolean ticking;

  ProducerClient(Clients clients, int number, Shape.TopicSpec topic, Acks acks) {
    this.clients = clients;
    this.sim = clients.sim();
    this.number = number;
    this.topic = topic;
    this.acks = acks;
    Duration patience = Duration.ofMillis(clients.chance().oneOf(List.of(600, 1_000, 2_000)));
    int batchBytes = clients.chance().oneOf(List.of(1, 1_024, 1_024));
    this.core = new SimProducer(topic.name(), acks, batchBytes, patience, this);
  }

  void start() {
    send();
  }

  private void send() {
    if (sim.faults.isHealed()) {
      return;
    }
    int records = 1 + clients.chance().below(3);
    for (int i = 0; i < records; i++) {
      write(clients.chance().below(topic.partitions()));
    }
    long pause = clients.chance().happens(0.3) ? 2 * MS : 60 * MS;
    clients.after(1 + clients.chance().below(pause), "producer " + number + " sends", this::send);
  }

  /** One more record to each partition, which must not fail. */
  void probe() {
    probesFrom = nextToken;
    for (int partition = 0; partition < topic.partitions(); partition++) {
      write(partition);
    }
  }

  boolean hasWrittenProbes() {
    return acks != Acks.ALL || probesFrom == Long.MAX_VALUE || probesWritten == topic.partitions();
  }

  boolean isIdle() {
    return core.isIdle();
  }

  String topic() {
    return topic.name();
  }

  List<Receipt> receipts() {
    return receipts;
  }

  private void write(int partition) {
    long token = nextToken++;
    ByteBuffer value = ByteBuffer.allocate(8).putLong(valueOf(token)).flip();
    core.send(token, partition, sim.now / MS, value, sim.now);
    tick();
  }

  private long valueOf(long token) {
    return (long) number << 40 | token;
  }

  /** While anything is on its way. */
  private void tick() {
    if (ticking || core.isIdle()) {
      return;
    }
    ticking = true;
    clients.after(
        TICK,
        "producer " + number + " ticks",
        () -> {
          ticking = false;
          if (idAskedAt >= 0 && sim.now - idAskedAt > ID_PATIENCE) {
            askProducerId();
          }
          core.timePassed(sim.now);
          tick();
        });
  }

  @Override
  public void send(long requestId, int broker, ProduceRequest request) {
    Object sent = sim.faults.damaged(request);
    sim.network.send(
        0,
        broker,
        sent,
        () -> {
          ReplicaShell replica = sim.replicaAt(broker, request.partition());
          if (replica != null) {
            replica.asked(
                token -> new ReplicaInput.ProduceArrived(token, (ProduceRequest) sent),
                answer ->
                    answered(replica, requestId, (ProduceRequest) sent, (ProduceResponse) answer));
          }
        });
  }

  private void answered(
      ReplicaShell by, long requestId, ProduceRequest request, ProduceResponse response) {
    clients.receipts().produced(by, request, response);
    sim.network.send(by.node.id, 0, response, () -> core.answered(requestId, response, sim.now));
  }

  @Override
  public void succeeded(long token, int partition, long offset) {
    if (token >= probesFrom) {
      probesWritten++;
    }
    if (acks != Acks.ALL) {
      return;
    }
    Long last = lastOffsets.put(partition, offset);
    if (last != null && offset <= last) {
      clients.receipts().outOfOrder(partitionId(partition), number, last, offset);
    }
    receipts.add(new Receipt(partitionId(partition), offset, valueOf(token)));
  }

  private PartitionId partitionId(int partition) {
    return new PartitionId(clients.topicId(topic.name()), partition);
  }

  @Override
  public void failed(long token, ErrorCode error, int partition, boolean mayBeWritten) {
    sim.coverage.count("client-" + error);
    if (token < probesFrom) {
      return;
    }
    probesWritten++;
    boolean excused =
        sim.invariants.isAnyOffline(topic.name())
            || sim.invariants.partition(partitionId(partition)).isUnclean();
    if (!excused) {
      throw new Violation("15", "after healing a write failed with " + error);
    }
  }

  @Override
  public void askTopic() {
    clients.describe(
        topic.name(),
        (id, image) ->
            core.described(
                id.get(0).topicId(),
                io.tidemark.broker.SimBroker.maxBatchBytes(image, id.get(0)),
                id.stream().map(image::partition).toList(),
                sim.now));
  }

  @Override
  public void askProducerId() {
    idAskedAt = sim.now;
    long asked = ++idRequest;
    clients.askController(
        new InitProducerId(),
        response -> {
          if (asked != idRequest || idAskedAt < 0) {
            return;
          }
          idAskedAt = -1;
          if (response instanceof ProducerIdGiven given && given.error() == ErrorCode.NONE) {
            core.idGiven(given.producerId(), sim.now);
          } else {
            core.idRefused();
          }
        });
  }

  /** What a client learns of a topic. */
  @FunctionalInterface
  interface Described {
    void accept(List<PartitionId> partitions, MetadataImage image);
  }

  @Override
  public String toString() {
    return "producer " + number + " " + Kind.CLIENT;
  }
}
