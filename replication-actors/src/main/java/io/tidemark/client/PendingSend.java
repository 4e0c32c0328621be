package io.tidemark.client;

import java.util.concurrent.CompletableFuture;

/** What became of a record, once that is known. */
final class PendingSend extends CompletableFuture<RecordMetadata> {
  /** What the record takes of the producer's memory until then. */
  final long bytes;

  PendingSend(long bytes) {
    this.bytes = bytes;
  }
}
