package io.tidemark.journal;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Entries that were once durable cannot be read. Only the persistence id they belong to is
 * affected; nothing at or behind the damage is served, and nothing is repaired silently.
 */
public final class DamagedLogException extends IOException {
  private static final long serialVersionUID = 1L;

  private final transient Path file;
  private final long position;
  private final long sequenceNr;

  DamagedLogException(
      String persistenceId, Path file, long position, long sequenceNr, String what) {
    super(
        "Log of ["
            + persistenceId
            + "] is damaged: "
            + what
            + " in "
            + file
            + " at position "
            + position
            + ", first unreadable sequence number "
            + sequenceNr
            + ". Restore this folder from a copy of the directory; a replica's log may be removed"
            + " instead, and replication fills it again.");
    this.file = file;
    this.position = position;
    this.sequenceNr = sequenceNr;
  }

  /** The damaged file. */
  public Path file() {
    return file;
  }

  /** Bytes from the start of the file to the first unreadable entry. */
  public long position() {
    return position;
  }

  /** The first sequence number that cannot be read. */
  public long sequenceNr() {
    return sequenceNr;
  }
}
