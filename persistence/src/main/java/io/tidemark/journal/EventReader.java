package io.tidemark.journal;

import java.io.IOException;

/** Reads entries straight from the segment files, beside the writers. Safe on any thread. */
public interface EventReader {
  /**
   * Gives the visitor the id's acknowledged entries in order, beginning at the given sequence
   * number (or at the first that is not deleted, when that is later), up to the last one that was
   * acknowledged when the read began. An id without entries has none to visit.
   *
   * @throws DamagedLogException when an entry that has to be there fails its checksum; the entries
   *     before it have been visited
   * @throws IOException when the files cannot be read
   */
  void read(String persistenceId, long fromSequenceNr, EntryVisitor visitor) throws IOException;
}
