package io.tidemark.client;

import java.time.Instant;

/** Where reading of a partition begins. */
public sealed interface Start {

  /**
   * @param lastEpoch of the record before the offset, −1 when that is not known
   */
  record At(long offset, int lastEpoch) implements Start {}

  /** With the first record that is at least as new; behind all others when there is none. */
  record Since(Instant time) implements Start {}

  /** With the first record that there is. */
  record Earliest() implements Start {}

  /** Behind the last committed record. */
  record Latest() implements Start {}

  /** Where the group is, which has committed nothing yet. */
  record Uncommitted() implements Start {}
}
