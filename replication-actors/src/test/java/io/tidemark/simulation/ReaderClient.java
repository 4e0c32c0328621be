package io.tidemark.simulation;

import static io.tidemark.simulation.Simulation.MS;

import io.tidemark.client.SimReader;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.ListOffsetsRequest;
import io.tidemark.protocol.ListOffsetsResponse;
import io.tidemark.protocol.PartitionId;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatches;
import io.tidemark.replica.ReplicaInput;

/** Reads one partition from its start on, from the leader or from one replica. */
final class ReaderClient implements SimReader.Shell {
  private static final long TICK = 150 * MS;

  private final Simulation sim;
  private final Clients clients;
  private final String topic;
  private final int partition;
  private final String rack;
  private SimReader core;
  private long offset;
  private int lastEpoch = -1;
  private boolean seeksStart;

  /**
   * @param onlyBroker −1 for the leader
   */
  ReaderClient(Clients clients, String topic, int partition, int onlyBroker) {
    this.clients = clients;
    this.sim = clients.sim();
    this.topic = topic;
    this.partition = partition;
    this.rack = clients.chance().happens(0.5) ? "rack" + clients.chance().below(2) : "";
    this.core = new SimReader(partition, onlyBroker, rack, this);
  }

  void start() {
    read();
    tick();
  }

  private void read() {
    core.read(offset, lastEpoch, clients.chance().happens(0.3) ? 1 : 4_096, sim.now);
  }

  private void tick() {
    clients.after(
        TICK,
        "reader ticks",
        () -> {
          core.timePassed(sim.now);
          tick();
        });
  }

  @Override
  public void fetch(long requestId, int broker, FetchRequest request) {
    SimReader asking = core;
    sim.network.send(
        0,
        broker,
        request,
        () -> {
          ReplicaShell replica = sim.replicaAt(broker, request.partition());
          if (replica != null) {
            replica.asked(
                token -> new ReplicaInput.FetchArrived(token, request),
                answer -> {
                  FetchResponse response = (FetchResponse) answer;
                  clients.receipts().fetched(replica, request, response);
                  sim.network.send(
                      broker, 0, response, () -> asking.fetched(requestId, response, sim.now));
                });
          }
        });
  }

  @Override
  public void listOffsets(long requestId, int broker, ListOffsetsRequest request) {
    SimReader asking = core;
    sim.network.send(
        0,
        broker,
        request,
        () -> {
          ReplicaShell replica = sim.replicaAt(broker, request.partition());
          if (replica != null) {
            replica.asked(
                token -> new ReplicaInput.ListOffsetsArrived(token, request),
                answer ->
                    sim.network.send(
                        broker,
                        0,
                        answer,
                        () -> asking.listed(requestId, (ListOffsetsResponse) answer, sim.now)));
          }
        });
  }

  @Override
  public void askTopic() {
    SimReader asking = core;
    clients.describe(
        topic,
        (ids, image) -> {
          PartitionId id = ids.get(partition);
          asking.described(id.topicId(), image.partition(id), sim.now);
        });
  }

  @Override
  public void delivered(FetchResponse response) {
    PartitionId id = new PartitionId(clients.topicId(topic), partition);
    for (RecordBatch batch : RecordBatches.list(response.records())) {
      if (batch.nextOffset() > offset) {
        clients.receipts().consumed(id, batch, offset);
        offset = batch.nextOffset();
        lastEpoch = batch.leaderEpoch();
      }
    }
    clients.after(1 + clients.chance().below(20 * MS), "reader goes on", this::next);
  }

  private void next() {
    if (clients.chance().happens(0.1)) {
      seeksStart = false;
      core.find(ListOffsetsRequest.Position.LATEST, sim.now);
    } else {
      read();
    }
  }

  @Override
  public void deliveredOffset(long found) {
    if (seeksStart) {
      offset = Math.max(offset, found);
      lastEpoch = -1;
    }
    read();
  }

  /** Another replica has it: the leader, unless it is deleted. */
  @Override
  public void outOfRange(long wanted) {
    sim.coverage.count("reader-out-of-range");
    PartitionId id = new PartitionId(clients.topicId(topic), partition);
    if (sim.invariants.partition(id).isUnclean()) {
      offset = 0;
      lastEpoch = -1;
    }
    core = new SimReader(partition, -1, rack, this);
    seeksStart = true;
    clients.after(
        20 * MS, "reader goes on", () -> core.find(ListOffsetsRequest.Position.EARLIEST, sim.now));
  }

  /** Only an unclean leader may have other records than were read. */
  @Override
  public void truncated(long divergesAt, int epoch) {
    PartitionId id = new PartitionId(clients.topicId(topic), partition);
    sim.coverage.count("reader-truncated");
    if (!sim.invariants.partition(id).isUnclean()) {
      throw new Violation(
          "8", "a reader at %d is told that %s diverges at %d".formatted(offset, id, divergesAt));
    }
    offset = divergesAt;
    lastEpoch = epoch;
    clients.after(1 + clients.chance().below(20 * MS), "reader goes on", this::read);
  }

  @Override
  public void refused(ErrorCode error) {
    sim.coverage.count("client-" + error);
    clients.after(20 * MS, "reader goes on", this::read);
  }
}
