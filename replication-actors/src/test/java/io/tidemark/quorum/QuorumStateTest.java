package io.tidemark.quorum;

import static io.tidemark.quorum.QuorumState.CANDIDATE;
import static io.tidemark.quorum.QuorumState.FOLLOWER;
import static io.tidemark.quorum.QuorumState.FORMING;
import static io.tidemark.quorum.QuorumState.LEADER;
import static io.tidemark.quorum.QuorumState.PROSPECTIVE;
import static io.tidemark.quorum.QuorumState.RECOVERING;
import static io.tidemark.quorum.QuorumState.RESIGNED;
import static io.tidemark.quorum.QuorumState.STOPPED;
import static io.tidemark.quorum.QuorumState.UNATTACHED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The states of a quorum member and the ways between them, all of them (KIP-595, KIP-996). */
class QuorumStateTest {
  private static final Map<QuorumState, Set<QuorumState>> WAYS =
      Map.of(
          RECOVERING, EnumSet.of(FORMING, UNATTACHED, FOLLOWER, RESIGNED, STOPPED),
          FORMING, EnumSet.of(UNATTACHED, STOPPED),
          UNATTACHED, EnumSet.of(UNATTACHED, PROSPECTIVE, FOLLOWER, STOPPED),
          PROSPECTIVE, EnumSet.of(UNATTACHED, PROSPECTIVE, CANDIDATE, FOLLOWER, STOPPED),
          CANDIDATE, EnumSet.of(UNATTACHED, PROSPECTIVE, LEADER, FOLLOWER, STOPPED),
          LEADER, EnumSet.of(UNATTACHED, FOLLOWER, RESIGNED, STOPPED),
          FOLLOWER, EnumSet.of(UNATTACHED, PROSPECTIVE, FOLLOWER, STOPPED),
          RESIGNED, EnumSet.of(UNATTACHED, FOLLOWER, STOPPED),
          STOPPED, EnumSet.noneOf(QuorumState.class));

  @Test
  void everyLegalWayIsOpenAndEveryOtherOneThrows() {
    for (QuorumState from : QuorumState.values()) {
      for (QuorumState to : QuorumState.values()) {
        if (WAYS.get(from).contains(to)) {
          assertEquals(to, from.to(to));
        } else {
          String way = from + " to " + to;
          assertEquals(
              "a quorum member cannot go from " + way,
              assertThrows(IllegalStateException.class, () -> from.to(to), way).getMessage());
        }
      }
    }
  }

  @Test
  void nobodyLeadsWithoutHavingStoodAndNobodyStandsWithoutHavingAsked() {
    for (QuorumState from : QuorumState.values()) {
      if (from != CANDIDATE) {
        assertThrows(IllegalStateException.class, () -> from.to(LEADER));
      }
      if (from != PROSPECTIVE) {
        assertThrows(IllegalStateException.class, () -> from.to(CANDIDATE));
      }
    }
  }
}
