package io.tidemark.controller;

import java.util.UUID;

/**
 * One creation of a topic.
 *
 * @param id another one for each creation of the name
 * @param partitions how many it has, numbered from 0
 */
public record Topic(String name, UUID id, int partitions, TopicConfig config) {

  Topic withPartitions(int count) {
    return new Topic(name, id, count, config);
  }
}
