package io.tidemark.journal;

import java.nio.file.Path;

/**
 * What should be there and cannot be read, or is not what it should be.
 *
 * @param position bytes from the start of the file
 * @param sequenceNr the first sequence number that it concerns
 * @param what in words
 */
public record Damage(Path file, long position, long sequenceNr, String what) {}
