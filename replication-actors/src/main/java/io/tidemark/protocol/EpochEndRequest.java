package io.tidemark.protocol;

/**
 * OffsetsForLeaderEpoch (KIP-101, KIP-279): where does {@code epoch} end in the leader's log?
 *
 * @param leaderEpoch the leader epoch that the asker knows
 */
public record EpochEndRequest(PartitionId partition, int leaderEpoch, int epoch) {}
