package io.tidemark.wire;

import akka.actor.typed.ActorRef;
import io.tidemark.protocol.ControllerRequest;
import io.tidemark.protocol.DeleteRecordsRequest;
import io.tidemark.protocol.DeleteRecordsResponse;
import io.tidemark.protocol.EpochEndRequest;
import io.tidemark.protocol.EpochEndResponse;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.FetchSnapshotRequest;
import io.tidemark.protocol.FetchSnapshotResponse;
import io.tidemark.protocol.ListOffsetsRequest;
import io.tidemark.protocol.ListOffsetsResponse;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.ProduceRequest;
import io.tidemark.protocol.ProduceResponse;
import io.tidemark.protocol.QuorumMessage;
import io.tidemark.protocol.ReplicaOffline;

/**
 * What the replicas of a group, their clients and their peers say to each other. {@code requestId}
 * is the asker's and comes back with the answer; an answer that does not match is dropped.
 */
public sealed interface ReplicaMessage {

  /** The data path: written by hand, byte for byte. */
  sealed interface Data extends ReplicaMessage {}

  /** Never leaves its actor; each replica has its own. */
  non-sealed interface Local extends ReplicaMessage {}

  record Fetch(long requestId, FetchRequest request, ActorRef<FetchReply> replyTo)
      implements Data {}

  record FetchReply(long requestId, FetchResponse response) implements Data {}

  record Produce(long requestId, ProduceRequest request, ActorRef<ProduceReply> replyTo)
      implements Data {}

  record ProduceReply(long requestId, ProduceResponse response) implements Data {}

  record EpochEnd(long requestId, EpochEndRequest request, ActorRef<EpochEndReply> replyTo)
      implements Data {}

  record EpochEndReply(long requestId, EpochEndResponse response) implements Data {}

  record FetchSnapshot(
      long requestId, FetchSnapshotRequest request, ActorRef<FetchSnapshotReply> replyTo)
      implements Data {}

  record FetchSnapshotReply(long requestId, FetchSnapshotResponse response) implements Data {}

  record ListOffsets(long requestId, ListOffsetsRequest request, ActorRef<ListOffsetsReply> replyTo)
      implements Data {}

  record ListOffsetsReply(long requestId, ListOffsetsResponse response) implements Data {}

  record DeleteRecords(
      long requestId, DeleteRecordsRequest request, ActorRef<DeleteRecordsReply> replyTo)
      implements ReplicaMessage, ControlMessage {}

  record DeleteRecordsReply(long requestId, DeleteRecordsResponse response)
      implements ReplicaMessage, ControlMessage {}

  record Offline(ReplicaOffline message) implements ReplicaMessage, ControlMessage {}

  /** Where are you? Goes through sharding once; what follows goes to the answered ref. */
  record Locate(ActorRef<Located> replyTo) implements ReplicaMessage, ControlMessage {}

  /**
   * @param dataPort where its node takes data connections; 0 when it takes none
   */
  record Located(
      PartitionId partition, int brokerId, ActorRef<ReplicaMessage> replica, int dataPort)
      implements ReplicaMessage, ControlMessage {}

  record Describe(ActorRef<Described> replyTo) implements ReplicaMessage, ControlMessage {}

  /**
   * A replica as it is now.
   *
   * @param lastEpoch the leader epoch of its last record, −1 when it has none
   * @param truncatedRecords what it has cut since it was started, to follow its leaders
   * @param refusedBatches fetched batches that it has refused since then: damaged, or in the wrong
   *     place
   */
  record Described(
      PartitionId partition,
      int brokerId,
      boolean leader,
      int leaderEpoch,
      int lastEpoch,
      long startOffset,
      long endOffset,
      long highWatermark,
      long truncatedRecords,
      long refusedBatches)
      implements ControlMessage {}

  record Vote(QuorumMessage.VoteRequest request, ActorRef<VoteReply> replyTo)
      implements ReplicaMessage, ControlMessage {}

  record VoteReply(QuorumMessage.VoteResponse response) implements ReplicaMessage, ControlMessage {}

  record Begin(QuorumMessage.BeginQuorumEpoch message) implements ReplicaMessage, ControlMessage {}

  record End(QuorumMessage.EndQuorumEpoch message) implements ReplicaMessage, ControlMessage {}

  record Hello(QuorumMessage.HelloRequest request, ActorRef<HelloReply> replyTo)
      implements ReplicaMessage, ControlMessage {}

  record HelloReply(QuorumMessage.HelloResponse response)
      implements ReplicaMessage, ControlMessage {}

  /** A request to the active controller; one that is not answers NOT_CONTROLLER. */
  record ControllerAsk(
      long requestId, ControllerRequest request, ActorRef<BrokerMessage.ControllerAnswered> replyTo)
      implements ReplicaMessage, ControlMessage {}
}
