package io.tidemark.client;

import io.tidemark.protocol.ErrorCode;

/** A partition cannot be read, and asking again would not help. */
public final class ReadFailure extends RuntimeException {
  private final transient ErrorCode error;

  ReadFailure(ErrorCode error, String topic, int partition) {
    super("%s: %s-%d cannot be read; its leader's log says why".formatted(error, topic, partition));
    this.error = error;
  }

  public ErrorCode error() {
    return error;
  }
}
