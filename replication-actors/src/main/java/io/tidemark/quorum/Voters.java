package io.tidemark.quorum;

import io.tidemark.log.LogEvent.Voter;
import java.util.List;
import java.util.UUID;

/** The voters of a quorum. The same id with another directory is another member (KIP-853). */
record Voters(List<Voter> list) {
  static final Voters UNKNOWN = new Voters(List.of());

  boolean contains(int id, UUID directoryId) {
    return list.stream()
        .anyMatch(voter -> voter.id() == id && voter.directoryId().equals(directoryId));
  }

  boolean contains(int id) {
    return list.stream().anyMatch(voter -> voter.id() == id);
  }

  int majority() {
    return list.size() / 2 + 1;
  }

  /**
   * A moment within {@code range} at which this member acts, apart from the others': two that stand
   * at the same time split the votes (Raft §9.3).
   */
  long turnOf(int self, long range, Step step) {
    long slot = range / Math.max(1, list.size());
    int rank = 0;
    while (rank < list.size() && list.get(rank).id() != self) {
      rank++;
    }
    return rank * slot + step.random(slot);
  }

  List<Voter> without(int id) {
    return list.stream().filter(voter -> voter.id() != id).toList();
  }
}
