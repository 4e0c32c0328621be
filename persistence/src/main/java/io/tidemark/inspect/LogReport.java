package io.tidemark.inspect;

import java.util.List;
import java.util.Optional;

/**
 * What was found of one persistence id.
 *
 * @param deleted entries up to this sequence number are deleted
 * @param highest the last sequence number
 * @param entries how many entries there are
 * @param segments how many segment files
 * @param bytes of all segment files
 * @param unfinished bytes of a write that the next start will cut; it was never on disk for sure
 * @param snapshots how many
 * @param offsets what a replicated log holds, empty for any other
 * @param damages what is damaged, the first entry first; empty when nothing is
 */
public record LogReport(
    String persistenceId,
    long deleted,
    long highest,
    long entries,
    int segments,
    long bytes,
    long unfinished,
    int snapshots,
    Optional<Offsets> offsets,
    List<Damaged> damages) {

  /**
   * The state of a replicated log behind its last readable event.
   *
   * @param start the log start offset
   * @param end the log end offset: of the next record
   * @param highWatermark the last checkpoint of it
   * @param epochs the leader epoch checkpoint, the oldest first
   */
  public record Offsets(long start, long end, long highWatermark, List<Epoch> epochs) {}

  /** Where a leader epoch starts. */
  public record Epoch(int epoch, long startOffset) {}

  /**
   * @param position bytes from the start of the file
   * @param sequenceNr the first sequence number that it concerns
   */
  public record Damaged(String file, long position, long sequenceNr, String what) {}
}
