package io.tidemark.record;

/** Bytes that are not what they claim to be; the message names the place and the reason. */
public class CorruptRecordException extends RuntimeException {
  public CorruptRecordException(String message) {
    super(message);
  }

  public CorruptRecordException(String message, Throwable cause) {
    super(message, cause);
  }
}
