package io.tidemark.quorum;

import io.tidemark.log.LogEvent.Voter;

/** A change of the quorum's voters, one at a time (KIP-853). */
public sealed interface VoterChange {

  /** An observer that has caught up votes from now on. */
  record Add(Voter voter) implements VoterChange {}

  /** That voter votes no more, and goes on as an observer. */
  record Remove(int id) implements VoterChange {}
}
