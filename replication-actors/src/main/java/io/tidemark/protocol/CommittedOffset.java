package io.tidemark.protocol;

/**
 * How far a group has come in a partition.
 *
 * @param offset the first that is not done yet
 * @param leaderEpoch of the last record that is done, −1 when not known (KIP-320)
 */
public record CommittedOffset(PartitionId partition, long offset, int leaderEpoch) {}
