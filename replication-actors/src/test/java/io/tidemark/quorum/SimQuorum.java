package io.tidemark.quorum;

import io.tidemark.replica.CommitRule;

/** Builds quorum members with a mistake, for a shell outside of this package. */
public final class SimQuorum {
  private SimQuorum() {}

  /** Counts a majority of any epoch's records (Raft's figure 8). */
  public static QuorumCore committingPreviousEpochs(QuorumMember me, QuorumSettings settings) {
    Roles roles =
        new Roles(me, settings) {
          @Override
          CommitRule commitRule() {
            return new Majority(me.self(), () -> voters, -1);
          }
        };
    return new QuorumCore(me, settings, roles);
  }
}
