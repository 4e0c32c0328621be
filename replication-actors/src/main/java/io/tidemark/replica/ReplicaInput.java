package io.tidemark.replica;

import io.tidemark.log.LogState;
import io.tidemark.protocol.DeleteRecordsRequest;
import io.tidemark.protocol.EpochEndRequest;
import io.tidemark.protocol.EpochEndResponse;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.ListOffsetsRequest;
import io.tidemark.protocol.PartitionState;
import io.tidemark.protocol.ProduceRequest;
import io.tidemark.protocol.ReplicaOffline;

/** What can happen to a replica. */
public sealed interface ReplicaInput {

  /** The log has been read back. Comes once, before anything else has an effect. */
  record LogRecovered(LogState log) implements ReplicaInput {}

  /** The event that was to be persisted is durable. */
  record LogPersisted(LogState log) implements ReplicaInput {}

  /** The log is lost to this replica; whether the event in flight is in it is not known. */
  record LogFailed() implements ReplicaInput {}

  /** The replica is not wanted on this broker any more; its data goes. */
  record Removed() implements ReplicaInput {}

  /** Newer metadata, or the same again. */
  record ViewChanged(PartitionView view) implements ReplicaInput {}

  /** The token of a request comes back in its answer. */
  record FetchArrived(long token, FetchRequest request) implements ReplicaInput {}

  record ProduceArrived(long token, ProduceRequest request) implements ReplicaInput {}

  record EpochEndArrived(long token, EpochEndRequest request) implements ReplicaInput {}

  record ListOffsetsArrived(long token, ListOffsetsRequest request) implements ReplicaInput {}

  record DeleteRecordsArrived(long token, DeleteRecordsRequest request) implements ReplicaInput {}

  /** A follower's disk failed. */
  record PeerOffline(ReplicaOffline message) implements ReplicaInput {}

  /** So many bytes of records went to a throttled follower. */
  record RecordsSent(int bytes) implements ReplicaInput {}

  /**
   * Time to look for what need not be kept any more.
   *
   * @param wallClockMs ms since the epoch, as in records
   */
  record CheckRetention(long wallClockMs) implements ReplicaInput {}

  /** The id is that of the request. */
  record FetchAnswered(long requestId, FetchResponse response) implements ReplicaInput {}

  record EpochEndAnswered(long requestId, EpochEndResponse response) implements ReplicaInput {}

  /**
   * The controller's answer to a proposed ISR.
   *
   * @param state the partition's new state; null on an error
   */
  record IsrAnswered(long requestId, ErrorCode error, PartitionState state)
      implements ReplicaInput {}

  /** {@link ReplicaCore#nextDeadline} has come. */
  record TimePassed() implements ReplicaInput {}
}
