package io.tidemark.protocol;

import java.util.UUID;

/** What quorum members say to each other beside Fetch (KIP-595, KIP-853, KIP-996). */
public sealed interface QuorumMessage {

  /**
   * A request for a vote.
   *
   * @param epoch the candidate's epoch; of a pre-vote, the one it is in already
   * @param candidateDirectory which directory of the candidate asks
   * @param voter whom it asks
   * @param voterDirectory which directory of it; another one has no vote
   * @param lastEpoch the epoch of the last record in the candidate's log
   * @param endOffset the candidate's log end offset
   * @param preVote whether it only asks what the answer would be
   */
  record VoteRequest(
      int epoch,
      int candidateId,
      UUID candidateDirectory,
      int voter,
      UUID voterDirectory,
      int lastEpoch,
      long endOffset,
      boolean preVote)
      implements QuorumMessage {}

  /**
   * @param epoch the answerer's epoch
   * @param leaderId the leader it knows, −1 when none
   */
  record VoteResponse(
      ErrorCode error, int voter, int epoch, int leaderId, boolean granted, boolean preVote)
      implements QuorumMessage {}

  /** A new leader tells a voter that has not fetched from it yet. */
  record BeginQuorumEpoch(int epoch, int leaderId) implements QuorumMessage {}

  /** A leader that resigns names the voters in the order in which they should stand. */
  record EndQuorumEpoch(int epoch, int leaderId, java.util.List<Integer> successors)
      implements QuorumMessage {}

  /**
   * Who are you? From a member that does not know the voters yet.
   *
   * @param blank whether the asker's directory has never been part of a quorum
   */
  record HelloRequest(int id, UUID directoryId, String address, boolean blank)
      implements QuorumMessage {}

  /**
   * @param blank whether the answerer's directory has never been part of a quorum
   * @param voters the quorum's voters, empty when the answerer knows none
   * @param leaderId −1 when the answerer knows none
   */
  record HelloResponse(
      int id,
      UUID directoryId,
      String address,
      boolean blank,
      java.util.List<io.tidemark.log.LogEvent.Voter> voters,
      int leaderId,
      int epoch)
      implements QuorumMessage {}
}
