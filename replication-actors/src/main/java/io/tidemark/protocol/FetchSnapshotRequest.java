package io.tidemark.protocol;

import java.util.UUID;

/**
 * A piece of the snapshot of the metadata log at its leader (KIP-630): from a member that lacks
 * records which the leader has no more.
 *
 * @param directoryId the asker's directory
 * @param leaderEpoch the leader epoch that the asker knows
 * @param snapshotEnd the end offset of the snapshot that is being fetched, −1 for the latest
 * @param snapshotEpoch the epoch of that snapshot, −1 for the latest
 * @param position how many bytes of it the asker has
 * @param maxBytes the most that one answer may carry
 */
public record FetchSnapshotRequest(
    int replicaId,
    UUID directoryId,
    int leaderEpoch,
    long snapshotEnd,
    int snapshotEpoch,
    long position,
    int maxBytes) {

  /** The snapshot that the leader has now, from its beginning on. */
  public static final long LATEST = -1;
}
