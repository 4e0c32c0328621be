package io.tidemark.projection;

import static io.tidemark.projection.Database.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.Props;
import akka.projection.MergeableOffset;
import akka.projection.Projection;
import akka.projection.ProjectionBehavior;
import akka.projection.ProjectionId;
import akka.projection.javadsl.ProjectionManagement;
import akka.projection.jdbc.javadsl.JdbcHandler;
import akka.projection.jdbc.javadsl.JdbcProjection;
import akka.stream.javadsl.Sink;
import io.tidemark.client.ConsumerRecord;
import io.tidemark.client.ConsumerSettings;
import io.tidemark.client.LogTruncated;
import io.tidemark.client.OffsetOutOfRange;
import io.tidemark.client.Producer;
import io.tidemark.client.ProducerRecord;
import io.tidemark.client.ProducerSettings;
import io.tidemark.client.TopicPartition;
import io.tidemark.serialization.Deserializer;
import io.tidemark.serialization.Serializer;
import io.tidemark.testkit.TidemarkTestKit;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class TidemarkSourceProviderTest {
  @RegisterExtension private static final TidemarkTestKit TIDEMARK = Database.singleNode();

  private static final Database DATABASE = new Database();

  /** Each record that is handled is a row, so that what is handled twice is there twice. */
  private static final String READ_MODEL =
      "CREATE TABLE handled (id BIGINT GENERATED ALWAYS AS IDENTITY, topic VARCHAR, content VARCHAR)";

  private static ActorSystem<Void> system;

  @BeforeAll
  static void createTables() throws Exception {
    system = TIDEMARK.system();
    DATABASE.createTables(system, READ_MODEL);
  }

  @AfterAll
  static void closeDatabase() throws Exception {
    DATABASE.close();
  }

  private static void handle(Session session, ConsumerRecord<String, String> record)
      throws Exception {
    session.withConnection(
        connection -> {
          try (PreparedStatement insert =
              connection.prepareStatement("INSERT INTO handled (topic, content) VALUES (?, ?)")) {
            insert.setString(1, record.topic());
            insert.setString(2, record.value());
            return insert.executeUpdate();
          }
        });
  }

  private static final class One extends JdbcHandler<ConsumerRecord<String, String>, Session> {
    @Override
    public void process(Session session, ConsumerRecord<String, String> record) throws Exception {
      handle(session, record);
    }
  }

  /** Fails after all its writes when it is used the first times. */
  private static final class Group
      extends JdbcHandler<List<ConsumerRecord<String, String>>, Session> {
    private final AtomicInteger failures;

    Group(AtomicInteger failures) {
      this.failures = failures;
    }

    @Override
    public void process(Session session, List<ConsumerRecord<String, String>> records)
        throws Exception {
      for (ConsumerRecord<String, String> record : records) {
        handle(session, record);
      }
      if (failures.getAndDecrement() > 0) {
        throw new IllegalStateException("meant to fail");
      }
    }
  }

  private static TopicPartition first(String topic) {
    return new TopicPartition(topic, 0);
  }

  private static ProjectionId id(String topic) {
    return ProjectionId.of("test", first(topic).toString());
  }

  private static TidemarkSourceProvider<String, String> provider(String topic) {
    return TidemarkSourceProvider.create(
        ConsumerSettings.create(TIDEMARK.client(), Deserializer.string(), Deserializer.string()),
        first(topic));
  }

  private static ActorRef<ProjectionBehavior.Command> run(Projection<?> projection) {
    return system.systemActorOf(
        ProjectionBehavior.create(projection), "test-" + UUID.randomUUID(), Props.empty());
  }

  private static ActorRef<ProjectionBehavior.Command> runOneByOne(String topic) {
    return run(
        JdbcProjection.exactlyOnce(
            id(topic), provider(topic), DATABASE::session, One::new, system));
  }

  private static void write(String topic, int from, int to) throws Exception {
    Producer<String, String> producer =
        Producer.create(
            ProducerSettings.create(TIDEMARK.client(), Serializer.string(), Serializer.string()));
    for (int i = from; i < to; i++) {
      producer.send(new ProducerRecord<>(topic, 0, null, Integer.toString(i)));
    }
    await(producer.close());
  }

  private static List<String> numbers(int from, int to) {
    return IntStream.range(from, to).mapToObj(Integer::toString).toList();
  }

  private static List<String> awaitHandled(String topic, int count) throws Exception {
    return DATABASE.await(
        "SELECT content FROM handled WHERE topic = '" + topic + "' ORDER BY id",
        rows -> rows.size() >= count);
  }

  private static String stored(String topic) throws Exception {
    return DATABASE
        .rows(
            "SELECT \"current_offset\" FROM \"akka_projection_offset_store\" WHERE"
                + " \"projection_name\" = 'test' AND \"projection_key\" = '"
                + first(topic)
                + "'")
        .get(0);
  }

  /** The first record for a projection with this offset. */
  private static ConsumerRecord<String, String> read(
      String topic, Optional<MergeableOffset<String>> stored) throws Exception {
    return await(
        provider(topic)
            .source(() -> CompletableFuture.completedStage(stored))
            .thenCompose(source -> source.runWith(Sink.head(), system)));
  }

  private static ConsumerRecord<String, String> readBehind(String topic, long offset, int epoch)
      throws Exception {
    return read(topic, Optional.of(TidemarkSourceProvider.offset(first(topic), offset, epoch)));
  }

  private static <T> T failure(Class<T> type, String topic, long offset, int epoch) {
    ExecutionException thrown =
        assertThrows(ExecutionException.class, () -> readBehind(topic, offset, epoch));
    return assertInstanceOf(type, thrown.getCause());
  }

  @Test
  void a_projection_goes_on_behind_what_it_has_stored() throws Exception {
    TIDEMARK.createTopic("resumed", 1);
    write("resumed", 0, 10);
    ActorRef<ProjectionBehavior.Command> projection = runOneByOne("resumed");
    awaitHandled("resumed", 10);
    projection.tell(ProjectionBehavior.stopMessage());
    String epoch = Integer.toString(read("resumed", Optional.empty()).leaderEpoch());
    assertEquals("9@" + epoch, stored("resumed"));

    write("resumed", 10, 20);
    runOneByOne("resumed");

    assertEquals(numbers(0, 20), awaitHandled("resumed", 20));
  }

  @Test
  void a_group_whose_handler_fails_after_its_writes_is_handled_once() throws Exception {
    TIDEMARK.createTopic("grouped", 1);
    write("grouped", 0, 50);
    AtomicInteger failures = new AtomicInteger(3);

    run(
        JdbcProjection.groupedWithin(
                id("grouped"),
                provider("grouped"),
                DATABASE::session,
                () -> new Group(failures),
                system)
            .withGroup(7, Duration.ofMillis(50)));

    assertEquals(numbers(0, 50), awaitHandled("grouped", 50));
    assertTrue(failures.get() < 0);
  }

  @Test
  void what_an_operator_stores_or_clears_is_where_a_projection_goes_on() throws Exception {
    TIDEMARK.createTopic("managed", 1);
    write("managed", 0, 10);
    runOneByOne("managed");
    awaitHandled("managed", 10);
    ProjectionManagement management = ProjectionManagement.get(system);

    await(
        management.updateOffset(
            id("managed"), TidemarkSourceProvider.offset(first("managed"), 6, -1)));
    awaitHandled("managed", 13);
    await(management.clearOffset(id("managed")));

    List<String> expected =
        Stream.of(numbers(0, 10), numbers(7, 10), numbers(0, 10)).flatMap(List::stream).toList();
    assertEquals(expected, awaitHandled("managed", 23));
  }

  @Test
  void a_record_that_another_leader_has_replaced_is_noticed_by_its_epoch() throws Exception {
    TIDEMARK.createTopic("replaced", 1);
    write("replaced", 0, 3);
    int epoch = read("replaced", Optional.empty()).leaderEpoch();
    TIDEMARK.kill(1);
    TIDEMARK.restart(1);
    write("replaced", 3, 6);

    ConsumerRecord<String, String> firstOfTheNext = readBehind("replaced", 2, epoch);
    assertEquals("3", firstOfTheNext.value());
    assertTrue(firstOfTheNext.leaderEpoch() > epoch);
    assertEquals("5", readBehind("replaced", 4, firstOfTheNext.leaderEpoch()).value());
    assertEquals("5", readBehind("replaced", 4, -1).value());
    assertEquals(3, failure(LogTruncated.class, "replaced", 4, epoch).divergesAt());
  }

  @Test
  void records_that_are_gone_are_a_failure_and_no_gap() throws Exception {
    TIDEMARK.createTopic("gone", 1);
    write("gone", 0, 10);
    await(TIDEMARK.client().deleteRecords("gone", 0, 8));

    assertEquals("8", read("gone", Optional.empty()).value());
    assertEquals("8", readBehind("gone", 7, -1).value());
    assertEquals(4, failure(OffsetOutOfRange.class, "gone", 3, -1).offset());
  }

  @Test
  void the_time_of_a_record_is_its_timestamp() throws Exception {
    TIDEMARK.createTopic("timed", 1);
    write("timed", 0, 1);

    ConsumerRecord<String, String> record = read("timed", Optional.empty());

    assertEquals(record.timestamp(), provider("timed").extractCreationTime(record));
  }
}
