package io.tidemark.cluster;

import static io.tidemark.cluster.NumberedRecords.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import akka.actor.testkit.typed.javadsl.LoggingTestKit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The controller's log loses its beginning, and nodes still learn all of it (KIP-630). */
class SnapshotClusterTest {
  private static final Map<String, String> MANY_SNAPSHOTS =
      Map.of("tidemark.controller.snapshot-interval", "1 KiB");

  @TempDir private Path dir;

  @Test
  void a_node_without_its_disk_gets_a_snapshot_and_all_nodes_start_again_from_theirs()
      throws IOException {
    try (LocalCluster cluster = new LocalCluster(dir, MANY_SNAPSHOTS)) {
      NumberedRecords records = cluster.createTopic("orders", 3);
      List.of("a", "b", "c").forEach(topic -> cluster.createTopic(topic, 4));
      await(records.write(300));
      int controller = await(cluster.client().describeTopic(null)).controllerId();
      int wiped = controller % LocalCluster.IDS.size() + 1;
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

      cluster.crashAll();
      LocalCluster.IDS.forEach(cluster::start);
      cluster.awaitWhole("a");
      cluster.awaitWhole("orders");
      await(records.write(300));
      records.assertAllThere();
      assertEquals(600, records.acknowledged());
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : (Iterable<Path>) files.sorted(Comparator.reverseOrder())::iterator) {
        Files.delete(file);
      }
    }
  }
}
