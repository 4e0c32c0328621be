package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import akka.persistence.query.EventEnvelope;
import akka.persistence.query.PersistenceQuery;
import akka.stream.javadsl.Sink;
import akka.stream.javadsl.SinkQueueWithCancel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SegmentReadJournalTest {
  private ActorTestKit kit;
  private SegmentReadJournal.Java queries;

  @BeforeEach
  void start() {
    kit = ActorTestKit.create(TestConfig.withJournal("each-commit"));
    queries =
        PersistenceQuery.get(kit.system())
            .getReadJournalFor(SegmentReadJournal.Java.class, SegmentReadJournal.IDENTIFIER);
  }

  @AfterEach
  void stop() {
    kit.shutdownTestKit();
  }

  private ActorRef<Counter.Command> counter(String id) {
    return kit.spawn(Counter.create(id, "tidemark.journal.each-commit"));
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

  @Test
  void current_events_come_in_order_within_their_bounds_and_end() throws Exception {
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

  @Test
  void live_events_follow_the_writer() throws Exception {
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

  @Test
  void ids_are_listed_and_new_ones_appear() throws Exception {
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

  @Test
  void the_scala_queries_are_the_same() throws Exception {
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

  @Test
  void the_event_reader_gives_the_serializers_bytes_from_the_wanted_entry_on() throws Exception {
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
}
