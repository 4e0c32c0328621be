package io.tidemark.journal;

import java.util.Optional;

/**
 * What a look at all files of a log found.
 *
 * @param deleted entries up to here are deleted
 * @param highest the last sequence number, as a start would find it
 * @param durable everything up to here has to be there
 * @param entries how many there are above {@code deleted}
 * @param segments how many segment files
 * @param bytes of all segment files
 * @param unfinished bytes of a write behind the end that a start will cut: never on disk for sure;
 *     0 while the directory is in use, when it may yet be finished
 * @param damage the first damage; the entries behind it are not served
 */
public record LogCheck(
    long deleted,
    long highest,
    long durable,
    long entries,
    int segments,
    long bytes,
    long unfinished,
    Optional<Damage> damage) {

  LogCheck withoutUnfinished() {
    return new LogCheck(deleted, highest, durable, entries, segments, bytes, 0, damage);
  }
}
