package io.tidemark.multijvm;

import static io.tidemark.cluster.NumberedRecords.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.client.ConsumerRecord;
import io.tidemark.client.ProducerFailure;
import io.tidemark.client.TidemarkClient;
import io.tidemark.client.TopicDescription;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.PartitionState;
import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.wire.ReplicaMessage.Described;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** A leader is cut off from both followers, and comes back. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class CutOffLeader {
  private static final String TOPIC = "orders";
  private static final int UNCOMMITTED = 7;

  private ConductedCluster cluster;
  private Ledger ledger;
  private TopicDescription topic;
  private int old;
  private List<Integer> others;
  private TidemarkClient atOthers;
  private Ledger.Writer majority;

  @BeforeAll
  void start() throws Exception {
    cluster = new ConductedCluster(CUTS);
  }

  /** Neither the Akka cluster nor the balance of leaderships interferes with what is tested. */
  static final Map<String, String> CUTS =
      Map.of(
          "akka.cluster.failure-detector.acceptable-heartbeat-pause", "120s",
          "tidemark.controller.leader-balance-interval", "1h");

  @AfterAll
  void stop() {
    cluster.close();
  }

  @Test
  @Order(1)
  void a_cut_off_leader_acknowledges_nothing_and_another_takes_over() throws Exception {
    cluster.conduct(
        "the first leader is cut off",
        () -> {
          topic = cluster.createTopic(TOPIC, 1);
          ledger = new Ledger(cluster, TOPIC, 0);
          lookAround();
          Ledger.Writer cutOff =
              ledger.writer(
                  "cut off", cluster.clientAt(List.of(old)), Acks.ALL, Duration.ofSeconds(10));
          await(majority.write(500));
          await(cutOff.write(1));
          int promised = ledger.size();

          cluster.cutOff(old);
          CompletionException failed =
              assertThrows(CompletionException.class, () -> await(cutOff.write(5)));

          ProducerFailure failure = assertInstanceOf(ProducerFailure.class, failed.getCause());
          assertTrue(
              Set.of(ErrorCode.REQUEST_TIMED_OUT, ErrorCode.NOT_ENOUGH_REPLICAS)
                  .contains(failure.error()),
              failure::getMessage);
          assertEquals(promised, ledger.size());
          awaitNewLeader();
          await(majority.write(500));
        });
  }

  @Test
  @Order(2)
  void the_healed_cluster_is_whole_again_by_itself() throws Exception {
    cluster.conduct(
        "the first cut is healed",
        () -> {
          cluster.heal();
          cluster.awaitWhole(TOPIC);
          await(majority.write(500));
          ledger.assertKept(ConductedCluster.IDS);
          assertEquals(1_501, ledger.size());
        });
  }

  @Test
  @Order(3)
  void a_leader_that_comes_back_cuts_its_log_exactly_where_it_diverged() throws Exception {
    cluster.conduct(
        "the second leader has cut its log",
        () -> {
          lookAround();
          Ledger.Writer cutOff =
              ledger.writer(
                  "without followers",
                  cluster.clientAt(List.of(old)),
                  Acks.LEADER,
                  Duration.ofSeconds(120));
          Described before = cluster.awaitReplica(topic, old, Described::leader);
          long fork = before.endOffset();
          for (int follower : others) {
            cluster.awaitReplica(topic, follower, it -> it.endOffset() == fork);
          }

          cluster.cutOff(old);
          await(cutOff.write(UNCOMMITTED));
          Described tail = cluster.awaitReplica(topic, old, it -> true);
          assertEquals(before.leaderEpoch(), tail.lastEpoch());
          assertEquals(fork + UNCOMMITTED, tail.endOffset());
          assertEquals(fork, tail.highWatermark());
          int leader = awaitNewLeader().leader();
          await(majority.write(300));
          long diverged = cluster.awaitReplica(topic, old, it -> true).endOffset() - fork;

          cluster.heal();
          cluster.awaitWhole(TOPIC);
          Described end = cluster.awaitReplica(topic, leader, it -> true);
          assertTrue(end.lastEpoch() > before.leaderEpoch());
          Described cut = cluster.awaitReplica(topic, old, it -> it.endOffset() == end.endOffset());
          assertEquals(end.lastEpoch(), cut.lastEpoch());
          assertEquals(diverged, cut.truncatedRecords() - before.truncatedRecords());
          List<ConsumerRecord<ByteBuffer, ByteBuffer>> kept =
              ledger.assertKept(ConductedCluster.IDS);
          assertEquals(1_801, ledger.size());
          for (ConsumerRecord<ByteBuffer, ByteBuffer> record : kept) {
            assertEquals(
                record.offset() < fork,
                record.leaderEpoch() <= before.leaderEpoch(),
                record::toString);
          }
        });
  }

  /** Who leads now; the writer of the majority goes through the others. */
  private void lookAround() {
    old = cluster.awaitWhole(TOPIC).partitions().get(0).leader();
    others = ConductedCluster.without(old);
    atOthers = cluster.clientAt(others);
    majority = ledger.writer("majority with " + old + " cut off", atOthers);
  }

  private PartitionState awaitNewLeader() {
    return cluster
        .awaitTopic(atOthers, TOPIC, it -> others.contains(it.partitions().get(0).leader()))
        .partitions()
        .get(0);
  }
}
