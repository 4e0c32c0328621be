package io.tidemark.benchmark.jraft;

import java.io.Serializable;

/** To an {@link Append}: the bytes that the group has, or a failure. */
final class Answer implements Serializable {
  private static final long serialVersionUID = 1;

  final long bytes;
  final String failure;

  Answer(long bytes, String failure) {
    this.bytes = bytes;
    this.failure = failure;
  }
}
