package io.tidemark.cluster;

import static io.tidemark.cluster.LocalCluster.hasLeader;
import static io.tidemark.cluster.NumberedRecords.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import akka.actor.testkit.typed.javadsl.LoggingTestKit;
import io.tidemark.client.TopicDescription;
import io.tidemark.protocol.PartitionState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node comes back without its disk, to a cluster whose metadata log has lost its beginning. */
class LostDiskClusterTest {
  private static final Map<String, String> MANY_SNAPSHOTS =
      Map.of("tidemark.controller.snapshot-interval", "1 KiB");

  @TempDir private Path dir;

  @Test
  void it_gets_the_metadata_by_snapshot_and_leads_what_only_it_had_by_unclean_election()
      throws IOException {
    try (LocalCluster cluster = new LocalCluster(dir, MANY_SNAPSHOTS)) {
      NumberedRecords records = cluster.createTopic("orders", 3);
      List.of("a", "b", "c").forEach(topic -> cluster.createTopic(topic, 4));
      await(records.write(300));
      int controller = await(cluster.client().describeTopic(null)).controllerId();
      int wiped = controller % LocalCluster.IDS.size() + 1;
      createOn(cluster, "alone", wiped);
      cluster.stop(wiped);
      delete(dir.resolve("node-" + wiped));

      LoggingTestKit.info("metadata of broker " + wiped + " begins with a snapshot")
          .expect(
              cluster.node(controller),
              () -> {
                cluster.start(wiped);
                return cluster.awaitWhole("orders");
              });
      cluster.awaitWhole("c");
      PartitionState alone =
          only(cluster.awaitTopic("alone", it -> hasLeader(only(it)) && !only(it).recovering()));
      assertEquals(wiped, alone.leader());
      assertEquals(List.of(wiped), alone.isr());

      cluster.crashAll();
      LocalCluster.IDS.forEach(cluster::start);
      cluster.awaitWhole("a");
      cluster.awaitWhole("orders");
      await(records.write(300));
      records.assertAllThere();
      assertEquals(600, records.acknowledged());
    }
  }

  /** A partition with one replica, which prefers availability. */
  private static void createOn(LocalCluster cluster, String topic, int node) {
    await(cluster.client().createTopic(topic, 1, 1, Map.of("unclean-leader-election", "true")));
    await(cluster.client().reassignPartition(topic, 0, List.of(node)));
    cluster.awaitTopic(
        topic, it -> only(it).replicas().equals(List.of(node)) && only(it).leader() == node);
  }

  private static PartitionState only(TopicDescription topic) {
    return topic.partitions().get(0);
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : (Iterable<Path>) files.sorted(Comparator.reverseOrder())::iterator) {
        Files.delete(file);
      }
    }
  }
}
