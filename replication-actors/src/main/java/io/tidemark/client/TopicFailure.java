package io.tidemark.client;

import io.tidemark.protocol.ErrorCode;

/** A topic was not created, not changed or not described. */
public final class TopicFailure extends RuntimeException {
  private final transient ErrorCode error;

  TopicFailure(ErrorCode error, String topic, String reason) {
    super(text(error, topic == null ? "the cluster" : "topic '" + topic + "'", reason));
    this.error = error;
  }

  /** The controller names the topic itself. */
  private static String text(ErrorCode error, String subject, String reason) {
    return reason.startsWith(subject)
        ? error + ": " + reason
        : "%s: %s: %s".formatted(error, subject, reason);
  }

  public ErrorCode error() {
    return error;
  }
}
