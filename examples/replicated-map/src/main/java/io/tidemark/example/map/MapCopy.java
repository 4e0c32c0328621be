package io.tidemark.example.map;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.PreRestart;
import akka.actor.typed.SupervisorStrategy;
import akka.actor.typed.javadsl.AbstractBehavior;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import akka.actor.typed.javadsl.Receive;
import akka.pattern.StatusReply;
import akka.stream.javadsl.Keep;
import akka.stream.typed.javadsl.ActorSink;
import io.tidemark.client.Consumer;
import io.tidemark.client.ConsumerRecord;
import io.tidemark.client.ConsumerSettings;
import io.tidemark.client.ConsumerSettings.OffsetReset;
import io.tidemark.client.Subscriptions;
import io.tidemark.client.TidemarkClient;
import io.tidemark.client.TopicPartition;
import io.tidemark.serialization.Deserializer;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * One node's copy of the map. Every copy applies the same records in the same order, so those that
 * have come to the same offset are equal.
 */
final class MapCopy extends AbstractBehavior<MapCopy.Command> {
  /** Of reads that wait for a record. */
  static final int MAX_WAITING = 10_000;

  sealed interface Command {}

  /**
   * Answered with the key's value, empty for none.
   *
   * @param atLeast the copy has to have applied the record at this offset before; −1 for whatever
   *     it has
   */
  record Get(String key, long atLeast, ActorRef<StatusReply<Optional<String>>> replyTo)
      implements Command {}

  private record Started(ActorRef<Ack> source) implements Command {}

  private record Arrived(ActorRef<Ack> source, ConsumerRecord<String, String> record)
      implements Command {}

  private record Ended(Throwable failure) implements Command {}

  private enum Ack {
    NEXT
  }

  private final Consumer.Control source;
  private final Map<String, String> values = new HashMap<>();

  /** The next to be answered first. */
  private final PriorityQueue<Get> waiting =
      new PriorityQueue<>(Comparator.comparingLong(Get::atLeast));

  /** Of the last record that is in the map. */
  private long applied = -1;

  private MapCopy(ActorContext<Command> context, TidemarkClient tidemark) {
    super(context);
    this.source =
        // A copy must not skip a record: better none than one that differs.
        Consumer.plainSource(
                ConsumerSettings.create(tidemark, Deserializer.string(), Deserializer.string())
                    .withOffsetReset(OffsetReset.FAIL),
                Subscriptions.assignmentFromEarliest(new TopicPartition(ReplicatedMap.TOPIC, 0)))
            .toMat(
                ActorSink.<ConsumerRecord<String, String>, Command, Ack>actorRefWithBackpressure(
                    context.getSelf(),
                    Arrived::new,
                    Started::new,
                    Ack.NEXT,
                    new Ended(null),
                    Ended::new),
                Keep.left())
            .run(context.getSystem());
  }

  /** Begins anew, with an empty map, when its source fails. */
  static Behavior<Command> create(TidemarkClient tidemark) {
    return Behaviors.supervise(Behaviors.<Command>setup(context -> new MapCopy(context, tidemark)))
        .onFailure(
            SupervisorStrategy.restartWithBackoff(
                Duration.ofMillis(200), Duration.ofSeconds(10), 0.2));
  }

  @Override
  public Receive<Command> createReceive() {
    return newReceiveBuilder()
        .onMessage(Get.class, this::onGet)
        .onMessage(Started.class, started -> next(started.source()))
        .onMessage(Arrived.class, this::onArrived)
        .onMessage(Ended.class, this::onEnded)
        .onSignal(PreRestart.class, signal -> end())
        .onSignal(PostStop.class, signal -> end())
        .build();
  }

  private Behavior<Command> onGet(Get get) {
    if (get.atLeast() <= applied) {
      answer(get);
    } else if (waiting.size() < MAX_WAITING) {
      waiting.add(get);
    } else {
      get.replyTo()
          .tell(StatusReply.error(MAX_WAITING + " reads wait for records already; read later"));
    }
    return this;
  }

  private void answer(Get get) {
    get.replyTo().tell(StatusReply.success(Optional.ofNullable(values.get(get.key()))));
  }

  private Behavior<Command> onArrived(Arrived arrived) {
    apply(arrived.record());
    while (!waiting.isEmpty() && waiting.peek().atLeast() <= applied) {
      answer(waiting.remove());
    }
    return next(arrived.source());
  }

  private void apply(ConsumerRecord<String, String> record) {
    if (record.value() != null) {
      values.put(record.key(), record.value());
    } else {
      // Removed; or a mark, whose key is null and never in the map.
      values.remove(record.key());
    }
    applied = record.offset();
  }

  private Behavior<Command> next(ActorRef<Ack> from) {
    from.tell(Ack.NEXT);
    return this;
  }

  private Behavior<Command> onEnded(Ended ended) {
    throw new IllegalStateException("the map's records cannot be read", ended.failure());
  }

  private Behavior<Command> end() {
    source.shutdown();
    return this;
  }
}
