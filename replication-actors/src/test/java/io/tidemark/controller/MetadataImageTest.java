package io.tidemark.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tidemark.protocol.MetadataRecord;
import io.tidemark.protocol.MetadataRecord.BrokerFenced;
import io.tidemark.protocol.MetadataRecord.BrokerRegistered;
import io.tidemark.protocol.MetadataRecord.BrokerShuttingDown;
import io.tidemark.protocol.MetadataRecord.BrokerUnfenced;
import io.tidemark.protocol.MetadataRecord.LeaderStarted;
import io.tidemark.protocol.MetadataRecord.PartitionChanged;
import io.tidemark.protocol.MetadataRecord.ProducerIdsGiven;
import io.tidemark.protocol.MetadataRecord.TopicCreated;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class MetadataImageTest {
  private static final UUID TOPIC = new UUID(7, 7);
  private static final PartitionId PARTITION = new PartitionId(TOPIC, 0);

  @Test
  void aBrokerIsFencedUntilItIsUnfencedAndItsEpochIsTheOffset() {
    MetadataImage image = fold(new LeaderStarted(1, 1), registered(1, 100));
    assertEquals(1, image.brokers().get(1).epoch());
    assertEquals(true, image.brokers().get(1).fenced());
    assertEquals("", image.brokers().get(1).rack());
    MetadataImage unfenced = image.apply(2, new BrokerUnfenced(1, 1));
    assertEquals(true, unfenced.brokers().get(1).eligible());
    assertEquals(
        false, unfenced.apply(3, new BrokerShuttingDown(1, 1)).brokers().get(1).eligible());
    assertEquals(true, image.brokers().get(1).fenced(), "an image never changes");
  }

  @Test
  void aRecordThatDoesNotFollowIsRefused() {
    MetadataImage image = fold(registered(1, 100), new TopicCreated("t", TOPIC, Map.of()));
    refused(image, 1, new LeaderStarted(1, 1));
    refused(image, 3, new LeaderStarted(1, 1));
    refused(image, 2, new BrokerFenced(1, 5));
    refused(image, 2, new BrokerFenced(2, 0));
    refused(image, 2, new TopicCreated("t", new UUID(8, 8), Map.of()));
    refused(image, 2, new TopicCreated("u", TOPIC, Map.of()));
    refused(image, 2, new PartitionChanged(new PartitionId(new UUID(8, 8), 0), on(1)));
  }

  @Test
  void aReassignedPartitionIsFoundOnItsNewBrokersOnly() {
    MetadataImage image =
        fold(
            new TopicCreated("t", TOPIC, Map.of()),
            new PartitionChanged(PARTITION, on(1, 2)),
            new PartitionChanged(PARTITION, on(2, 3)));
    assertEquals(List.of(PARTITION), image.partitionsOf("t"));
    assertEquals(List.of(), image.partitionsOf("other"));
    assertEquals(List.of(), image.partitionsOn(1));
    assertEquals(List.of(PARTITION), image.partitionsOn(2));
    assertEquals(List.of(PARTITION), image.partitionsOn(3));
    assertEquals(1, image.topicsById().get(TOPIC).partitions());
    assertNull(image.partition(new PartitionId(TOPIC, 1)));
  }

  @Test
  void theSmallestTransportLimitsMessages() {
    assertEquals(Integer.MAX_VALUE, MetadataImage.EMPTY.smallestMaxMessageBytes());
    assertEquals(50, fold(registered(1, 100), registered(2, 50)).smallestMaxMessageBytes());
  }

  @Test
  void replicasOfTheLogFoldToEqualImages() {
    MetadataRecord[] log = {
      registered(1, 100), new TopicCreated("t", TOPIC, Map.of()), new ProducerIdsGiven(1_000)
    };
    assertEquals(fold(log), fold(log));
    assertEquals(1_000, fold(log).nextProducerId());
    assertEquals(3, fold(log).nextOffset());
  }

  private static void refused(MetadataImage image, long offset, MetadataRecord record) {
    assertThrows(IllegalArgumentException.class, () -> image.apply(offset, record));
  }

  private static MetadataImage fold(MetadataRecord... records) {
    MetadataImage image = MetadataImage.EMPTY;
    for (MetadataRecord record : records) {
      image = image.apply(image.nextOffset(), record);
    }
    return image;
  }

  private static BrokerRegistered registered(int id, int maxMessageBytes) {
    return new BrokerRegistered(
        id, new UUID(id, 1), new UUID(id, 0), "host:1", 0, null, maxMessageBytes);
  }

  private static PartitionState on(Integer... replicas) {
    List<Integer> all = List.of(replicas);
    return new PartitionState(all, all, List.of(), all.get(0), 0, 0, false);
  }
}
