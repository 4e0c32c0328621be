package io.tidemark.simulation;

import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.PartitionId;

/** Copies of requests in which one thing is different. */
final class Requests {
  private Requests() {}

  static FetchRequest withoutLastEpoch(FetchRequest request) {
    return copy(request, request.partition(), -1);
  }

  static FetchRequest to(PartitionId partition, FetchRequest request) {
    return copy(request, partition, request.lastFetchedEpoch());
  }

  private static FetchRequest copy(FetchRequest r, PartitionId partition, int lastFetchedEpoch) {
    return new FetchRequest(
        r.replicaId(),
        r.brokerEpoch(),
        r.directoryId(),
        r.maxWaitMs(),
        r.minBytes(),
        partition,
        r.leaderEpoch(),
        r.fetchOffset(),
        r.ackOffset(),
        lastFetchedEpoch,
        r.logStartOffset(),
        r.maxBytes(),
        r.highWatermark(),
        r.rack());
  }
}
