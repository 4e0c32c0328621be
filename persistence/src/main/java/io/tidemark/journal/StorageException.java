package io.tidemark.journal;

/** The storage directory cannot be used; the message names the directory and what to do. */
public final class StorageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StorageException(String message) {
    super(message);
  }

  StorageException(String message, Throwable cause) {
    super(message, cause);
  }
}
