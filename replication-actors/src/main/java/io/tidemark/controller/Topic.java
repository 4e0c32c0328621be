package io.tidemark.controller;

import java.util.Map;
import java.util.UUID;

/**
 * One creation of a topic.
 *
 * @param id another one for each creation of the name
 * @param partitions how many it has, numbered from 0
 * @param configs as they were asked for
 * @param config the same, read
 */
public record Topic(
    String name, UUID id, int partitions, Map<String, String> configs, TopicConfig config) {

  Topic withPartitions(int count) {
    return new Topic(name, id, count, configs, config);
  }
}
