package io.tidemark.quorum;

import io.tidemark.log.LogState;
import io.tidemark.protocol.EpochEndRequest;
import io.tidemark.protocol.EpochEndResponse;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.FetchSnapshotRequest;
import io.tidemark.protocol.FetchSnapshotResponse;
import io.tidemark.protocol.QuorumMessage.BeginQuorumEpoch;
import io.tidemark.protocol.QuorumMessage.EndQuorumEpoch;
import io.tidemark.protocol.QuorumMessage.HelloRequest;
import io.tidemark.protocol.QuorumMessage.HelloResponse;
import io.tidemark.protocol.QuorumMessage.VoteRequest;
import io.tidemark.protocol.QuorumMessage.VoteResponse;
import java.nio.ByteBuffer;

/** What can happen to a quorum member. */
public sealed interface QuorumInput {

  /** The log has been read back. Comes once; what comes before it waits for it. */
  record LogRecovered(LogState log) implements QuorumInput {}

  /** The event that was to be persisted is on the disk, flushed. */
  record LogPersisted(LogState log) implements QuorumInput {}

  /** The log is lost to this member; whether the event in flight is in it is not known. */
  record LogFailed() implements QuorumInput {}

  /** The token of a request comes back in its answer. */
  record FetchArrived(long token, FetchRequest request) implements QuorumInput {}

  /** The id is that of the request. */
  record FetchAnswered(long requestId, FetchResponse response) implements QuorumInput {}

  record EpochEndArrived(long token, EpochEndRequest request) implements QuorumInput {}

  record EpochEndAnswered(long requestId, EpochEndResponse response) implements QuorumInput {}

  record FetchSnapshotArrived(long token, FetchSnapshotRequest request) implements QuorumInput {}

  record FetchSnapshotAnswered(long requestId, FetchSnapshotResponse response)
      implements QuorumInput {}

  /**
   * What {@link QuorumEffect.TakeSnapshot} asked for.
   *
   * @param endOffset the content is what the committed records below it come to
   * @param content never written to
   */
  record SnapshotMade(long endOffset, ByteBuffer content) implements QuorumInput {}

  record VoteArrived(long token, VoteRequest request) implements QuorumInput {}

  record VoteAnswered(VoteResponse response) implements QuorumInput {}

  record BeginArrived(BeginQuorumEpoch message) implements QuorumInput {}

  record EndArrived(EndQuorumEpoch message) implements QuorumInput {}

  record HelloArrived(long token, HelloRequest request) implements QuorumInput {}

  record HelloAnswered(HelloResponse response) implements QuorumInput {}

  /**
   * Records for the log. Dropped without a trace unless this member leads {@code epoch}; {@link
   * QuorumEffect.LostLeadership} has told or will tell.
   *
   * @param batches one or more v2 batches with base offset 0, never written to
   */
  record AppendRequested(int epoch, ByteBuffer batches) implements QuorumInput {}

  /** The token comes back in the answer, which waits until the change is committed. */
  record VoterChangeRequested(long token, VoterChange change) implements QuorumInput {}

  /** Someone saw the process of that member die. May be wrong: others are asked first. */
  record Suspected(int voterId) implements QuorumInput {}

  /** This member is about to stop: it hands over and does not stand for election again. */
  record ResignRequested() implements QuorumInput {}

  /** {@link QuorumCore#nextDeadline} has come. */
  record TimePassed() implements QuorumInput {}
}
