package io.tidemark.cluster;

import static io.tidemark.cluster.NumberedRecords.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tidemark.client.TopicDescription;
import io.tidemark.client.TopicFailure;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.PartitionState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Partitions move between the nodes of a running cluster (KIP-455). */
class ReassignmentClusterTest {
  @TempDir private static Path dir;
  private static LocalCluster cluster;

  private String topic;
  private NumberedRecords records;
  private List<Integer> before;

  @BeforeAll
  static void startCluster() {
    cluster = new LocalCluster(dir);
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }

  private void createWithTwoReplicas(String name) {
    topic = name;
    await(cluster.client().createTopic(name, 1, 2, Map.of("min-insync-replicas", "2")));
    before = awaitReplicas(2).replicas();
    records = cluster.records(name, 1);
  }

  private int other() {
    return LocalCluster.IDS.stream().filter(id -> !before.contains(id)).findFirst().orElseThrow();
  }

  private static PartitionState only(TopicDescription topic) {
    return topic.partitions().get(0);
  }

  private PartitionState awaitReplicas(int inSync) {
    return only(
        cluster.awaitTopic(
            topic,
            it ->
                !it.partitions().isEmpty()
                    && LocalCluster.hasLeader(only(it))
                    && only(it).isr().size() == inSync));
  }

  private void awaitMoved(List<Integer> replicas) {
    cluster.awaitTopic(
        topic, it -> only(it).replicas().equals(replicas) && only(it).adding().isEmpty());
  }

  @Test
  void a_partition_moves_under_load_with_its_leader_and_back_and_loses_nothing() {
    createWithTwoReplicas("orders");
    refusesUnknownBroker();
    await(records.write(500));
    List<Integer> wanted = List.of(other(), before.get(1));

    CompletableFuture<Void> away = records.write(2_000);
    await(cluster.client().reassignPartition(topic, 0, wanted));
    awaitMoved(wanted);
    await(away);
    cluster.awaitAssert(() -> assertEquals(0, segments(before.get(0))));

    CompletableFuture<Void> back = records.write(2_000);
    await(cluster.client().reassignPartition(topic, 0, before));
    awaitMoved(before);
    await(back);

    records.assertAllThere();
    assertEquals(4_500, records.acknowledged());
  }

  private void refusesUnknownBroker() {
    CompletionException failure =
        assertThrows(
            CompletionException.class,
            () -> await(cluster.client().reassignPartition(topic, 0, List.of(9))));
    TopicFailure refused = assertInstanceOf(TopicFailure.class, failure.getCause());
    assertEquals(ErrorCode.INVALID_REPLICA_ASSIGNMENT, refused.error());
  }

  @Test
  void what_moved_away_from_a_node_that_was_down_is_deleted_when_it_is_back() {
    createWithTwoReplicas("payments");
    await(records.write(500));
    int down = before.get(1);
    List<Integer> wanted = List.of(before.get(0), other());
    cluster.stop(down);
    await(cluster.client().reassignPartition(topic, 0, wanted));
    awaitMoved(wanted);

    cluster.start(down);

    cluster.awaitAssert(() -> assertEquals(0, segments(down)));
    records.assertAllThere();
  }

  /** Segment files of the topic's only partition on that node's disk. */
  private long segments(int node) {
    String topicId = await(cluster.client().describeTopic(topic)).topicId().toString();
    try (Stream<Path> files = Files.walk(dir.resolve("node-" + node))) {
      return files
          .filter(it -> it.toString().endsWith(".seg") && it.toString().contains(topicId))
          .count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
