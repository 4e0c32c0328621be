package io.tidemark.quorum;

import io.tidemark.log.LogSnapshot;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchSnapshotRequest;
import io.tidemark.protocol.FetchSnapshotResponse;
import io.tidemark.protocol.QuorumMessage.BeginQuorumEpoch;
import io.tidemark.protocol.QuorumMessage.EndQuorumEpoch;
import io.tidemark.protocol.QuorumMessage.HelloRequest;
import io.tidemark.protocol.QuorumMessage.HelloResponse;
import io.tidemark.protocol.QuorumMessage.VoteRequest;
import io.tidemark.protocol.QuorumMessage.VoteResponse;
import io.tidemark.replica.ReplicaEffect;

/** What the quorum core wants done, in order. The shell decides nothing. */
public sealed interface QuorumEffect {

  /** What the log, the fetches and their answers need: Persist, Send…, Answer…, Report. */
  record Replicate(ReplicaEffect effect) implements QuorumEffect {}

  record SendVote(int to, VoteRequest request) implements QuorumEffect {}

  record AnswerVote(long token, VoteResponse response) implements QuorumEffect {}

  /** {@code requestId} comes back with the answer. */
  record SendFetchSnapshot(long requestId, int to, FetchSnapshotRequest request)
      implements QuorumEffect {}

  record AnswerFetchSnapshot(long token, FetchSnapshotResponse response) implements QuorumEffect {}

  /** The log has grown: a {@link QuorumInput.SnapshotMade} lets its older part go. */
  record TakeSnapshot() implements QuorumEffect {}

  /**
   * The records below the snapshot's end are to be had in this form only: whoever uses the log
   * begins anew with it. All of them are committed.
   */
  record SnapshotLoaded(LogSnapshot snapshot) implements QuorumEffect {}

  /** The leader appended a record of its own there, behind everything that it was given. */
  record VotersAppended(long offset) implements QuorumEffect {}

  /**
   * @param message why not and what to do, empty when it is done
   */
  record AnswerVoterChange(long token, ErrorCode error, String message) implements QuorumEffect {}

  record SendBegin(int to, BeginQuorumEpoch message) implements QuorumEffect {}

  record SendEnd(int to, EndQuorumEpoch message) implements QuorumEffect {}

  record SendHello(String address, HelloRequest request) implements QuorumEffect {}

  record AnswerHello(long token, HelloResponse response) implements QuorumEffect {}

  /**
   * Leadership is usable: the epoch's own first record is committed, so all older ones are (Raft
   * §8).
   *
   * @param firstOffset the end of the log with everything appended so far: the next append goes
   *     there
   */
  record Led(int epoch, long firstOffset) implements QuorumEffect {}

  /** Leadership of that epoch is over, told of or not; the outcome of what waits is not known. */
  record LostLeadership(int epoch) implements QuorumEffect {}

  /** −1 for a leader that is not known. */
  record LeaderKnown(int leaderId, int epoch) implements QuorumEffect {}

  /** Everything below is committed. Never goes back. */
  record HighWatermarkMoved(long highWatermark) implements QuorumEffect {}

  /** This member must stop: going on would break a promise. It answers nothing any more. */
  record Fatal(String message) implements QuorumEffect {}
}
