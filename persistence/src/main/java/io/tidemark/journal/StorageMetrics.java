package io.tidemark.journal;

/**
 * Is told of what the storage does, on the thread that did it: must not block, and must be safe for
 * several threads.
 *
 * <p>{@code tidemark.storage.metrics} names a class of the application that is told as well; it has
 * a public constructor without arguments. What is counted anyway is in {@link Storage#metrics}.
 */
public interface StorageMetrics {

  /** Is told everything and does nothing. */
  StorageMetrics NONE = new StorageMetrics() {};

  /**
   * One group commit: what it holds is acknowledged now.
   *
   * @param entries how many entries it holds, from 1
   * @param bytes the size of the entries
   * @param forceNanos how long the disk took to force it; 0 when it was not forced, as with flush
   *     policy {@code os}
   */
  default void committed(int entries, long bytes, long forceNanos) {}

  /**
   * A log was opened.
   *
   * @param nanos from its first file to its last
   * @param bytesScanned how much of it was read and checked
   */
  default void recovered(String persistenceId, long nanos, long bytesScanned) {}

  /**
   * Segments were begun or found, or were given up.
   *
   * @param delta how many more there are now; negative for fewer
   */
  default void segments(int delta) {}
}
