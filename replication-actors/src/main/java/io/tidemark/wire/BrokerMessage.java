package io.tidemark.wire;

import akka.actor.typed.ActorRef;
import io.tidemark.protocol.ControllerRequest;
import io.tidemark.protocol.ControllerResponse;
import io.tidemark.protocol.GroupRequest;
import io.tidemark.protocol.GroupResponse;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What a node's broker is asked, by clients and by other nodes. */
public sealed interface BrokerMessage {

  /** Never leaves its actor. */
  non-sealed interface Local extends BrokerMessage {}

  /**
   * What is known of a topic?
   *
   * @param topic null for the brokers alone
   */
  record DescribeTopic(String topic, ActorRef<TopicDescribed> replyTo)
      implements BrokerMessage, ControlMessage {}

  /**
   * @param topicId null when the topic is not known here
   * @param maxBatchBytes the largest batch that the topic and every broker's transport take
   * @param partitions by index; empty when the topic is not known here
   * @param brokers the addresses of the registered ones, by id
   * @param unfenced the ids of those that are up
   */
  record TopicDescribed(
      String topic,
      UUID topicId,
      int maxBatchBytes,
      List<PartitionState> partitions,
      Map<Integer, String> brokers,
      List<Integer> unfenced,
      int controllerId)
      implements ControlMessage {}

  /** Hands a replica's ref to {@code replyTo}, through sharding. */
  record FindReplica(PartitionId partition, int brokerId, ActorRef<ReplicaMessage.Located> replyTo)
      implements BrokerMessage, ControlMessage {}

  /** Asks one of this broker's own replicas how it is. */
  record DescribeReplica(PartitionId partition, ActorRef<ReplicaMessage.Described> replyTo)
      implements BrokerMessage, ControlMessage {}

  /**
   * Passes a request on to the active controller; repeated until it answers or time is up.
   *
   * @param requestId comes back in the answer
   */
  record AskController(
      long requestId, ControllerRequest request, ActorRef<ControllerAnswered> replyTo)
      implements BrokerMessage, ControlMessage {}

  /**
   * To the coordinator of a group, which this broker may be.
   *
   * @param requestId comes back in the answer
   */
  record AskGroup(long requestId, GroupRequest request, ActorRef<GroupAnswered> replyTo)
      implements BrokerMessage, ControlMessage {}

  /** A group coordinator's answer. */
  record GroupAnswered(long requestId, GroupResponse response) implements ControlMessage {}

  /** A controller's answer. */
  record ControllerAnswered(long requestId, ControllerResponse response)
      implements ControlMessage {}
}
