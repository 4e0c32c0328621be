package io.tidemark.protocol;

/**
 * @param epoch the highest epoch of the leader's log that is not above the asked one, −1 undefined
 * @param endOffset where that epoch ends, −1 undefined
 * @param logStartOffset the leader's
 * @param logEndOffset the leader's
 */
public record EpochEndResponse(
    ErrorCode error, int epoch, long endOffset, long logStartOffset, long logEndOffset) {

  public static EpochEndResponse failed(ErrorCode error) {
    return new EpochEndResponse(error, -1, -1, -1, -1);
  }
}
