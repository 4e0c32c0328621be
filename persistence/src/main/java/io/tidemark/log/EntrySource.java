package io.tidemark.log;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads a log's events back from its journal, as bytes. */
@FunctionalInterface
public interface EntrySource {

  /** Takes one event's bytes; false ends the read. */
  @FunctionalInterface
  interface Visitor {
    boolean entry(long sequenceNr, ByteBuffer payload);
  }

  /**
   * Visits what is written, in order, from exactly {@code fromSequenceNr} on. Blocks on the disk.
   */
  void read(String persistenceId, long fromSequenceNr, Visitor visitor) throws IOException;
}
