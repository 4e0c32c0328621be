package io.tidemark.multijvm;

import static io.tidemark.cluster.NumberedRecords.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tidemark.client.ProducerFailure;
import io.tidemark.protocol.ProduceRequest.Acks;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** A leader is heard by its followers no more, then hears them no more. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class OneWayCut {
  private static final String TOPIC = "orders";

  private ConductedCluster cluster;
  private Ledger ledger;

  @BeforeAll
  void start() throws Exception {
    cluster = new ConductedCluster(CutOffLeader.CUTS);
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  @Test
  @Order(1)
  void another_leads_when_the_followers_hear_their_leader_no_more() throws Exception {
    cluster.conduct(
        "the leader is heard again",
        () -> {
          cluster.createTopic(TOPIC, 1);
          ledger = new Ledger(cluster, TOPIC, 0);
          int leader = leader();
          List<Integer> others = ConductedCluster.without(leader);
          Ledger.Writer writer = writer("through the followers", others);
          await(writer.write(300));

          for (int other : others) {
            cluster.cutOneWay(leader, other);
          }
          await(writer.write(300));
          cluster.awaitTopic(
              cluster.clientAt(others),
              TOPIC,
              topic -> others.contains(topic.partitions().get(0).leader()));

          heal();
          assertEquals(600, ledger.size());
        });
  }

  @Test
  @Order(2)
  void a_leader_that_hears_its_followers_no_more_acknowledges_nothing() throws Exception {
    cluster.conduct(
        "the followers are heard again",
        () -> {
          int leader = leader();
          List<Integer> others = ConductedCluster.without(leader);
          Ledger.Writer patient = writer("patient", others);
          Ledger.Writer impatient =
              ledger.writer(
                  "impatient", cluster.clientAt(List.of(leader)), Acks.ALL, Duration.ofSeconds(10));
          await(impatient.write(1));

          for (int other : others) {
            cluster.cutOneWay(other, leader);
          }
          CompletableFuture<Void> through = patient.write(300);
          CompletionException failed =
              assertThrows(CompletionException.class, () -> await(impatient.write(1)));
          assertInstanceOf(ProducerFailure.class, failed.getCause());

          heal();
          await(through);
          assertEquals(901, ledger.size());
        });
  }

  private int leader() {
    return cluster.awaitWhole(TOPIC).partitions().get(0).leader();
  }

  private Ledger.Writer writer(String name, List<Integer> nodes) {
    return ledger.writer(name, cluster.clientAt(nodes));
  }

  /** Nobody does more than to let messages pass, and all three have everything again. */
  private void heal() throws Exception {
    cluster.heal();
    cluster.awaitWhole(TOPIC);
    ledger.assertKept(ConductedCluster.IDS);
  }
}
