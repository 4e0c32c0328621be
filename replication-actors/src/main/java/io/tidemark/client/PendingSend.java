package io.tidemark.client;

import java.util.concurrent.CompletableFuture;

/** What became of a record, once that is known. */
final class PendingSend extends CompletableFuture<RecordMetadata> implements ProducerEffect.Token {
  /** What the record takes of the producer's memory until then. */
  final long bytes;

  private long number = -1;
  private boolean settled;

  PendingSend(long bytes) {
    this.bytes = bytes;
  }

  /** By its topic's actor, once. */
  void numbered(long number) {
    this.number = number;
  }

  /**
   * By its topic's actor. The application may have completed this by itself: that is no sign.
   *
   * @return false when it was settled before
   */
  boolean settle() {
    boolean first = !settled;
    settled = true;
    return first;
  }

  @Override
  public long number() {
    return number;
  }
}
