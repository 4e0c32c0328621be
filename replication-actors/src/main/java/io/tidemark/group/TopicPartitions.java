package io.tidemark.group;

import java.util.UUID;

/**
 * How a topic is divided.
 *
 * @param id of this creation of the topic
 * @param count partitions, numbered from 0
 */
public record TopicPartitions(UUID id, int count) {}
