package io.tidemark.multijvm;

import static io.tidemark.cluster.NumberedRecords.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tidemark.client.TopicDescription;
import io.tidemark.protocol.PartitionState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** The leader of the controller quorum is lost with its process; it led a partition, too. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ControllerExit {
  private static final String BEFORE = "before";
  private static final String AFTER = "after";

  private ConductedCluster cluster;
  private final List<Ledger> ledgers = new ArrayList<>();
  private final List<Ledger.Writer> writers = new ArrayList<>();
  private List<Integer> left;

  @BeforeAll
  void start() throws Exception {
    cluster = new ConductedCluster(Map.of());
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  @Test
  @Order(1)
  void a_new_controller_moves_leaderships_and_changes_in_sync_replicas() throws Exception {
    cluster.conduct(
        "the controller is replaced",
        () -> {
          TopicDescription topic = cluster.createTopic(BEFORE, ConductedCluster.IDS.size());
          for (int partition = 0; partition < topic.partitions().size(); partition++) {
            addWriter(BEFORE, partition);
          }
          await(write(300));
          int controller = cluster.awaitTopic(BEFORE, it -> it.controllerId() >= 0).controllerId();
          left = ConductedCluster.without(controller);

          CompletableFuture<Void> during = write(300);
          cluster.exit(controller);
          await(during);
          await(write(300));

          cluster.awaitTopic(
              cluster.clientAt(left),
              BEFORE,
              it ->
                  left.contains(it.controllerId())
                      && it.partitions().stream()
                          .allMatch(at -> left.contains(at.leader()) && isIn(at.isr(), left)));
        });
  }

  @Test
  @Order(2)
  void a_new_controller_creates_topics_and_moves_their_leaders() throws Exception {
    cluster.conduct(
        "a topic is created",
        () -> {
          await(
              cluster
                  .clientAt(left)
                  .createTopic(AFTER, 1, left.size(), Map.of("min-insync-replicas", "2")));
          PartitionState created = cluster.awaitWhole(AFTER).partitions().get(0);
          Ledger.Writer writer = addWriter(AFTER, 0);
          await(writer.write(300));

          int next = left.stream().filter(id -> id != created.leader()).findFirst().orElseThrow();
          await(cluster.clientAt(left).reassignPartition(AFTER, 0, List.of(next)));
          cluster.awaitTopic(
              cluster.clientAt(left),
              AFTER,
              topic ->
                  topic.partitions().get(0).leader() == next
                      && topic.partitions().get(0).replicas().equals(List.of(next)));
          await(writer.write(300));
        });
  }

  @Test
  @Order(3)
  void each_acknowledged_record_is_at_its_offset_once_and_in_order() throws Exception {
    cluster.conduct(
        "records are compared",
        () -> {
          for (Ledger ledger : ledgers.subList(0, ledgers.size() - 1)) {
            ledger.assertKept(left);
            assertEquals(900, ledger.size());
          }
          Ledger created = ledgers.get(ledgers.size() - 1);
          created.assertKept(List.of());
          assertEquals(600, created.size());
        });
  }

  private static boolean isIn(List<Integer> isr, List<Integer> nodes) {
    return isr.size() == nodes.size() && nodes.containsAll(isr);
  }

  private Ledger.Writer addWriter(String topic, int partition) {
    Ledger ledger = new Ledger(cluster, topic, partition);
    Ledger.Writer writer = ledger.writer("client", cluster.client());
    ledgers.add(ledger);
    writers.add(writer);
    return writer;
  }

  /** To each partition. */
  private CompletableFuture<Void> write(int count) {
    return CompletableFuture.allOf(
        writers.stream().map(writer -> writer.write(count)).toArray(CompletableFuture[]::new));
  }
}
