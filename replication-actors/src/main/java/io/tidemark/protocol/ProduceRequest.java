package io.tidemark.protocol;

import java.nio.ByteBuffer;

/**
 * @param acks how much has to hold before the answer
 * @param batches whole v2 batches with base offset 0; never written to, the leader stamps a copy
 */
public record ProduceRequest(PartitionId partition, Acks acks, ByteBuffer batches) {

  /** When a write is answered. */
  public enum Acks {
    /** When the leader has taken it, before any disk: it may be lost without a word. */
    NONE,
    /** When the leader's log has it: it is lost if the leader is lost before others copied it. */
    LEADER,
    /** When the high watermark has passed it: it survives while one in-sync replica does. */
    ALL
  }
}
