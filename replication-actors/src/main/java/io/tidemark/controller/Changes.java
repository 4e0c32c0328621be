package io.tidemark.controller;

import io.tidemark.protocol.MetadataRecord;
import io.tidemark.protocol.MetadataRecord.BrokerFenced;
import io.tidemark.protocol.MetadataRecord.PartitionChanged;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One atomic batch in the making: each record is applied at once, so that the next decision of the
 * same batch sees it.
 */
final class Changes {
  private final List<MetadataRecord> records = new ArrayList<>();
  private MetadataImage image;

  Changes(MetadataImage latest) {
    image = latest;
  }

  MetadataImage image() {
    return image;
  }

  List<MetadataRecord> records() {
    return records;
  }

  boolean isEmpty() {
    return records.isEmpty();
  }

  void add(MetadataRecord record) {
    image = image.apply(image.nextOffset(), record);
    records.add(record);
  }

  /** One of the rules of {@link LeaderElection}. */
  @FunctionalInterface
  interface Rule {
    Optional<PartitionState> next(LeaderElection election, PartitionState state);
  }

  /** Applies the rule once to each partition that has a replica on one of the brokers. */
  void reelect(Set<Integer> brokers, Rule rule) {
    Set<PartitionId> touched = new LinkedHashSet<>();
    brokers.forEach(broker -> touched.addAll(image.partitionsOn(broker)));
    touched.forEach(partition -> reelect(partition, rule));
  }

  void reelect(PartitionId partition, Rule rule) {
    rule.next(electionOf(partition), image.partition(partition))
        .ifPresent(state -> add(new PartitionChanged(partition, state)));
  }

  /**
   * Fences brokers that are not fenced yet. All of them first, so that no leadership goes to one
   * that is fenced in the same batch.
   */
  void fence(Set<Integer> brokers, boolean clean) {
    for (int id : brokers) {
      Broker broker = image.brokers().get(id);
      if (!broker.fenced()) {
        add(new BrokerFenced(id, broker.epoch()));
      }
    }
    reelect(brokers, (election, state) -> election.leave(state, brokers, clean));
  }

  LeaderElection electionOf(PartitionId partition) {
    Topic topic = image.topicsById().get(partition.topicId());
    return new LeaderElection(image.brokers(), topic.config());
  }
}
