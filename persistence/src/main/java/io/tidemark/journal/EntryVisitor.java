package io.tidemark.journal;

import java.nio.ByteBuffer;

/** Receives the entries of one persistence id in order. */
@FunctionalInterface
public interface EntryVisitor {
  /**
   * One entry.
   *
   * @param payload the serializer's bytes in a heap buffer of its own, which may be kept
   * @return false to stop
   */
  boolean entry(long sequenceNr, ByteBuffer payload);
}
