package io.tidemark.controller;

import io.tidemark.protocol.ControllerResponse.Failed;
import io.tidemark.protocol.ErrorCode;

/** A request that changes nothing. */
final class Refusal {
  private Refusal() {}

  /**
   * @param message what happened, to whom and what to do, as of {@link String#format}
   */
  static Failed refuse(ErrorCode error, String message, Object... arguments) {
    return new Failed(error, message.formatted(arguments));
  }
}
