package io.tidemark.protocol;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What brokers and clients ask of the active controller. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
@JsonSubTypes({
  @JsonSubTypes.Type(value = ControllerRequest.RegisterBroker.class, name = "register-broker"),
  @JsonSubTypes.Type(value = ControllerRequest.Heartbeat.class, name = "heartbeat"),
  @JsonSubTypes.Type(value = ControllerRequest.BrokerDied.class, name = "broker-died"),
  @JsonSubTypes.Type(value = ControllerRequest.CreateTopic.class, name = "create-topic"),
  @JsonSubTypes.Type(
      value = ControllerRequest.CreateGroupsTopic.class,
      name = "create-groups-topic"),
  @JsonSubTypes.Type(value = ControllerRequest.AlterPartition.class, name = "alter-partition"),
  @JsonSubTypes.Type(
      value = ControllerRequest.AlterPartitionReassignment.class,
      name = "alter-partition-reassignment"),
  @JsonSubTypes.Type(value = ControllerRequest.AddVoter.class, name = "add-voter"),
  @JsonSubTypes.Type(value = ControllerRequest.RemoveVoter.class, name = "remove-voter"),
  @JsonSubTypes.Type(value = ControllerRequest.InitProducerId.class, name = "init-producer-id")
})
public sealed interface ControllerRequest {

  /**
   * A broker's process has started (KIP-631).
   *
   * @param incarnation new for each start of the process
   * @param clusterId the cluster that its directory's data is of, null when it has none yet
   * @param address {@code host:port} of its actor system
   * @param livenessPort a port that is open while the process lives, 0 for none
   * @param maxMessageBytes the largest message that its transport takes
   * @param clean whether no acknowledged write can have been lost since it last ran
   */
  record RegisterBroker(
      int brokerId,
      UUID incarnation,
      UUID directoryId,
      UUID clusterId,
      String address,
      int livenessPort,
      String rack,
      int maxMessageBytes,
      boolean clean)
      implements ControllerRequest {}

  /**
   * @param metadataOffset how much of the metadata log the broker has applied
   * @param wantShutdown whether it wants to hand over its leaderships and leave
   */
  record Heartbeat(int brokerId, long brokerEpoch, long metadataOffset, boolean wantShutdown)
      implements ControllerRequest {}

  /** Someone saw the process of this incarnation end. */
  record BrokerDied(int brokerId, UUID incarnation) implements ControllerRequest {}

  /**
   * @param topicId chosen by the asker, new for each creation: a repeated request is recognised by
   *     it
   * @param replicationFactor from 1
   * @param configs per-topic settings by name, see {@code TopicConfig}
   */
  record CreateTopic(
      UUID topicId, String name, int partitions, int replicationFactor, Map<String, String> configs)
      implements ControllerRequest {}

  /**
   * The internal topic of the consumer groups is needed; no harm when it exists.
   *
   * @param topicId chosen by the asker, used if there is none yet
   * @param brokers so many there will be: fewer do not get all of its replicas, so they are waited
   *     for
   */
  record CreateGroupsTopic(UUID topicId, int brokers) implements ControllerRequest {
    public static final String NAME = "__consumer_offsets";
  }

  /**
   * A leader proposes another ISR (KIP-497, KIP-903).
   *
   * @param brokerEpoch the asking leader's incarnation
   * @param isr the proposed members with the incarnation in which each fetched
   */
  record AlterPartition(
      PartitionId partition,
      int leaderId,
      long brokerEpoch,
      int leaderEpoch,
      int partitionEpoch,
      List<IsrMember> isr,
      boolean recovering)
      implements ControllerRequest {}

  /** A proposed member of the ISR. */
  record IsrMember(int brokerId, long brokerEpoch) {}

  /**
   * A partition is to be on other brokers (KIP-455). Answered when it has begun; the partition's
   * state tells how it goes on.
   *
   * @param replicas the wanted brokers, the preferred leader first; null cancels what is under way
   */
  record AlterPartitionReassignment(PartitionId partition, List<Integer> replicas)
      implements ControllerRequest {}

  /** A registered broker is to vote in the controller quorum (KIP-853). */
  record AddVoter(int brokerId) implements ControllerRequest {}

  /** A broker is to vote in the controller quorum no more. */
  record RemoveVoter(int brokerId) implements ControllerRequest {}

  /** A producer id that was never given before. */
  record InitProducerId() implements ControllerRequest {}
}
