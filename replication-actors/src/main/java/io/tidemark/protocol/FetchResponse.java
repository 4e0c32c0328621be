package io.tidemark.protocol;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * @param highWatermark the answering replica's, −1 on an error
 * @param lastStableOffset as highWatermark as long as there are no transactions
 * @param logStartOffset −1 on an error
 * @param diverging where the asker's log left the leader's, null when it did not (KIP-595)
 * @param currentLeader what the answering replica knows, so that the asker can go there (KIP-951)
 * @param abortedTransactions empty as long as there are no transactions
 * @param preferredReadReplica a closer replica to read from, −1 for none (KIP-392)
 * @param records whole v2 batches, never written to
 */
public record FetchResponse(
    ErrorCode error,
    long highWatermark,
    long lastStableOffset,
    long logStartOffset,
    Diverging diverging,
    CurrentLeader currentLeader,
    List<AbortedTransaction> abortedTransactions,
    int preferredReadReplica,
    ByteBuffer records) {

  /** The end of the highest epoch that both logs may share. */
  public record Diverging(int epoch, long endOffset) {}

  /** −1 for a leader that is not known. */
  public record CurrentLeader(int leaderId, int leaderEpoch) {}

  public record AbortedTransaction(long producerId, long firstOffset) {}

  private static final ByteBuffer NO_RECORDS = ByteBuffer.allocate(0);

  public static FetchResponse failed(ErrorCode error, int leaderId, int leaderEpoch) {
    return new FetchResponse(
        error,
        -1,
        -1,
        -1,
        null,
        new CurrentLeader(leaderId, leaderEpoch),
        List.of(),
        -1,
        NO_RECORDS);
  }

  public static FetchResponse of(
      long highWatermark, long logStartOffset, int leaderId, int leaderEpoch) {
    return new FetchResponse(
        ErrorCode.NONE,
        highWatermark,
        highWatermark,
        logStartOffset,
        null,
        new CurrentLeader(leaderId, leaderEpoch),
        List.of(),
        -1,
        NO_RECORDS);
  }

  public FetchResponse divergingAt(int epoch, long endOffset) {
    return new FetchResponse(
        error,
        highWatermark,
        lastStableOffset,
        logStartOffset,
        new Diverging(epoch, endOffset),
        currentLeader,
        abortedTransactions,
        preferredReadReplica,
        records);
  }

  /** Sends the reader to a closer replica. */
  public FetchResponse preferring(int replica) {
    return new FetchResponse(
        error,
        highWatermark,
        lastStableOffset,
        logStartOffset,
        diverging,
        currentLeader,
        abortedTransactions,
        replica,
        records);
  }

  public FetchResponse withRecords(ByteBuffer newRecords) {
    return new FetchResponse(
        error,
        highWatermark,
        lastStableOffset,
        logStartOffset,
        diverging,
        currentLeader,
        abortedTransactions,
        preferredReadReplica,
        newRecords);
  }
}
