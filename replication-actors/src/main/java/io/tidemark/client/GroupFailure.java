package io.tidemark.client;

import io.tidemark.protocol.ErrorCode;

/** A consumer group did not do what was asked of it. */
public final class GroupFailure extends RuntimeException {
  private final transient ErrorCode error;

  GroupFailure(ErrorCode error, String groupId, String reason) {
    super("%s: group '%s': %s".formatted(error, groupId, reason));
    this.error = error;
  }

  public ErrorCode error() {
    return error;
  }
}
