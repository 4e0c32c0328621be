package io.tidemark.record;

/** A batch over a size limit; the message names the size and the limit. */
public class RecordTooLargeException extends RuntimeException {
  public RecordTooLargeException(String message) {
    super(message);
  }
}
