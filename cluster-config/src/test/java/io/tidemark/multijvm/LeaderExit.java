package io.tidemark.multijvm;

import static io.tidemark.cluster.NumberedRecords.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.javadsl.Adapter;
import akka.remote.testconductor.RoleName;
import akka.remote.testkit.MultiNodeConfig;
import com.typesafe.config.ConfigFactory;
import io.tidemark.client.ClusterNodes;
import io.tidemark.client.TidemarkClient;
import io.tidemark.client.TopicDescription;
import io.tidemark.cluster.NumberedRecords;
import io.tidemark.cluster.Tidemark;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import scala.concurrent.Await;
import scala.concurrent.duration.FiniteDuration;

/**
 * Runs in each of four JVMs: three nodes, and the conductor, who is also their client. Each test
 * begins when all JVMs have passed the one before it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LeaderExit {
  static final String BROKERS = "tidemark.test.brokers";
  static final String DIRECTORY = "tidemark.test.directory";
  static final int JVMS = 4;
  static final int ENDED_BY_CONDUCTOR = 42;

  private static final String TOPIC = "orders";
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final Duration PAUSE = Duration.ofMillis(100);

  private static final class Roles extends MultiNodeConfig {
    private final RoleName client = role("client");
    private final List<RoleName> nodes = new ArrayList<>();

    Roles(List<String> brokers) {
      commonConfig(
          ConfigFactory.parseMap(
                  Map.of(
                      "akka.fail-mixed-versions",
                      "off",
                      "akka.testconductor.barrier-timeout",
                      "180s",
                      "tidemark.controller.voters",
                      brokers,
                      "tidemark.storage.directory",
                      System.getProperty(DIRECTORY),
                      "tidemark.broker.id",
                      Integer.getInteger("multinode.index")))
              .withFallback(ConfigFactory.parseResources("tidemark-node.conf")));
      brokers.forEach(broker -> nodes.add(role("node-" + (nodes.size() + 1))));
    }
  }

  private final List<String> brokers = List.of(System.getProperty(BROKERS).split(","));
  private Roles roles;
  private Jvm jvm;
  private ActorSystem<Void> system;
  private TidemarkClient client;
  private TestProbe<Void> probe;
  private NumberedRecords records;

  @BeforeAll
  void start() {
    roles = new Roles(brokers);
    jvm = new Jvm(roles);
    jvm.multiNodeSpecBeforeAll();
    system = Adapter.toTyped(jvm.system());
    client = new TidemarkClient(system, new ClusterNodes(system, brokers));
    probe = TestProbe.create(system);
  }

  @AfterAll
  void stop() {
    jvm.multiNodeSpecAfterAll();
  }

  @Test
  @Order(1)
  void three_nodes_come_up() {
    if (!jvm.is(roles.client)) {
      Tidemark.get(system).joinCluster(system::terminate);
    }

    awaitTopic(null, topic -> topic.unfenced().size() == brokers.size());
    jvm.meet("nodes up");
  }

  @Test
  @Order(2)
  void a_replicated_topic_takes_records() {
    if (jvm.is(roles.client)) {
      await(client.createTopic(TOPIC, 1, brokers.size(), Map.of("min-insync-replicas", "2")));
      awaitTopic(TOPIC, topic -> isrOf(topic).size() == brokers.size());
      records = new NumberedRecords(system, client, TOPIC, 1);
      await(records.write(1_000));
      assertEquals(1_000, records.acknowledged());
    }

    jvm.meet("records written");
  }

  @Test
  @Order(3)
  void writes_go_on_after_the_end_of_the_leaders_process() throws Exception {
    if (jvm.is(roles.client)) {
      int leader = leaderOf(awaitTopic(TOPIC, topic -> leaderOf(topic) > 0));
      CompletableFuture<Void> during = records.write(1_000);
      RoleName node = roles.nodes.get(leader - 1);
      Await.ready(
          jvm.testConductor().exit(node, ENDED_BY_CONDUCTOR),
          FiniteDuration.create(60, TimeUnit.SECONDS));
      await(during);
      await(records.write(1_000));
      assertNotEquals(leader, leaderOf(awaitTopic(TOPIC, topic -> isrOf(topic).size() == 2)));
    }

    jvm.meet("leader replaced");
  }

  @Test
  @Order(4)
  void each_acknowledged_record_is_there_once_and_in_order() {
    if (jvm.is(roles.client)) {
      records.assertAllThere();
      assertEquals(3_000, records.acknowledged());
    }

    jvm.meet("records compared");
  }

  private TopicDescription awaitTopic(String topic, Predicate<TopicDescription> condition) {
    return probe.awaitAssert(
        PATIENCE,
        PAUSE,
        () -> {
          TopicDescription found = await(client.describeTopic(topic));
          if (!condition.test(found)) {
            throw new AssertionError("not yet: " + found);
          }
          return found;
        });
  }

  private static int leaderOf(TopicDescription topic) {
    return topic.partitions().isEmpty() ? -1 : topic.partitions().get(0).leader();
  }

  private static List<Integer> isrOf(TopicDescription topic) {
    return topic.partitions().isEmpty() ? List.of() : topic.partitions().get(0).isr();
  }
}
