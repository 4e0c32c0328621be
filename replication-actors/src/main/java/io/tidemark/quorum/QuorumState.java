package io.tidemark.quorum;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/** What a quorum member is, and what it may become (KIP-595, KIP-996). */
enum QuorumState {
  /** The log is being read back. */
  RECOVERING,
  /** The voters are not known yet. */
  FORMING,
  /** In an epoch without a known leader; may have voted. */
  UNATTACHED,
  /** Asks whether an election would be won, before it disturbs anyone. */
  PROSPECTIVE,
  /** Stands for election. */
  CANDIDATE,
  LEADER,
  FOLLOWER,
  /** Led this epoch, and never will again. */
  RESIGNED,
  /** For good: its log or its promises cannot be trusted. */
  STOPPED;

  private static final Map<QuorumState, Set<QuorumState>> LEGAL =
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

  /**
   * @throws IllegalStateException when the protocol knows no such transition
   */
  QuorumState to(QuorumState next) {
    if (!LEGAL.get(this).contains(next)) {
      throw new IllegalStateException("a quorum member cannot go from " + this + " to " + next);
    }
    return next;
  }
}
