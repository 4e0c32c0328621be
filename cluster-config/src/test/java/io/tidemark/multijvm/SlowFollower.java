package io.tidemark.multijvm;

import static io.tidemark.cluster.NumberedRecords.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.client.TopicDescription;
import io.tidemark.protocol.PartitionState;
import io.tidemark.wire.ReplicaMessage.Described;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** A follower stands still for a while: its process is suspended, and later resumed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SlowFollower {
  private static final String TOPIC = "orders";

  /** It is the lag time alone that takes a silent follower out of the in-sync replicas. */
  private static final Map<String, String> LAG =
      Map.of(
          "tidemark.replication.replica-lag-time-max", "3s",
          "tidemark.controller.session-timeout", "5m",
          "akka.cluster.failure-detector.acceptable-heartbeat-pause", "120s");

  private ConductedCluster cluster;
  private Ledger ledger;
  private Ledger.Writer writer;
  private TopicDescription topic;
  private int leader;
  private int slow;
  private List<Integer> others;

  @BeforeAll
  void start() throws Exception {
    cluster = new ConductedCluster(LAG);
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  @Test
  @Order(1)
  void a_suspended_follower_leaves_the_isr_after_the_lag_time_and_writes_go_on() throws Exception {
    cluster.conduct(
        "the follower is left behind",
        () -> {
          topic = cluster.createTopic(TOPIC, 1);
          leader = topic.partitions().get(0).leader();
          int controller = cluster.awaitTopic(TOPIC, it -> it.controllerId() >= 0).controllerId();
          slow =
              ConductedCluster.without(leader).stream()
                  .filter(id -> id != controller)
                  .findFirst()
                  .orElseThrow();
          others = ConductedCluster.without(slow);
          ledger = new Ledger(cluster, TOPIC, 0);
          writer = ledger.writer("client", cluster.clientAt(others));
          await(writer.write(300));

          cluster.suspend(slow);
          await(writer.write(300));
          cluster.awaitTopic(
              cluster.clientAt(others),
              TOPIC,
              found -> !found.partitions().get(0).isr().contains(slow));
          await(writer.write(300));
        });
  }

  @Test
  @Order(2)
  void it_is_in_sync_again_when_it_has_caught_up() throws Exception {
    cluster.conduct(
        "the follower has caught up",
        () -> {
          cluster.resume(slow);
          PartitionState whole = cluster.awaitWhole(TOPIC).partitions().get(0);
          assertTrue(whole.isr().contains(slow));
          Described caughtUp = cluster.awaitReplica(topic, slow, it -> it.endOffset() == 900);
          assertEquals(0, caughtUp.truncatedRecords());
          await(writer.write(300));
          ledger.assertKept(ConductedCluster.IDS);
          assertEquals(1_200, ledger.size());
        });
  }
}
