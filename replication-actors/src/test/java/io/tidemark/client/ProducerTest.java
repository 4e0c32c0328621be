package io.tidemark.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.Done;
import akka.actor.CoordinatedShutdown;
import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.stream.ActorAttributes;
import akka.stream.Supervision;
import akka.stream.javadsl.Keep;
import akka.stream.javadsl.Sink;
import akka.stream.javadsl.Source;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.record.Record;
import io.tidemark.serialization.SerializationFailure;
import io.tidemark.serialization.Serializer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ProducerTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Two such records fit into the memory of a small producer, and three do not. */
  private static final String LARGE = "x".repeat(350);

  private ActorTestKit kit;
  private FakeBroker broker;
  private ProducerSettings<String, String> settings;

  @BeforeEach
  void start() {
    kit = ActorTestKit.create("client", FakeBroker.config(""));
    broker = new FakeBroker(kit.system(), 1);
    settings =
        ProducerSettings.create(
            broker.client(kit.system()), Serializer.string(), Serializer.string());
  }

  @AfterEach
  void stop() {
    broker.release();
    kit.shutdownTestKit();
  }

  private static ProducerRecord<String, String> record(String value) {
    return new ProducerRecord<>("orders", "customer", value);
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  private static <T extends Throwable> T failureOf(Class<T> type, CompletionStage<?> stage) {
    return assertInstanceOf(
        type, assertThrows(ExecutionException.class, () -> get(stage)).getCause());
  }

  private void await(Runnable assertion) {
    kit.createTestProbe()
        .awaitAssert(
            PATIENCE,
            () -> {
              assertion.run();
              return null;
            });
  }

  private ProducerSettings<String, String> small() {
    return settings.withBatchSize(1_024).withBufferMemory(1_024);
  }

  /** Numbered, as long as LARGE at least. */
  private static List<String> large(int count) {
    return IntStream.range(0, count).mapToObj(i -> i + " " + LARGE).toList();
  }

  @Test
  void a_record_is_written_with_key_headers_and_time_and_its_sender_told_where() throws Exception {
    Producer<String, String> producer = Producer.create(settings);
    ProducerRecord<String, String> record =
        new ProducerRecord<>("orders", 0, 17, "customer", "tea", List.of());

    RecordMetadata first = get(producer.send(record("a cake")));
    RecordMetadata second =
        get(producer.send(record.withHeader("trace", StandardCharsets.UTF_8.encode("abc"))));

    assertEquals(new RecordMetadata("orders", 0, 0), first);
    assertEquals(new RecordMetadata("orders", 0, 1), second);
    Record written = broker.written().get(1);
    assertEquals(17, written.timestamp());
    assertEquals(StandardCharsets.UTF_8.encode("customer"), written.key());
    assertEquals("trace", written.headers().get(0).key());
    assertEquals(StandardCharsets.UTF_8.encode("abc"), written.headers().get(0).value());
  }

  @Test
  void a_flow_passes_on_what_was_written_in_its_order_with_what_travels_beside_it()
      throws Exception {
    List<ProducerMessage.Result<String, String, Integer>> results =
        get(
            Source.range(0, 99)
                .map(i -> new ProducerMessage<>(record("order " + i), i))
                .via(Producer.flow(settings))
                .runWith(Sink.seq(), kit.system()));

    assertEquals(IntStream.range(0, 100).boxed().toList(), passedThrough(results));
    for (int i = 0; i < 100; i++) {
      assertEquals(new RecordMetadata("orders", 0, i), results.get(i).metadata());
    }
  }

  private static <P> List<P> passedThrough(
      List<ProducerMessage.Result<String, String, P>> results) {
    return results.stream().map(ProducerMessage.Result::passThrough).toList();
  }

  @Test
  void a_plain_sink_is_done_when_all_is_written() throws Exception {
    broker.hold();
    CompletionStage<?> done =
        Source.from(List.of("tea", "cake"))
            .map(ProducerTest::record)
            .runWith(Producer.plainSink(settings), kit.system());
    await(() -> assertTrue(broker.unanswered() > 0));
    assertFalse(done.toCompletableFuture().isDone());

    broker.release();

    get(done);
    assertEquals(List.of("tea", "cake"), broker.values());
  }

  @Test
  void a_flow_waits_while_the_memory_is_full() throws Exception {
    broker.hold();
    CompletionStage<?> done =
        Source.from(large(20))
            .map(ProducerTest::record)
            .runWith(Producer.plainSink(small()), kit.system());
    await(() -> assertTrue(broker.unanswered() > 0));

    broker.release();

    get(done);
    assertEquals(large(20), broker.values());
    assertTrue(broker.mostUnanswered() <= 2, "unanswered: " + broker.mostUnanswered());
  }

  @Test
  void a_send_fails_at_once_while_the_memory_is_full_and_room_comes_back() throws Exception {
    Producer<String, String> producer = Producer.create(small());
    broker.hold();
    List<CompletionStage<RecordMetadata>> fitting =
        List.of(producer.send(record(LARGE)), producer.send(record(LARGE)));

    BufferExhausted refused = failureOf(BufferExhausted.class, producer.send(record(LARGE)));
    broker.release();

    assertFalse(refused.mayBeWritten());
    assertTrue(refused.getMessage().contains("buffer-memory, 1024 bytes"), refused.getMessage());
    for (CompletionStage<RecordMetadata> each : fitting) {
      get(each);
    }
    get(producer.send(record(LARGE)));
    assertEquals(3, broker.values().size());
  }

  @Test
  void a_record_larger_than_all_of_the_memory_fails_a_flow_instead_of_waiting_for_ever() {
    CompletionStage<?> done =
        Source.single("x".repeat(2_000))
            .map(ProducerTest::record)
            .runWith(Producer.plainSink(small()), kit.system());

    ProducerFailure failure = failureOf(ProducerFailure.class, done);
    assertEquals(ErrorCode.RECORD_TOO_LARGE, failure.error());
    assertTrue(failure.getMessage().contains("buffer-memory is 1024"), failure.getMessage());
  }

  @Test
  void a_record_that_is_refused_fails_the_stream_and_tells_which_and_why() {
    CompletionStage<?> done =
        Source.from(List.of("tea", "x".repeat(5_000)))
            .map(ProducerTest::record)
            .runWith(Producer.plainSink(settings), kit.system());

    ProducerFailure failure = failureOf(ProducerFailure.class, done);
    assertEquals(ErrorCode.RECORD_TOO_LARGE, failure.error());
    assertEquals("orders", failure.topic());
    assertEquals(0, failure.partition());
    assertFalse(failure.mayBeWritten());
  }

  @Test
  void a_stream_that_resumes_goes_on_without_what_failed() throws Exception {
    List<Throwable> failures = new ArrayList<>();
    var supervised =
        ActorAttributes.withSupervisionStrategy(
            failure -> {
              failures.add(failure);
              return Supervision.resume();
            });

    List<ProducerMessage.Result<String, String, Integer>> results =
        get(
            Source.from(List.of("tea", "x".repeat(5_000), "\ud800", "cake"))
                .zipWithIndex()
                .map(it -> new ProducerMessage<>(record(it.first()), it.second().intValue()))
                .via(Producer.flow(settings))
                .withAttributes(supervised)
                .runWith(Sink.seq(), kit.system()));

    assertEquals(List.of(0, 3), passedThrough(results));
    assertEquals(2, failures.size());
    assertEquals(List.of("tea", "cake"), broker.values());
  }

  @Test
  void what_cannot_be_serialized_fails_as_a_stage_does_and_nothing_is_thrown() throws Exception {
    Producer<String, String> producer = Producer.create(settings);

    SerializationFailure failure =
        failureOf(SerializationFailure.class, producer.send(record("\ud800")));

    assertEquals("orders", failure.topic());
    failureOf(NullPointerException.class, producer.send(null));
    get(producer.send(record(null)));
    assertEquals(null, broker.written().get(0).value());
  }

  @Test
  void closing_waits_for_what_was_sent_and_refuses_what_comes_later() throws Exception {
    Producer<String, String> producer =
        Producer.create(settings.withLinger(Duration.ofSeconds(60)));
    broker.hold();
    CompletionStage<RecordMetadata> before = producer.send(record("before"));

    CompletionStage<?> closed = producer.close();
    ProducerFailure late = failureOf(ProducerFailure.class, producer.send(record("after")));
    await(() -> assertEquals(1, broker.unanswered()));
    assertFalse(closed.toCompletableFuture().isDone());
    broker.release();

    get(closed);
    assertTrue(before.toCompletableFuture().isDone());
    assertEquals(0, get(before).offset());
    assertTrue(late.getMessage().contains("closed"), late.getMessage());
    assertFalse(late.mayBeWritten());
  }

  @Test
  void closing_while_others_send_settles_every_record() throws Exception {
    Producer<String, String> producer = Producer.create(settings);
    List<CompletionStage<RecordMetadata>> results = new ArrayList<>();
    CompletableFuture<Void> half = new CompletableFuture<>();
    Thread sender =
        new Thread(
            () -> {
              for (int i = 0; i < 20_000; i++) {
                results.add(producer.send(record("order " + i)));
                if (i == 1_000) {
                  half.complete(null);
                }
              }
            });
    sender.start();
    get(half);

    get(producer.close());
    sender.join();

    int acknowledged = 0;
    for (CompletionStage<RecordMetadata> result : results) {
      boolean failed = get(result.handle((written, failure) -> failure != null));
      acknowledged += failed ? 0 : 1;
    }
    assertTrue(acknowledged > 1_000, "acknowledged: " + acknowledged);
    assertEquals(acknowledged, broker.values().size());
  }

  @Test
  void the_system_s_shutdown_waits_for_what_is_on_its_way() throws Exception {
    Producer<String, String> producer =
        Producer.create(settings.withLinger(Duration.ofSeconds(60)));
    CompletionStage<RecordMetadata> written = producer.send(record("before"));

    CoordinatedShutdown.get(kit.system())
        .run(CoordinatedShutdown.unknownReason(), Optional.of("service-stop"));

    assertEquals(0, get(written).offset());
  }

  @Test
  void a_system_that_ends_at_once_tells_that_the_outcome_is_open() throws Exception {
    Producer<String, String> producer = Producer.create(settings);
    broker.hold();
    CompletionStage<RecordMetadata> sent = producer.send(record("before"));
    await(() -> assertEquals(1, broker.unanswered()));

    kit.shutdownTestKit();

    assertTrue(failureOf(ProducerFailure.class, sent).mayBeWritten());
    failureOf(ProducerFailure.class, producer.send(record("after")));
  }

  @Test
  void a_stream_that_fails_still_writes_what_it_has_taken() {
    broker.hold();
    var stream =
        Source.<String>maybe()
            .prepend(Source.single("tea"))
            .map(ProducerTest::record)
            .toMat(Producer.plainSink(settings), Keep.both())
            .run(kit.system());
    await(() -> assertEquals(1, broker.unanswered()));

    stream.first().completeExceptionally(new IllegalStateException("on purpose"));
    failureOf(IllegalStateException.class, stream.second());
    broker.release();

    await(() -> assertEquals(List.of("tea"), broker.values()));
  }

  @Test
  void an_actor_answers_each_command_and_writes_what_it_took_before_it_stopped() {
    var actor =
        kit.spawn(ProducerBehavior.create(settings.withLinger(Duration.ofSeconds(60))), "orders");
    TestProbe<ProducerBehavior.Reply> replies = kit.createTestProbe();
    TestProbe<ProducerBehavior.Reply> refusals = kit.createTestProbe();
    TestProbe<Done> flushes = kit.createTestProbe();
    ProducerRecord<String, String> tea = record("tea");
    ProducerRecord<String, String> huge = record("x".repeat(5_000));

    actor.tell(new ProducerBehavior.Send<>(tea, replies.getRef()));
    actor.tell(new ProducerBehavior.Flush<>(flushes.getRef()));
    actor.tell(new ProducerBehavior.Send<>(huge, refusals.getRef()));

    ProducerBehavior.Sent sent = replies.expectMessageClass(ProducerBehavior.Sent.class, PATIENCE);
    assertEquals(tea, sent.record());
    assertEquals(0, sent.metadata().offset());
    ProducerBehavior.Failed failed =
        refusals.expectMessageClass(ProducerBehavior.Failed.class, PATIENCE);
    assertEquals(huge, failed.record());
    assertInstanceOf(ProducerFailure.class, failed.cause());
    flushes.receiveMessage(PATIENCE);

    actor.tell(new ProducerBehavior.Send<>(record("cake"), replies.getRef()));
    actor.tell(new ProducerBehavior.Send<>(huge, refusals.getRef()));
    // Its answer tells that the one before was taken: a stop overtakes what is not.
    refusals.expectMessageClass(ProducerBehavior.Failed.class, PATIENCE);
    kit.stop(actor, PATIENCE);

    assertEquals(
        1, replies.expectMessageClass(ProducerBehavior.Sent.class, PATIENCE).metadata().offset());
  }
}
