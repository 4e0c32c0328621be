package io.tidemark.multijvm;

import static io.tidemark.cluster.NumberedRecords.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.tidemark.protocol.PartitionState;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** A partition's leader is lost with its process. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LeaderExit {
  private static final String TOPIC = "orders";

  private ConductedCluster cluster;
  private Ledger ledger;
  private Ledger.Writer writer;
  private int leader;

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
  void a_replicated_topic_takes_records() throws Exception {
    cluster.conduct(
        "records are written",
        () -> {
          leader = cluster.createTopic(TOPIC, 1).partitions().get(0).leader();
          ledger = new Ledger(cluster, TOPIC, 0);
          writer = ledger.writer("client", cluster.client());
          await(writer.write(1_000));
        });
  }

  @Test
  @Order(2)
  void writes_go_on_after_the_end_of_the_leaders_process() throws Exception {
    cluster.conduct(
        "the leader is replaced",
        () -> {
          CompletableFuture<Void> during = writer.write(1_000);
          cluster.exit(leader);
          await(during);
          await(writer.write(1_000));
          PartitionState now =
              cluster
                  .awaitTopic(TOPIC, topic -> topic.partitions().get(0).isr().size() == 2)
                  .partitions()
                  .get(0);
          assertNotEquals(leader, now.leader());
        });
  }

  @Test
  @Order(3)
  void each_acknowledged_record_is_at_its_offset_once_and_in_order() throws Exception {
    cluster.conduct(
        "records are compared",
        () -> {
          ledger.assertKept(ConductedCluster.without(leader));
          assertEquals(3_000, ledger.size());
        });
  }
}
