package io.tidemark.simulation;

import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import io.tidemark.protocol.ProduceRequest;
import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.protocol.ProduceResponse;
import io.tidemark.record.Record;
import io.tidemark.record.RecordBatch;
import java.util.HashMap;
import java.util.Map;

/** Holds what clients are told against what is true. */
final class Receipts {
  private final Simulation sim;
  private final Map<PartitionId, Map<Long, Long>> values = new HashMap<>();

  Receipts(Simulation sim) {
    this.sim = sim;
  }

  /** As the leader answers: it must be committed, or at least written, where it says. */
  void produced(ReplicaShell by, ProduceRequest request, ProduceResponse response) {
    PartitionWatch watch = sim.invariants.partition(by.partition);
    if (response.error() != ErrorCode.NONE || request.acks() == Acks.NONE || watch.isUnclean()) {
      return;
    }
    RecordBatch batch = RecordBatch.at(request.batches(), request.batches().position());
    boolean all = request.acks() == Acks.ALL;
    Stored found = all ? watch.ghost().at(response.baseOffset()) : by.log.at(response.baseOffset());
    boolean holds =
        found != null && found.base() == response.baseOffset() && found.crc() == batch.crc();
    if (!holds) {
      throw new Violation(
          all ? "3" : "log",
          "%s says that a batch is at offset %d with acks=%s, where %s is"
              .formatted(
                  by.node,
                  response.baseOffset(),
                  request.acks(),
                  found == null ? "nothing" : found));
    }
    if (all) {
      sim.faults.acknowledged(by);
    }
  }

  void fetched(ReplicaShell by, FetchRequest request, FetchResponse response) {
    PartitionWatch watch = sim.invariants.partition(by.partition);
    if (response.error() == ErrorCode.NONE) {
      if (response.lastStableOffset() > response.highWatermark()) {
        throw new Violation("7", "last stable offset above the high watermark: " + response);
      }
      return;
    }
    PartitionState state = watch.state();
    boolean current =
        state != null
            && by.core().isLeader()
            && state.leader() == by.node.id
            && state.leaderEpoch() == by.core().leaderEpoch();
    if (response.error() == ErrorCode.OFFSET_OUT_OF_RANGE
        && current
        && !watch.isUnclean()
        && request.fetchOffset() >= by.log.state().startOffset()
        && request.fetchOffset() <= watch.ghost().end()) {
      throw new Violation(
          "8",
          "%s leads and does not know offset %d, which is committed"
              .formatted(by.node, request.fetchOffset()));
    }
  }

  /** A reader sees what is committed, and nothing twice or out of order. */
  void consumed(PartitionId id, RecordBatch batch, long expected) {
    PartitionWatch watch = sim.invariants.partition(id);
    if (watch.isUnclean()) {
      return;
    }
    Stored known = watch.ghost().at(batch.baseOffset());
    boolean same =
        known != null && known.crc() == batch.crc() && known.epoch() == batch.leaderEpoch();
    if (!same || batch.baseOffset() > expected) {
      throw new Violation(
          "8",
          "a reader at offset %d got the batch at %d of epoch %d, where %s is committed"
              .formatted(
                  expected,
                  batch.baseOffset(),
                  batch.leaderEpoch(),
                  known == null ? "nothing" : known));
    }
  }

  void outOfOrder(PartitionId id, int producer, long before, long offset) {
    PartitionWatch watch = sim.invariants.partition(id);
    if (!watch.isUnclean() && !watch.ghost().isAnyDeleted()) {
      throw new Violation(
          "14", "producer %d was told offset %d after %d".formatted(producer, offset, before));
    }
  }

  /** Each record that was acknowledged is where its producer was told. */
  void check(ProducerClient.Receipt receipt) {
    PartitionWatch watch = sim.invariants.partition(receipt.partition());
    if (watch.isUnclean()) {
      return;
    }
    Long value =
        values
            .computeIfAbsent(receipt.partition(), id -> valuesOf(watch.ghost()))
            .get(receipt.offset());
    if (value == null || value != receipt.value()) {
      throw new Violation("3", "%s was acknowledged, but there is %s".formatted(receipt, value));
    }
  }

  private static Map<Long, Long> valuesOf(Ghost ghost) {
    Map<Long, Long> values = new HashMap<>();
    for (Stored batch : ghost.committed()) {
      for (Record record : batch.batch().records()) {
        if (record.value().remaining() == Long.BYTES) {
          values.put(record.offset(), record.value().getLong(record.value().position()));
        }
      }
    }
    return values;
  }
}
