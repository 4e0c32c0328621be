package io.tidemark.controller;

import io.tidemark.protocol.ControllerResponse;
import io.tidemark.protocol.MetadataRecord;
import io.tidemark.protocol.PartitionId;
import java.util.List;

/** What a {@link ControllerCore} wants done, in this order. */
public sealed interface ControllerEffect {

  /**
   * Append to the metadata log as one batch: all of it or nothing.
   *
   * @param baseOffset the offset of the first record; another one means that this node is not the
   *     only writer, and must stop
   */
  record Append(long baseOffset, List<MetadataRecord> records) implements ControllerEffect {
    public Append {
      records = List.copyOf(records);
    }
  }

  /**
   * @param token of the request that it answers
   */
  record Reply(long token, ControllerResponse response) implements ControllerEffect {}

  /**
   * Ask that broker's replica where its log ends; a {@link ControllerInput.LogEndReported} with the
   * broker's epoch is the answer.
   */
  record AskLogEnd(PartitionId partition, Broker broker) implements ControllerEffect {}

  /** Something that an operator has to know. */
  record Warn(String message) implements ControllerEffect {}
}
