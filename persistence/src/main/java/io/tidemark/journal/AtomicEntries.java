package io.tidemark.journal;

import java.nio.ByteBuffer;

/**
 * One atomic write: its entries become part of the log together or not at all.
 *
 * @param bytes the encoded entries, not sealed yet; null when the write was rejected and only uses
 *     up its sequence numbers
 */
record AtomicEntries(
    String persistenceId, long firstSequenceNr, long lastSequenceNr, ByteBuffer bytes) {

  int count() {
    return (int) (lastSequenceNr - firstSequenceNr) + 1;
  }

  int size() {
    return bytes == null ? 0 : bytes.remaining();
  }
}
