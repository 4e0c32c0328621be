package io.tidemark.controller;

import io.tidemark.protocol.MetadataRecord;
import io.tidemark.protocol.MetadataRecord.BrokerSnapshot;
import io.tidemark.protocol.MetadataRecord.ClusterNamed;
import io.tidemark.protocol.MetadataRecord.PartitionChanged;
import io.tidemark.protocol.MetadataRecord.ProducerIdsGiven;
import io.tidemark.protocol.MetadataRecord.TopicCreated;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * An image as the shortest list of records that make it, in one record batch with its checksum
 * (KIP-630). A pure core.
 */
final class MetadataSnapshot {
  private MetadataSnapshot() {}

  static ByteBuffer of(MetadataImage image) {
    List<MetadataRecord> records = new ArrayList<>();
    if (image.clusterId() != null) {
      records.add(new ClusterNamed(image.clusterId()));
    }
    for (Broker broker : image.brokers().values()) {
      records.add(
          new BrokerSnapshot(
              broker.id(),
              broker.epoch(),
              broker.incarnation(),
              broker.directoryId(),
              broker.address(),
              broker.livenessPort(),
              broker.rack(),
              broker.maxMessageBytes(),
              broker.fenced(),
              broker.shuttingDown()));
    }
    for (Topic topic : image.topicsByName().values()) {
      records.add(new TopicCreated(topic.name(), topic.id(), topic.configs()));
      image
          .partitionsOf(topic.name())
          .forEach(id -> records.add(new PartitionChanged(id, image.partition(id))));
    }
    records.add(new ProducerIdsGiven(image.nextProducerId()));
    return MetadataFeed.batchOf(records, 0);
  }

  /**
   * @param endOffset the offset of the first record that is not in the content
   */
  static MetadataImage load(ByteBuffer content, long endOffset) {
    return MetadataFeed.apply(MetadataImage.EMPTY, content, Long.MAX_VALUE).at(endOffset);
  }
}
