package io.tidemark.protocol;

/**
 * @param logStartOffset where the leader's log starts now; its followers come after. −1 on an error
 * @param currentLeader what the answering replica knows
 */
public record DeleteRecordsResponse(
    ErrorCode error, long logStartOffset, FetchResponse.CurrentLeader currentLeader) {

  public static DeleteRecordsResponse failed(
      ErrorCode error, FetchResponse.CurrentLeader currentLeader) {
    return new DeleteRecordsResponse(error, -1, currentLeader);
  }
}
