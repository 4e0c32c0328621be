package io.tidemark.protocol;

import java.util.UUID;

/**
 * A follower's or reader's request for what lies behind an offset (KIP-74, KIP-101, KIP-320,
 * KIP-903). From a follower it is acknowledgement and sign of life at once.
 *
 * @param replicaId the follower's broker id, {@link #CONSUMER} for a reader
 * @param brokerEpoch the incarnation that the controller gave the follower, −1 for a reader or
 *     voter
 * @param directoryId of a quorum member (KIP-853), null elsewhere
 * @param maxWaitMs how long to wait for minBytes; 0 answers at once
 * @param minBytes bytes worth an answer before maxWaitMs
 * @param leaderEpoch the leader epoch that the asker knows, −1 when none
 * @param fetchOffset the first offset that is wanted
 * @param ackOffset the follower's durable log end offset, at most fetchOffset; −1 for a reader
 * @param lastFetchedEpoch the epoch of the record before fetchOffset, −1 when unknown
 * @param logStartOffset the follower's, −1 for a reader
 * @param maxBytes the size of the answer's records; the first batch may exceed it; 0 asks for none,
 *     only where the leader is
 * @param highWatermark what the follower knows, so that a newer one is told at once; −1 for a
 *     reader
 * @param rack where a reader stands, so that it can be sent to a closer replica (KIP-392); empty
 *     when it does not want that, and for a follower
 */
public record FetchRequest(
    int replicaId,
    long brokerEpoch,
    UUID directoryId,
    int maxWaitMs,
    int minBytes,
    PartitionId partition,
    int leaderEpoch,
    long fetchOffset,
    long ackOffset,
    int lastFetchedEpoch,
    long logStartOffset,
    int maxBytes,
    long highWatermark,
    String rack) {

  public static final int CONSUMER = -1;

  /** What a reader sends: it is no replica and acknowledges nothing. */
  public static FetchRequest reader(
      PartitionId partition, int leaderEpoch, long offset, int maxWaitMs, int maxBytes) {
    return new FetchRequest(
        CONSUMER,
        -1,
        null,
        maxWaitMs,
        1,
        partition,
        leaderEpoch,
        offset,
        -1,
        -1,
        -1,
        maxBytes,
        -1,
        "");
  }

  /** The same from a reader that would rather read from a replica in its own rack. */
  public FetchRequest in(String readersRack) {
    return new FetchRequest(
        replicaId,
        brokerEpoch,
        directoryId,
        maxWaitMs,
        minBytes,
        partition,
        leaderEpoch,
        fetchOffset,
        ackOffset,
        lastFetchedEpoch,
        logStartOffset,
        maxBytes,
        highWatermark,
        readersRack);
  }

  /** The same from a reader whose last record was of that epoch (KIP-320). */
  public FetchRequest after(int epoch) {
    return new FetchRequest(
        replicaId,
        brokerEpoch,
        directoryId,
        maxWaitMs,
        minBytes,
        partition,
        leaderEpoch,
        fetchOffset,
        ackOffset,
        epoch,
        logStartOffset,
        maxBytes,
        highWatermark,
        rack);
  }

  public boolean isFromReplica() {
    return replicaId >= 0;
  }
}
