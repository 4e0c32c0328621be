package io.tidemark.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.protocol.MetadataRecord;
import io.tidemark.protocol.MetadataRecord.BrokerFenced;
import io.tidemark.protocol.MetadataRecord.BrokerRegistered;
import io.tidemark.protocol.MetadataRecord.BrokerShuttingDown;
import io.tidemark.protocol.MetadataRecord.BrokerSnapshot;
import io.tidemark.protocol.MetadataRecord.BrokerUnfenced;
import io.tidemark.protocol.MetadataRecord.ClusterNamed;
import io.tidemark.protocol.MetadataRecord.LeaderStarted;
import io.tidemark.protocol.MetadataRecord.PartitionChanged;
import io.tidemark.protocol.MetadataRecord.ProducerIdsGiven;
import io.tidemark.protocol.MetadataRecord.TopicCreated;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class MetadataRecordCodecTest {
  private static final UUID ID = UUID.fromString("0f0e0d0c-0b0a-4908-8706-050403020100");

  private static final List<MetadataRecord> ONE_OF_EACH =
      List.of(
          new LeaderStarted(3, 7),
          new BrokerRegistered(1, ID, new UUID(1, 2), "host:25520", 7001, "rack-a", 2 << 20),
          new BrokerFenced(1, Long.MAX_VALUE),
          new BrokerUnfenced(1, 0),
          new BrokerShuttingDown(2, 1L << 40),
          new ClusterNamed(new UUID(6, 7)),
          new BrokerSnapshot(
              1, 9, ID, new UUID(1, 2), "host:25520", 7001, "rack-a", 2 << 20, true, false),
          new TopicCreated("orders", ID, Map.of("min-insync-replicas", "2")),
          new PartitionChanged(
              new PartitionId(ID, 5),
              new PartitionState(
                  List.of(1, 2, 3), List.of(1), List.of(3), 1, 4, 9, true, List.of(2), List.of(3))),
          new ProducerIdsGiven(1_000));

  @Test
  void everyKindOfRecordComesBackEqual() {
    Set<Class<?>> kinds = new HashSet<>();
    for (MetadataRecord record : ONE_OF_EACH) {
      kinds.add(record.getClass());
      assertEquals(record, MetadataRecordCodec.decode(MetadataRecordCodec.encode(record)));
    }
    assertEquals(Set.of(MetadataRecord.class.getPermittedSubclasses()), kinds);
  }

  @Test
  void theNameOfTheKindIsNotTheNameOfTheClass() {
    String text =
        new String(MetadataRecordCodec.encode(ONE_OF_EACH.get(2)), StandardCharsets.ISO_8859_1);
    assertTrue(text.contains("broker-fenced"));
  }

  @Test
  void aFailingBrokersPartitionsFitOneBatchOfTwoMebibytes() {
    PartitionState large =
        new PartitionState(
            List.of(1_001, 1_002, 1_003),
            List.of(1_001, 1_002),
            List.of(),
            1_001,
            70_000,
            70_000,
            false);
    int size =
        MetadataRecordCodec.encode(new PartitionChanged(new PartitionId(ID, 999), large)).length;
    int overheadOfARecord = 16;
    assertTrue(
        TopicCreation.MAX_PARTITIONS_IN_ALL * (size + overheadOfARecord) < 2 << 20, "size " + size);
  }

  @Test
  void aNewerVersionIsRefusedByName() {
    byte[] bytes = MetadataRecordCodec.encode(new ProducerIdsGiven(1));
    bytes[0] = 2;
    assertTrue(refusal(bytes).contains("version 2; this release reads version 1"));
  }

  @Test
  void whatIsNotARecordIsRefused() {
    byte[] whole = MetadataRecordCodec.encode(ONE_OF_EACH.get(1));
    assertTrue(refusal(new byte[0]).contains("empty"));
    for (int length = 1; length < whole.length; length++) {
      assertTrue(refusal(Arrays.copyOf(whole, length)).contains("not a metadata record"));
    }
    assertTrue(refusal(Arrays.copyOf(whole, whole.length + 1)).contains("not a metadata record"));
  }

  private static String refusal(byte[] bytes) {
    return assertThrows(IllegalArgumentException.class, () -> MetadataRecordCodec.decode(bytes))
        .getMessage();
  }
}
