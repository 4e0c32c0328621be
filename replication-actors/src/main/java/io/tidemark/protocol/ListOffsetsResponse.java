package io.tidemark.protocol;

/**
 * @param offset −1 on an error
 * @param currentLeader what the answering replica knows
 */
public record ListOffsetsResponse(
    ErrorCode error, long offset, FetchResponse.CurrentLeader currentLeader) {}
