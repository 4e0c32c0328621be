package io.tidemark.simulation;

import java.util.function.Supplier;

/** A mistake that can be built in, to see that it is found. */
enum Mutant {
  NONE(Rules::new),
  HW_TRUNCATION(FollowerMistakes.HighWatermarkTruncation::new),
  NAIVE_EPOCH_LOOKUP(FollowerMistakes.NaiveEpochLookup::new),
  LEO_BEFORE_PERSIST(DiskMistakes.EndBeforePersist::new),
  VOTE_NOT_PERSISTED(DiskMistakes.VoteNotPersisted::new),
  COMMIT_PREVIOUS_EPOCH(LeaderMistakes.CommitPreviousEpoch::new),
  ISR_EXPAND_WITHOUT_EPOCH_START(LeaderMistakes.ExpandWithoutEpochStart::new),
  HW_IGNORES_PENDING_ISR(LeaderMistakes.IgnorePendingIsr::new),
  NO_PRODUCER_STATE_AFTER_FAILOVER(DiskMistakes.NoProducerState::new),
  ACCEPT_LATE_FETCH_RESPONSE(FollowerMistakes.AcceptLateFetchResponse::new),
  FOLLOWER_HW_FROM_DIVERGING_RESPONSE(FollowerMistakes.HighWatermarkFromDivergingResponse::new),
  COMMIT_UNFLUSHED(DiskMistakes.CommitUnflushed::new),
  STALE_ALTER_PARTITION(LeaderMistakes.StaleAlterPartition::new),
  SAME_EPOCH_AFTER_RESTART(LeaderMistakes.SameEpochAfterRestart::new),
  DUPLICATE_ACKED_BEFORE_HW(LeaderMistakes.DuplicateAckedBeforeCommit::new),
  FETCH_POSITION_COUNTS_AS_ACK(DiskMistakes.FetchPositionCountsAsAck::new),
  TOPIC_ID_IGNORED(LeaderMistakes.TopicIdIgnored::new);

  private final Supplier<Rules> rules;

  Mutant(Supplier<Rules> rules) {
    this.rules = rules;
  }

  Rules rules() {
    return rules.get();
  }
}
