package io.tidemark.journal;

/** When a write is acknowledged. */
enum FlushPolicy {
  /** When it is on disk: an acknowledged write survives a power loss. Costs a share of an fsync. */
  EACH_COMMIT,
  /**
   * When the kernel has it: an acknowledged write survives the death of the process, and a power
   * loss once the flush interval has passed. Costs no fsync on the way.
   */
  OS
}
