package io.tidemark.log;

import io.tidemark.log.LogEvent.QuorumVote;

/**
 * What a quorum member's log knows beside its records.
 *
 * @param vote survives whatever happens to the records
 * @param startEpoch the leader epoch of the record before the log's start, −1 when there is none
 */
public record QuorumPart(
    QuorumVote vote, VoterSets voterSets, LogSnapshot snapshot, int startEpoch) {
  static final QuorumPart NONE =
      new QuorumPart(QuorumVote.NONE, VoterSets.NONE, LogSnapshot.NONE, -1);

  QuorumPart with(QuorumVote newVote) {
    return new QuorumPart(newVote, voterSets, snapshot, startEpoch);
  }

  QuorumPart with(VoterSets sets) {
    return sets == voterSets ? this : new QuorumPart(vote, sets, snapshot, startEpoch);
  }

  QuorumPart with(LogSnapshot newSnapshot, int newStartEpoch) {
    return new QuorumPart(vote, voterSets, newSnapshot, newStartEpoch);
  }
}
