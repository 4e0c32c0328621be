package io.tidemark.client;

import io.tidemark.protocol.ErrorCode;

/** A record that was not acknowledged, and never will be. */
public sealed class ProducerFailure extends RuntimeException permits BufferExhausted {
  private final transient ErrorCode error;
  private final String topic;
  private final int partition;
  private final boolean mayBeWritten;

  ProducerFailure(
      ErrorCode error, String topic, int partition, boolean mayBeWritten, String reason) {
    super(
        "%s: a record for %s was not acknowledged: %s; it %s"
            .formatted(
                error,
                partition < 0 ? "topic " + topic : topic + "-" + partition,
                reason,
                mayBeWritten ? "may have been written" : "was not written"));
    this.error = error;
    this.topic = topic;
    this.partition = partition;
    this.mayBeWritten = mayBeWritten;
  }

  public ErrorCode error() {
    return error;
  }

  public String topic() {
    return topic;
  }

  /** −1 when none had been chosen. */
  public int partition() {
    return partition;
  }

  /** Whether the outcome is unknown: a record that is sent again may then be there twice. */
  public boolean mayBeWritten() {
    return mayBeWritten;
  }
}
