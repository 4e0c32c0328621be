package io.tidemark.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.protocol.ControllerRequest.CreateGroupsTopic;
import io.tidemark.protocol.ControllerRequest.CreateTopic;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.MetadataRecord.TopicCreated;
import io.tidemark.protocol.PartitionId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TopicCreationTest {
  private final ControllerFixture controller = ControllerFixture.withBrokers(1, 2, 3);

  @Test
  void aTopicComesWithAllItsPartitionsInOneBatch() {
    controller.ask(new CreateTopic(controller.topicId(), "orders", 6, 3, Map.of()));
    assertEquals(7, controller.batches.get(controller.batches.size() - 1).size());
    List<PartitionId> partitions = controller.image.partitionsOf("orders");
    assertEquals(6, partitions.size());
    for (PartitionId partition : partitions) {
      assertEquals(3, controller.state(partition).isr().size());
      assertEquals(
          controller.state(partition).replicas().get(0), controller.state(partition).leader());
      assertTrue(controller.image.partitionsOn(1).contains(partition));
    }
  }

  @Test
  void onlyLiveReplicasAreInTheFirstIsr() {
    controller.die(2);
    PartitionId partition = controller.create("orders", 3, Map.of());
    assertEquals(3, controller.state(partition).replicas().size());
    assertFalse(controller.state(partition).isr().contains(2));
  }

  @Test
  void namesAreKafkas() {
    assertEquals(ErrorCode.NONE, error("a.b_c-D9", 1, 1, Map.of()));
    assertEquals(ErrorCode.NONE, error("x".repeat(249), 1, 1, Map.of()));
    for (String name : List.of("", ".", "..", "a b", "a/b", "ä", "x".repeat(250))) {
      assertEquals(ErrorCode.INVALID_TOPIC, error(name, 1, 1, Map.of()), name);
    }
  }

  @Test
  void theTopicOfTheGroupsComesOnceWithAsManyReplicasAsThereAreToBeAndByNobodyElse() {
    assertEquals(ErrorCode.INVALID_TOPIC, error(CreateGroupsTopic.NAME, 1, 1, Map.of()));
    ControllerFixture young = ControllerFixture.withBrokers(1, 2);
    assertEquals(
        ErrorCode.LEADER_NOT_AVAILABLE,
        young.ask(new CreateGroupsTopic(young.topicId(), 3)).error());

    assertEquals(
        ErrorCode.NONE, controller.ask(new CreateGroupsTopic(controller.topicId(), 3)).error());
    List<PartitionId> partitions = controller.image.partitionsOf(CreateGroupsTopic.NAME);
    assertEquals(
        ErrorCode.NONE, controller.ask(new CreateGroupsTopic(controller.topicId(), 3)).error());

    assertEquals(8, partitions.size());
    assertEquals(partitions, controller.image.partitionsOf(CreateGroupsTopic.NAME));
    assertEquals(3, controller.state(partitions.get(0)).replicas().size());
  }

  @Test
  void aNameIsTakenOnce() {
    assertEquals(ErrorCode.NONE, error("orders", 1, 1, Map.of()));
    assertEquals(ErrorCode.TOPIC_ALREADY_EXISTS, error("orders", 1, 1, Map.of()));
  }

  @Test
  void partitionsAndReplicasHaveBounds() {
    assertEquals(ErrorCode.INVALID_REQUEST, error("a", 0, 1, Map.of()));
    assertEquals(ErrorCode.INVALID_REQUEST, error("a", 1_001, 1, Map.of()));
    assertEquals(ErrorCode.INVALID_REPLICATION_FACTOR, error("a", 1, 0, Map.of()));
    assertEquals(ErrorCode.INVALID_REPLICATION_FACTOR, error("a", 1, 4, Map.of()));
  }

  @Test
  void allTopicsTogetherHaveABound() {
    for (int topic = 0; topic < 10; topic++) {
      assertEquals(ErrorCode.NONE, error("t" + topic, 1_000, 1, Map.of()));
    }
    assertEquals(ErrorCode.INVALID_REQUEST, error("one-more", 1, 1, Map.of()));
  }

  @Test
  void aTopicThatNobodyCouldLeadIsRefusedForNow() {
    List.of(1, 2, 3).forEach(controller::die);
    assertEquals(ErrorCode.LEADER_NOT_AVAILABLE, error("orders", 1, 1, Map.of()));
  }

  @Test
  void aWrongSettingIsNamedWithItsValueAndWhatIsAllowed() {
    for (Map.Entry<String, String> wrong :
        Map.of(
                TopicConfig.MIN_INSYNC_REPLICAS,
                "0",
                TopicConfig.UNCLEAN_LEADER_ELECTION,
                "yes",
                TopicConfig.MAX_MESSAGE_BYTES,
                "many",
                TopicConfig.RETENTION_BYTES,
                "0",
                TopicConfig.RETENTION_TIME,
                "7 weeks",
                "retention",
                "1")
            .entrySet()) {
      Map<String, String> configs = Map.ofEntries(wrong);
      assertEquals(ErrorCode.INVALID_CONFIG, error("orders", 1, 1, configs));
      String message =
          controller.message(new CreateTopic(controller.topicId(), "orders", 1, 1, configs));
      assertTrue(message.contains(wrong.getKey() + " = " + wrong.getValue()), message);
      assertTrue(message.contains("allowed: "), message);
    }
  }

  @Test
  void settingsAreReadAndTheRestIsDefault() {
    PartitionId partition =
        controller.create("orders", 3, Map.of(TopicConfig.MIN_INSYNC_REPLICAS, "3"));
    assertEquals(
        new TopicConfig(3, false, 1_052_672, -1, -1),
        controller.image.topicsById().get(partition.topicId()).config());
    assertEquals(1, TopicConfig.DEFAULT.minIsr(1));
    assertEquals(2, TopicConfig.DEFAULT.minIsr(3));
  }

  @Test
  void whatATopicDoesNotSayIsWrittenIntoItFromTheDefaultsOfThatMoment() {
    Changes changes = new Changes(controller.image);

    TopicCreation.create(
        new CreateTopic(
            controller.topicId(), "orders", 1, 3, Map.of(TopicConfig.MIN_INSYNC_REPLICAS, "3")),
        Map.of(TopicConfig.MIN_INSYNC_REPLICAS, "1", TopicConfig.RETENTION_TIME, "1 h"),
        changes);

    TopicCreated created = (TopicCreated) changes.records().get(0);
    assertEquals(
        Map.of(TopicConfig.MIN_INSYNC_REPLICAS, "3", TopicConfig.RETENTION_TIME, "1 h"),
        created.configs());
  }

  @Test
  void retentionIsReadWithItsUnits() {
    assertEquals(
        new TopicConfig(2, false, 1_052_672, 1L << 40, 604_800_000L),
        TopicConfig.parse(
            Map.of(
                TopicConfig.RETENTION_BYTES, "1099511627776",
                TopicConfig.RETENTION_TIME, "7 d")));
    assertEquals(
        TopicConfig.DEFAULT,
        TopicConfig.parse(
            Map.of(
                TopicConfig.RETENTION_BYTES, "unlimited",
                TopicConfig.RETENTION_TIME, "unlimited")));
  }

  @Test
  void beforeAnyBrokerIsUpATopicCanBeAskedForAgainLater() {
    ControllerFixture empty = ControllerFixture.withBrokers();
    assertEquals(
        ErrorCode.LEADER_NOT_AVAILABLE,
        empty.error(new CreateTopic(empty.topicId(), "orders", 1, 1, Map.of())));
  }

  @Test
  void aRepeatedRequestIsAnsweredAsTheFirstWas() {
    CreateTopic request = new CreateTopic(controller.topicId(), "orders", 1, 1, Map.of());
    assertEquals(ErrorCode.NONE, controller.error(request));
    assertEquals(ErrorCode.NONE, controller.error(request));
    assertEquals(1, controller.image.topicsById().size());
  }

  private ErrorCode error(
      String name, int partitions, int replicationFactor, Map<String, String> configs) {
    return controller.error(
        new CreateTopic(controller.topicId(), name, partitions, replicationFactor, configs));
  }
}
