package io.tidemark.client;

import io.tidemark.protocol.ErrorCode;

/** A partition cannot be read, or could not be within the time for a call. */
public final class ReadFailure extends RuntimeException {
  private final transient ErrorCode error;

  ReadFailure(ErrorCode error, String topic, int partition) {
    this(error, topic, partition, "its leader's log says why");
  }

  ReadFailure(ErrorCode error, String topic, int partition, String reason) {
    super("%s: %s-%d cannot be read: %s".formatted(error, topic, partition, reason));
    this.error = error;
  }

  public ErrorCode error() {
    return error;
  }
}
