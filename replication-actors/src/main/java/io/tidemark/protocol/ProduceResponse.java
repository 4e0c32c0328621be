package io.tidemark.protocol;

/**
 * @param baseOffset the offset of the first record, −1 on an error
 * @param logStartOffset −1 on an error
 * @param currentLeader what the answering replica knows
 * @param message why it failed and what to do, empty on success
 */
public record ProduceResponse(
    ErrorCode error,
    long baseOffset,
    long logStartOffset,
    FetchResponse.CurrentLeader currentLeader,
    String message) {

  public static ProduceResponse failed(
      ErrorCode error, int leaderId, int leaderEpoch, String message) {
    return new ProduceResponse(
        error, -1, -1, new FetchResponse.CurrentLeader(leaderId, leaderEpoch), message);
  }
}
