package io.tidemark.controller;

import io.tidemark.protocol.ControllerRequest;
import io.tidemark.protocol.PartitionId;

/** What happens to a {@link ControllerCore}. */
public sealed interface ControllerInput {

  /**
   * This node leads the quorum and its epoch's first record is committed.
   *
   * @param epoch the quorum's
   * @param committed the fold of all that is before {@code nextOffset}
   * @param nextOffset of the next record that this controller will append
   */
  record Activated(int epoch, MetadataImage committed, long nextOffset)
      implements ControllerInput {}

  /** It does not lead the quorum any more. */
  record Deactivated() implements ControllerInput {}

  /**
   * @param token given back with the answer
   */
  record Requested(long token, ControllerRequest request) implements ControllerInput {}

  /**
   * @param highWatermark records below it are committed
   */
  record Committed(long highWatermark) implements ControllerInput {}

  /** The quorum appended a record of its own there, behind all that it was given. */
  record ControlRecordAppended(long offset) implements ControllerInput {}

  /** Some time has passed; expected every 50 to 100 ms. */
  record Tick() implements ControllerInput {}

  /**
   * A replica's answer to {@link ControllerEffect.AskLogEnd}.
   *
   * @param brokerEpoch the incarnation that was asked
   * @param lastEpoch the leader epoch of its last record, −1 when it has none
   */
  record LogEndReported(
      PartitionId partition, int brokerId, long brokerEpoch, int lastEpoch, long endOffset)
      implements ControllerInput {}
}
