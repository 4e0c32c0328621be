package io.tidemark.protocol;

/**
 * Everything below an offset may go (KIP-107).
 *
 * @param leaderEpoch the leader epoch that the asker knows, −1 when none
 * @param offset where the log is to start, at most the high watermark; −1 for the high watermark
 */
public record DeleteRecordsRequest(PartitionId partition, int leaderEpoch, long offset) {}
