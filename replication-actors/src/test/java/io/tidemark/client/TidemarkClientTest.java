package io.tidemark.client;

import static io.tidemark.client.ScriptedBroker.TOPIC;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import io.tidemark.protocol.ControllerResponse;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.GroupResponse;
import io.tidemark.wire.BrokerMessage.AskController;
import io.tidemark.wire.BrokerMessage.AskGroup;
import io.tidemark.wire.BrokerMessage.ControllerAnswered;
import io.tidemark.wire.BrokerMessage.GroupAnswered;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TidemarkClientTest {
  /** Where nobody listens. */
  private static final String NOBODY = "127.0.0.1:1";

  private static ActorTestKit kit;
  private static ScriptedBroker broker;
  private static TidemarkClient client;

  @BeforeAll
  static void start() {
    kit = ActorTestKit.create("client", FakeBroker.config("tidemark.client.api-timeout = 300 ms"));
    broker = new ScriptedBroker(kit.system());
    client = clientOf(broker.address());
  }

  @AfterAll
  static void stop() {
    kit.shutdownTestKit();
  }

  @BeforeEach
  void reset() {
    broker.knowsCluster = true;
    broker.answering(message -> {});
  }

  private static TidemarkClient clientOf(String... addresses) {
    return new TidemarkClient(kit.system(), new ClusterNodes(kit.system(), List.of(addresses)));
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
  }

  private static <T extends Throwable> T failureOf(Class<T> type, CompletionStage<?> stage) {
    return assertInstanceOf(
        type, assertThrows(ExecutionException.class, () -> get(stage)).getCause());
  }

  private static void assertTells(Throwable failure, String... parts) {
    for (String part : parts) {
      assertTrue(failure.getMessage().contains(part), failure.getMessage());
    }
  }

  @Test
  void a_reader_of_a_missing_topic_fails_when_its_time_is_over() throws Exception {
    PartitionReader reader = get(client.reader("missing", 0));

    for (CompletionStage<?> asked :
        List.of(
            reader.latest(),
            reader.earliest(),
            reader.firstSince(Instant.EPOCH),
            reader.fetch(0),
            reader.deleteBefore(-1))) {
      ReadFailure failure = failureOf(ReadFailure.class, asked);
      assertEquals(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, failure.error());
      assertTells(failure, "missing-0", "PT0.3S", "create it");
    }
    reader.close();
  }

  @Test
  void a_reader_of_a_replica_that_is_not_there_tells_who_has_one() throws Exception {
    PartitionReader reader = get(client.replicaReader(TOPIC, 0, 9));

    assertTells(failureOf(ReadFailure.class, reader.latest()), "broker 9", "[1]");
    reader.close();
  }

  @Test
  void two_calls_of_a_reader_at_once_are_both_answered() throws Exception {
    PartitionReader reader = get(client.reader(TOPIC, 0));

    CompletionStage<Long> earliest = reader.earliest();
    CompletionStage<Long> latest = reader.latest();

    assertEquals(3, get(earliest));
    assertEquals(8, get(latest));
    reader.close();
  }

  @Test
  void a_closed_reader_fails_what_it_was_and_is_asked() throws Exception {
    PartitionReader reader = get(client.patientReader(new TopicPartition("missing", 0), ""));
    CompletionStage<Long> before = reader.latest();

    reader.close();

    assertTells(failureOf(IllegalStateException.class, before), "missing-0");
    assertTells(failureOf(IllegalStateException.class, reader.earliest()), "closed");
  }

  @Test
  void another_broker_is_asked_when_one_does_not_answer() throws Exception {
    assertEquals(1, get(clientOf(NOBODY, broker.address()).describeTopic(TOPIC)).controllerId());
  }

  @Test
  void that_nobody_answers_is_not_told_as_a_missing_topic() {
    TidemarkClient lonely = clientOf(NOBODY);

    TopicFailure described = failureOf(TopicFailure.class, lonely.describeTopic(TOPIC));
    assertEquals(ErrorCode.REQUEST_TIMED_OUT, described.error());
    assertTells(described, "topic 'orders'", NOBODY, "PT0.3S");
    assertTells(
        failureOf(TopicFailure.class, lonely.createTopic(TOPIC, 1, 1, Map.of())),
        NOBODY,
        "what became of this CreateTopic is not known");
    assertTells(failureOf(GroupFailure.class, lonely.committedOffsets("billing")), NOBODY);
    assertTells(
        failureOf(TopicFailure.class, lonely.describeTopic(null)),
        "REQUEST_TIMED_OUT: the cluster");
  }

  @Test
  void a_broker_that_knows_of_no_broker_is_not_believed_about_topics() {
    broker.knowsCluster = false;

    TopicFailure failure = failureOf(TopicFailure.class, client.describeTopic(TOPIC));

    assertEquals(ErrorCode.LEADER_NOT_AVAILABLE, failure.error());
  }

  @Test
  void a_replica_that_is_not_described_is_told_with_its_broker() throws Exception {
    TopicDescription topic = get(client.describeTopic(TOPIC));

    assertTells(
        failureOf(TopicFailure.class, client.describeReplica(topic, 0, ScriptedBroker.ID)),
        "broker 1",
        "partition 0",
        broker.address());
  }

  @Test
  void what_the_controller_says_of_a_topic_names_it_once() {
    broker.answering(
        message -> {
          if (message instanceof AskController ask) {
            ask.replyTo()
                .tell(
                    new ControllerAnswered(
                        ask.requestId(),
                        new ControllerResponse.Failed(
                            ErrorCode.TOPIC_ALREADY_EXISTS, "topic 'orders' exists")));
          }
        });

    assertEquals(
        "TOPIC_ALREADY_EXISTS: topic 'orders' exists",
        failureOf(TopicFailure.class, client.createTopic(TOPIC, 1, 1, Map.of())).getMessage());
  }

  @Test
  void a_coordinator_that_still_reads_its_log_is_asked_again() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    broker.answering(
        message -> {
          if (message instanceof AskGroup ask) {
            boolean isLoading = asked.incrementAndGet() == 1;
            ask.replyTo()
                .tell(
                    new GroupAnswered(
                        ask.requestId(),
                        isLoading
                            ? new GroupResponse.Failed(ErrorCode.COORDINATOR_LOADING, "reads")
                            : new GroupResponse.OffsetsFetched(ErrorCode.NONE, List.of())));
          }
        });

    assertEquals(List.of(), get(client.committedOffsets("billing")));
    assertEquals(2, asked.get());
  }

  @Test
  void a_client_whose_actor_system_has_ended_says_so() {
    ActorTestKit ended = ActorTestKit.create("ended", FakeBroker.config(""));
    TidemarkClient late =
        new TidemarkClient(
            ended.system(), new ClusterNodes(ended.system(), List.of(broker.address())));
    ended.shutdownTestKit();

    assertTells(failureOf(IllegalStateException.class, late.reader(TOPIC, 0)), "'ended'");
  }
}
