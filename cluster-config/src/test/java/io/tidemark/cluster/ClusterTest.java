package io.tidemark.cluster;

import static io.tidemark.cluster.NumberedRecords.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.Done;
import akka.actor.CoordinatedShutdown;
import akka.actor.typed.ActorSystem;
import io.tidemark.client.ClusterNodes;
import io.tidemark.client.TidemarkClient;
import io.tidemark.client.TopicDescription;
import io.tidemark.protocol.PartitionState;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterTest {
  private static final String TOPIC = "orders";

  @TempDir private Path dir;
  private LocalCluster cluster;

  @BeforeEach
  void startCluster() {
    cluster = new LocalCluster(dir);
  }

  @AfterEach
  void stopCluster() {
    cluster.close();
  }

  @Test
  void what_is_acknowledged_is_read_back_in_order() {
    NumberedRecords records = cluster.createTopic(TOPIC, 3);

    await(records.write(3_000));

    records.assertAllThere();
    assertEquals(3_000, records.acknowledged());
  }

  @Test
  void a_node_that_is_stopped_has_handed_everything_over_before_it_ends() {
    NumberedRecords records = cluster.createTopic(TOPIC, 3);
    await(records.write(300));
    int stopped = cluster.awaitWhole(TOPIC).partitions().get(0).leader();
    CompletableFuture<TopicDescription> atTheEnd = describeWhenEnding(stopped);

    cluster.stop(stopped);

    for (PartitionState partition : await(atTheEnd).partitions()) {
      assertTrue(LocalCluster.hasLeader(partition), partition::toString);
      assertNotEquals(stopped, partition.leader(), partition::toString);
      assertFalse(partition.isr().contains(stopped), partition::toString);
    }
  }

  @Test
  void writes_go_on_while_a_node_is_stopped_and_it_is_in_sync_again_after_its_restart() {
    NumberedRecords records = cluster.createTopic(TOPIC, 3);
    int stopped = cluster.awaitWhole(TOPIC).partitions().get(0).leader();

    CompletableFuture<Void> before = records.write(300);
    cluster.stop(stopped);
    CompletableFuture<Void> without = records.write(300);
    await(before);
    await(without);
    cluster.start(stopped);
    cluster.awaitWhole(TOPIC);
    await(records.write(300));

    records.assertAllThere();
    assertEquals(900, records.acknowledged());
  }

  @Test
  void a_client_beside_the_cluster_goes_on_when_all_nodes_are_restarted_one_after_the_other() {
    NumberedRecords records = cluster.createTopic(TOPIC, 3);
    await(records.write(300));

    for (int id : LocalCluster.IDS) {
      cluster.stop(id);
      cluster.start(id);
      cluster.awaitWhole(TOPIC);
    }
    await(records.write(300));

    records.assertAllThere();
    assertEquals(600, records.acknowledged());
  }

  @Test
  void after_the_end_of_all_nodes_at_once_every_partition_leads_again_with_all_its_records() {
    NumberedRecords records = cluster.createTopic(TOPIC, 3);
    await(records.write(300));
    CompletableFuture<Void> unfinished = records.write(3_000);

    cluster.crashAll();
    LocalCluster.IDS.forEach(cluster::start);

    cluster.awaitWhole(TOPIC);
    await(unfinished);
    records.assertAllThere();
    assertEquals(3_300, records.acknowledged());
  }

  /** What another node knows of the topic when that node's actor system is about to end. */
  private CompletableFuture<TopicDescription> describeWhenEnding(int id) {
    int other = LocalCluster.IDS.stream().filter(it -> it != id).findFirst().orElseThrow();
    CompletableFuture<TopicDescription> described = new CompletableFuture<>();
    ActorSystem<Void> beside = cluster.node(other);
    TidemarkClient client =
        new TidemarkClient(beside, new ClusterNodes(beside, List.of(cluster.addressOf(other))));
    CoordinatedShutdown.get(cluster.node(id))
        .addTask(
            CoordinatedShutdown.PhaseBeforeActorSystemTerminate(),
            "describe",
            () ->
                client
                    .describeTopic(TOPIC)
                    .thenApply(
                        found -> {
                          described.complete(found);
                          return Done.getInstance();
                        }));
    return described;
  }
}
