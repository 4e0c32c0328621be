package io.tidemark.client;

import io.tidemark.protocol.ErrorCode;

/** A topic was not created or not changed. */
public final class TopicFailure extends RuntimeException {
  private final transient ErrorCode error;

  TopicFailure(ErrorCode error, String topic, String reason) {
    super("%s: topic '%s': %s".formatted(error, topic, reason));
    this.error = error;
  }

  public ErrorCode error() {
    return error;
  }
}
