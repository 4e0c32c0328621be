package io.tidemark.protocol;

/**
 * @param offset −1 on an error, and when no record is as new as was asked for
 * @param timestamp that record's, in ms since the epoch; −1 for none
 * @param currentLeader what the answering replica knows
 */
public record ListOffsetsResponse(
    ErrorCode error, long offset, long timestamp, FetchResponse.CurrentLeader currentLeader) {

  /** An offset that is no record's. */
  public static ListOffsetsResponse of(long offset, FetchResponse.CurrentLeader currentLeader) {
    return new ListOffsetsResponse(ErrorCode.NONE, offset, -1, currentLeader);
  }

  public static ListOffsetsResponse failed(
      ErrorCode error, FetchResponse.CurrentLeader currentLeader) {
    return new ListOffsetsResponse(error, -1, -1, currentLeader);
  }
}
