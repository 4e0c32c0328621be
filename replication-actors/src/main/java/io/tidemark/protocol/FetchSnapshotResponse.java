package io.tidemark.protocol;

import io.tidemark.log.LogEvent.Voter;
import io.tidemark.protocol.FetchResponse.CurrentLeader;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * @param currentLeader what the answering member knows
 * @param snapshotEnd which snapshot this is of, −1 on an error
 * @param snapshotEpoch −1 on an error
 * @param voters the voters at its end
 * @param size of the whole snapshot, in bytes
 * @param position where the bytes belong
 * @param bytes never written to
 */
public record FetchSnapshotResponse(
    ErrorCode error,
    CurrentLeader currentLeader,
    long snapshotEnd,
    int snapshotEpoch,
    List<Voter> voters,
    long size,
    long position,
    ByteBuffer bytes) {

  public FetchSnapshotResponse {
    voters = List.copyOf(voters);
  }

  public static FetchSnapshotResponse failed(ErrorCode error, int leaderId, int leaderEpoch) {
    return new FetchSnapshotResponse(
        error,
        new CurrentLeader(leaderId, leaderEpoch),
        -1,
        -1,
        List.of(),
        0,
        0,
        ByteBuffer.allocate(0));
  }
}
