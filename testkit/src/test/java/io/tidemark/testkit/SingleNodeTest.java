package io.tidemark.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.pattern.Patterns;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.tidemark.client.TidemarkClient;
import io.tidemark.client.TopicDescription;
import io.tidemark.client.TopicFailure;
import io.tidemark.cluster.Tidemark;
import io.tidemark.protocol.PartitionId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.function.Executable;
import org.slf4j.LoggerFactory;

class SingleNodeTest {
  @RegisterExtension private static final TidemarkTestKit TIDEMARK = TidemarkTestKit.singleNode();

  @Test
  void what_is_written_is_read() {
    TIDEMARK.createTopic("written", 1);
    try (Numbers numbers = new Numbers(TIDEMARK, "written")) {
      TestNodes.await(numbers.write(100));
      numbers.assertAllThere();
    }
  }

  @Test
  void a_node_that_was_killed_comes_back_with_its_records_and_the_client_goes_on() {
    TIDEMARK.createTopic("killed", 1);
    try (Numbers numbers = new Numbers(TIDEMARK, "killed")) {
      TestNodes.await(numbers.write(100));

      TIDEMARK.kill(1);
      CompletableFuture<Void> more = numbers.write(10);
      assertFalse(more.isDone());
      TIDEMARK.restart(1);

      TestNodes.await(more);
      numbers.assertAllThere();
    }
  }

  @Test
  void the_node_is_one_as_an_application_has_it() {
    assertEquals(1, Tidemark.get(TIDEMARK.node(1)).brokerId());
  }

  @Test
  void whoever_asks_for_a_replica_that_cannot_be_disturbs_no_other() {
    TIDEMARK.createTopic("well", 1);
    TidemarkClient client = TIDEMARK.client();
    TopicDescription none = TestNodes.await(client.describeTopic("none"));

    CompletionException refused =
        assertThrows(
            CompletionException.class, () -> TestNodes.await(client.describeReplica(none, 0, 1)));

    assertInstanceOf(TopicFailure.class, refused.getCause());
    assertThrows(IllegalArgumentException.class, () -> new PartitionId(null, 0));
    try (Numbers numbers = new Numbers(TIDEMARK, "well")) {
      TestNodes.await(numbers.write(10));
      numbers.assertAllThere();
    }
  }

  @Test
  void an_isolated_node_is_not_reached_until_it_is_healed() {
    TIDEMARK.createTopic("isolated", 1);
    try (Numbers numbers = new Numbers(TIDEMARK, "isolated")) {
      TIDEMARK.isolate(1);
      CompletableFuture<Void> waiting = numbers.write(10);
      CompletionStage<TopicDescription> asking = TIDEMARK.client().describeTopic("isolated");
      assertThrows(
          TimeoutException.class, () -> asking.toCompletableFuture().get(1, TimeUnit.SECONDS));
      assertFalse(waiting.isDone());

      TIDEMARK.heal();

      TestNodes.await(asking);
      TestNodes.await(waiting);
      numbers.assertAllThere();
    }
  }

  @Test
  void a_client_that_is_first_used_during_a_cut_keeps_to_it() {
    try (TidemarkTestKit kit = TidemarkTestKit.singleNode().start()) {
      kit.isolate(1);
      CompletionStage<TopicDescription> asking = kit.client().describeTopic(null);
      assertThrows(
          TimeoutException.class, () -> asking.toCompletableFuture().get(1, TimeUnit.SECONDS));

      kit.heal();

      TestNodes.await(asking);
    }
  }

  @Test
  void a_node_that_is_not_there_is_told_so() {
    assertEquals(
        "node 2; there are 1 to 1",
        assertThrows(IllegalArgumentException.class, () -> TIDEMARK.kill(2)).getMessage());
    assertThrows(IllegalArgumentException.class, () -> TIDEMARK.cut(1, 1));
  }

  @Test
  void without_junit_its_files_go_when_it_is_closed() {
    Path directory;
    try (TidemarkTestKit kit =
        TidemarkTestKit.singleNode().withSettings("tidemark.broker.rack = home").start()) {
      var config = kit.node(1).settings().config();
      directory = Path.of(config.getString("tidemark.storage.directory"));
      assertEquals("home", config.getString("tidemark.broker.rack"));
      assertTrue(Files.exists(directory));
    }

    assertFalse(Files.exists(directory.getParent()));
  }

  @Test
  void a_node_that_cannot_start_is_told_and_leaves_nothing_behind() {
    TidemarkTestKit kit =
        TidemarkTestKit.singleNode().withSettings("tidemark.replication.flush = never");

    Throwable failure = assertThrows(IllegalArgumentException.class, kit::start);

    assertTrue(failure.getMessage().contains("tidemark.replication.flush"), failure.getMessage());
    assertThrows(IllegalStateException.class, () -> kit.node(1));
  }

  @Test
  void what_is_asked_of_a_test_kit_that_does_not_run_is_told_so() {
    TidemarkTestKit kit = TidemarkTestKit.singleNode();

    for (Executable method :
        List.<Executable>of(
            kit::client,
            kit::system,
            kit::addresses,
            kit::heal,
            () -> kit.node(1),
            () -> kit.createTopic("orders", 1),
            () -> kit.awaitInSync("orders"),
            () -> kit.kill(1),
            () -> kit.stop(1),
            () -> kit.restart(1),
            () -> kit.isolate(1))) {
      IllegalStateException refused = assertThrows(IllegalStateException.class, method);
      assertTrue(refused.getMessage().contains("not started"), refused.getMessage());
    }
    kit.close();
    assertThrows(IllegalStateException.class, TIDEMARK::start);
  }

  @Test
  void a_nested_test_class_shares_its_nodes() {
    ActorSystem<Void> node = TIDEMARK.node(1);

    TIDEMARK.beforeAll(null);
    TIDEMARK.afterAll(null);

    assertSame(node, TIDEMARK.node(1));
  }

  @Test
  void a_node_whose_actors_have_ended_does_not_claim_to_have_waited_for_a_controller() {
    Logger logger = (Logger) LoggerFactory.getLogger(Tidemark.class);
    ListAppender<ILoggingEvent> told = new ListAppender<>();
    told.start();
    logger.addAppender(told);
    try {
      ActorRef actors =
          TestNodes.await(
              TIDEMARK
                  .node(1)
                  .classicSystem()
                  .actorSelection("/system/tidemark")
                  .resolveOne(Duration.ofSeconds(30)));
      TestNodes.await(Patterns.gracefulStop(actors, Duration.ofSeconds(30)));

      TIDEMARK.stop(1);
      TIDEMARK.restart(1);
    } finally {
      logger.detachAppender(told);
    }

    List<String> warnings =
        told.list.stream()
            .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
            .map(ILoggingEvent::getFormattedMessage)
            .toList();
    assertEquals(List.of(), warnings);
  }
}
