package io.tidemark.protocol;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.UUID;

/** The active controller's answers, given when what they tell is committed. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
@JsonSubTypes({
  @JsonSubTypes.Type(value = ControllerResponse.Failed.class, name = "failed"),
  @JsonSubTypes.Type(value = ControllerResponse.BrokerRegistered.class, name = "broker-registered"),
  @JsonSubTypes.Type(value = ControllerResponse.HeartbeatAnswered.class, name = "heartbeat"),
  @JsonSubTypes.Type(value = ControllerResponse.Done.class, name = "done"),
  @JsonSubTypes.Type(value = ControllerResponse.TopicCreated.class, name = "topic-created"),
  @JsonSubTypes.Type(value = ControllerResponse.PartitionAltered.class, name = "partition-altered"),
  @JsonSubTypes.Type(value = ControllerResponse.ProducerIdGiven.class, name = "producer-id")
})
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
