package io.tidemark.protocol;

import java.util.UUID;

/** The active controller's answers, given when what they tell is committed. */
public sealed interface ControllerResponse {

  ErrorCode error();

  /** Any request that failed; {@code message} says why and what to do. */
  record Failed(ErrorCode error, String message) implements ControllerResponse {}

  /**
   * @param brokerEpoch the offset of the registration in the metadata log
   */
  record BrokerRegistered(ErrorCode error, long brokerEpoch) implements ControllerResponse {}

  record HeartbeatAnswered(ErrorCode error, boolean fenced, boolean mayShutdown)
      implements ControllerResponse {}

  record Done(ErrorCode error) implements ControllerResponse {}

  record TopicCreated(ErrorCode error, UUID topicId) implements ControllerResponse {}

  record PartitionAltered(ErrorCode error, PartitionId partition, PartitionState state)
      implements ControllerResponse {}

  record ProducerIdGiven(ErrorCode error, long producerId) implements ControllerResponse {}
}
