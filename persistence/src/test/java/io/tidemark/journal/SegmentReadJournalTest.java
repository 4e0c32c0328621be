package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import akka.persistence.query.EventEnvelope;
import akka.persistence.query.PersistenceQuery;
import akka.stream.Attributes;
import akka.stream.javadsl.Sink;
import akka.stream.javadsl.SinkQueueWithCancel;
import com.typesafe.config.ConfigFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SegmentReadJournalTest {
  private ActorTestKit kit;
  private String policy;
  private SegmentReadJournal.Java queries;

  private void start(String policy) {
    this.policy = policy;
    kit =
        ActorTestKit.create(
            ConfigFactory.parseString(
                    "tidemark.storage.segment { initial-size = 8K, max-size = 8K }")
                .withFallback(TestConfig.withJournal(policy)));
    queries =
        PersistenceQuery.get(kit.system())
            .getReadJournalFor(SegmentReadJournal.Java.class, SegmentReadJournal.IDENTIFIER);
  }

  @AfterEach
  void stop() {
    if (kit != null) {
      kit.shutdownTestKit();
    }
  }

  private ActorRef<Counter.Command> counter(String id) {
    return kit.spawn(Counter.create(id, "tidemark.journal." + policy));
  }

  private void add(ActorRef<Counter.Command> counter, String... texts) {
    TestProbe<Long> probe = kit.createTestProbe();
    for (String text : texts) {
      counter.tell(new Counter.Add(text, probe.ref()));
      probe.receiveMessage();
    }
  }

  private static String[] texts(int from, int to) {
    return IntStream.rangeClosed(from, to).mapToObj(i -> "v" + i).toArray(String[]::new);
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"each-commit", "os"})
  void current_events_come_in_order_within_their_bounds_and_end(String flushPolicy)
      throws Exception {
    start(flushPolicy);
    add(counter("a"), texts(1, 600));

    List<EventEnvelope> all =
        get(
            queries
                .currentEventsByPersistenceId("a", 0, Long.MAX_VALUE)
                .runWith(Sink.seq(), kit.system()));
    List<Object> some =
        get(
            queries
                .currentEventsByPersistenceId("a", 300, 303)
                .map(EventEnvelope::event)
                .runWith(Sink.seq(), kit.system()));

    assertEquals(List.of(texts(1, 600)), all.stream().map(EventEnvelope::event).toList());
    assertEquals(600, all.get(599).sequenceNr());
    assertTrue(all.get(0).timestamp() > 0);
    assertEquals(List.of("v300", "v301", "v302", "v303"), some);
    assertEquals(
        List.of(),
        get(
            queries
                .currentEventsByPersistenceId("nobody", 0, Long.MAX_VALUE)
                .runWith(Sink.seq(), kit.system())));
  }

  @ParameterizedTest
  @ValueSource(strings = {"each-commit", "os"})
  void live_events_follow_the_writer(String flushPolicy) throws Exception {
    start(flushPolicy);
    SinkQueueWithCancel<EventEnvelope> live =
        queries.eventsByPersistenceId("a", 0, 5).runWith(Sink.queue(), kit.system());
    ActorRef<Counter.Command> counter = counter("a");

    for (int i = 1; i <= 5; i++) {
      CompletionStage<Optional<EventEnvelope>> next = live.pull();
      add(counter, "v" + i);
      assertEquals("v" + i, get(next).orElseThrow().event());
    }

    assertTrue(get(live.pull()).isEmpty());
  }

  @ParameterizedTest
  @ValueSource(strings = {"each-commit", "os"})
  void ids_are_listed_and_new_ones_appear(String flushPolicy) throws Exception {
    start(flushPolicy);
    add(counter("a"), "one");
    SinkQueueWithCancel<String> live = queries.persistenceIds().runWith(Sink.queue(), kit.system());
    assertEquals("a", get(live.pull()).orElseThrow());

    add(counter("B/ä"), "one");

    assertEquals("B/ä", get(live.pull()).orElseThrow());
    assertEquals(
        Set.of("a", "B/ä"),
        Set.copyOf(get(queries.currentPersistenceIds().runWith(Sink.seq(), kit.system()))));
    live.cancel();
  }

  @ParameterizedTest
  @ValueSource(strings = {"each-commit", "os"})
  void the_scala_queries_are_the_same(String flushPolicy) throws Exception {
    start(flushPolicy);
    add(counter("a"), "one", "two");
    SegmentReadJournal.Scala scala =
        PersistenceQuery.get(kit.system().classicSystem())
            .readJournalFor(SegmentReadJournal.IDENTIFIER);

    List<Object> events =
        get(
            scala
                .currentEventsByPersistenceId("a", 0, 9)
                .asJava()
                .map(EventEnvelope::event)
                .runWith(Sink.seq(), kit.system()));

    assertEquals(List.of("one", "two"), events);
  }

  @ParameterizedTest
  @ValueSource(strings = {"each-commit", "os"})
  void the_event_reader_gives_the_serializers_bytes_from_the_wanted_entry_on(String flushPolicy)
      throws Exception {
    start(flushPolicy);
    add(counter("a"), texts(1, 10));
    List<String> read = new ArrayList<>();

    Storage.get(kit.system())
        .eventReader()
        .read(
            "a",
            4,
            (sequenceNr, payload) -> {
              read.add(sequenceNr + "=" + StandardCharsets.UTF_8.decode(payload));
              return sequenceNr < 6;
            });

    assertEquals(List.of("4=v4", "5=v5", "6=v6"), read);
  }

  private List<Long> currentNumbers(long from, long to) throws Exception {
    return get(
        queries
            .currentEventsByPersistenceId("a", from, to)
            .map(EventEnvelope::sequenceNr)
            .runWith(Sink.seq(), kit.system()));
  }

  private static List<Long> numbers(long from, long to) {
    return LongStream.rangeClosed(from, to).boxed().toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"each-commit", "os"})
  void bounds_are_kept_also_such_as_nothing_lies_between(String flushPolicy) throws Exception {
    start(flushPolicy);
    add(counter("a"), texts(1, 300));
    Storage.get(kit.system()).logs().log("a").deleteTo(100);

    assertEquals(numbers(101, 300), currentNumbers(-5, Long.MAX_VALUE));
    assertEquals(numbers(200, 200), currentNumbers(200, 200));
    assertEquals(List.of(), currentNumbers(200, 199));
    assertEquals(List.of(), currentNumbers(0, 0));
    assertEquals(List.of(), currentNumbers(1, 100));
    assertEquals(numbers(101, 101), currentNumbers(50, 101));
    assertEquals(List.of(), currentNumbers(301, Long.MAX_VALUE));
    // A live one ends too when nothing can come any more.
    assertEquals(
        List.of(),
        get(queries.eventsByPersistenceId("a", 1, 100).runWith(Sink.seq(), kit.system())));
    assertEquals(
        200,
        get(queries.eventsByPersistenceId("a", 1, 300).runWith(Sink.seq(), kit.system())).size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"each-commit", "os"})
  void current_events_end_where_the_log_ended_when_they_began(String flushPolicy) throws Exception {
    start(flushPolicy);
    ActorRef<Counter.Command> counter = counter("a");
    add(counter, texts(1, 600));
    SinkQueueWithCancel<EventEnvelope> current =
        queries
            .currentEventsByPersistenceId("a", 0, Long.MAX_VALUE)
            .runWith(Sink.queue(), kit.system());
    assertEquals(1, get(current.pull()).orElseThrow().sequenceNr());
    add(counter, texts(601, 700));

    long last = 1;
    for (Optional<EventEnvelope> next = get(current.pull());
        next.isPresent();
        next = get(current.pull())) {
      assertEquals(last + 1, next.get().sequenceNr());
      last = next.get().sequenceNr();
    }

    assertEquals(600, last);
  }

  @ParameterizedTest
  @ValueSource(strings = {"each-commit", "os"})
  void a_live_stream_follows_a_log_that_is_written_rolled_and_deleted(String flushPolicy)
      throws Exception {
    start(flushPolicy);
    int events = 1_200;
    CompletionStage<List<Long>> live =
        queries
            .eventsByPersistenceId("a", 0, events)
            .map(EventEnvelope::sequenceNr)
            .runWith(Sink.seq(), kit.system());
    ActorRef<Counter.Command> counter = counter("a");
    long deleted = 0;
    for (int from = 1; from <= events; from += 100) {
      add(counter, texts(from, from + 99));
      if (from % 300 == 201) {
        deleted = from;
        Storage.get(kit.system()).logs().log("a").deleteTo(deleted);
      }
    }

    List<Long> seen = get(live);

    for (int i = 1; i < seen.size(); i++) {
      assertTrue(seen.get(i) > seen.get(i - 1), seen::toString);
    }
    assertEquals(numbers(deleted + 1, events), seen.stream().filter(aboveOf(deleted)).toList());
    assertTrue(Storage.get(kit.system()).metrics().segments() > 1);
  }

  private static Predicate<Long> aboveOf(long deleted) {
    return sequenceNr -> sequenceNr > deleted;
  }

  @ParameterizedTest
  @ValueSource(strings = {"each-commit", "os"})
  void a_stream_that_is_cancelled_leaves_nothing_behind(String flushPolicy) throws Exception {
    start(flushPolicy);
    ActorRef<Counter.Command> counter = counter("a");
    add(counter, "one");
    SegmentLog log = Storage.get(kit.system()).logs().log("a");
    SinkQueueWithCancel<EventEnvelope> live =
        queries.eventsByPersistenceId("a", 0, Long.MAX_VALUE).runWith(Sink.queue(), kit.system());
    get(live.pull());
    assertEquals(1, log.listeners());

    live.cancel();

    kit.createTestProbe()
        .awaitAssert(
            () -> {
              assertEquals(0, log.listeners());
              return null;
            });
    add(counter, "two");
    assertEquals(numbers(1, 2), currentNumbers(1, Long.MAX_VALUE));
  }

  @ParameterizedTest
  @ValueSource(strings = {"each-commit", "os"})
  void a_reader_that_takes_nothing_is_not_read_for(String flushPolicy) throws Exception {
    start(flushPolicy);
    add(counter("a"), texts(1, 1_000));
    SinkQueueWithCancel<EventEnvelope> slow =
        queries
            .eventsByPersistenceId("a", 0, 1_000)
            .runWith(
                Sink.<EventEnvelope>queue().withAttributes(Attributes.inputBuffer(1, 1)),
                kit.system());
    for (long i = 1; i <= 3; i++) {
      assertEquals(i, get(slow.pull()).orElseThrow().sequenceNr());
    }
    // What it has not asked for is gone from the disk, but for the page that it is in.
    Storage.get(kit.system()).logs().log("a").deleteTo(900);

    List<Long> rest = new ArrayList<>();
    for (Optional<EventEnvelope> next = get(slow.pull());
        next.isPresent();
        next = get(slow.pull())) {
      rest.add(next.get().sequenceNr());
    }
    assertEquals(numbers(901, 1_000), rest.stream().filter(aboveOf(900)).toList());
    assertTrue(rest.size() < 500, "read ahead: " + rest.size());
  }

  @Test
  void a_long_log_is_read_in_a_small_heap() throws Exception {
    Path output = Files.createTempFile("read-journal", ".out");
    Process reader =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx72m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                LongLog.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();

    assertTrue(reader.waitFor(120, TimeUnit.SECONDS));
    assertEquals(0, reader.exitValue(), Files.readString(output));
    Files.delete(output);
  }

  /** Writes four times what the heap holds, and reads it back through a live stream. */
  static final class LongLog {
    private static final int EVENTS = 300;

    private LongLog() {}

    public static void main(String[] args) throws Exception {
      ActorTestKit kit = ActorTestKit.create(TestConfig.withJournal("os"));
      TestProbe<Long> probe = kit.createTestProbe();
      ActorRef<Counter.Command> counter = kit.spawn(Counter.create("a", "tidemark.journal.os"));
      String text = "x".repeat(1 << 20);
      for (int i = 0; i < EVENTS; i++) {
        counter.tell(new Counter.Add(text, probe.ref()));
        probe.receiveMessage();
      }
      long read =
          get(
              PersistenceQuery.get(kit.system())
                  .getReadJournalFor(SegmentReadJournal.Java.class, SegmentReadJournal.IDENTIFIER)
                  .eventsByPersistenceId("a", 0, EVENTS)
                  .filter(it -> it.event().equals(text))
                  .runWith(Sink.fold(0L, (count, it) -> count + 1), kit.system()));
      Runtime.getRuntime().halt(read == EVENTS ? 0 : 1);
    }
  }
}
