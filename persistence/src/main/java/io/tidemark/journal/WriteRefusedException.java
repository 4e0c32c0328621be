package io.tidemark.journal;

import java.io.IOException;

/** A write was not attempted: nothing of it is in the log, and it was never acknowledged. */
public final class WriteRefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  WriteRefusedException(String message) {
    super(message);
  }

  WriteRefusedException(String message, Throwable cause) {
    super(message, cause);
  }
}
