package io.tidemark.client;

import io.tidemark.protocol.ErrorCode;

/** The voters of the controller quorum were not changed. */
public final class VoterFailure extends RuntimeException {
  private final transient ErrorCode error;

  VoterFailure(ErrorCode error, int brokerId, String reason) {
    super("%s: voter %d: %s".formatted(error, brokerId, reason));
    this.error = error;
  }

  public ErrorCode error() {
    return error;
  }
}
