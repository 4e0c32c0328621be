package io.tidemark.client;

import io.tidemark.protocol.PartitionState;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * What a broker knows of a topic and its cluster.
 *
 * @param topicId null when the broker does not know the topic
 * @param partitions by index
 * @param brokers the registered brokers' addresses by id
 * @param unfenced the ids of those that are up
 * @param controllerId the leader of the controller quorum, −1 when not known
 */
public record TopicDescription(
    String topic,
    UUID topicId,
    List<PartitionState> partitions,
    Map<Integer, String> brokers,
    List<Integer> unfenced,
    int controllerId) {}
