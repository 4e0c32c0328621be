package io.tidemark.quorum;

import java.util.HashSet;
import java.util.Set;

/** Who granted a vote or a pre-vote. A set: an answer may come twice. */
final class Ballot {
  private final Voters voters;
  private final Set<Integer> granted = new HashSet<>();

  Ballot(Voters voters, int self) {
    this.voters = voters;
    granted.add(self);
  }

  void grant(int voter) {
    if (voters.contains(voter)) {
      granted.add(voter);
    }
  }

  boolean isWon() {
    return granted.size() >= voters.majority();
  }
}
