package io.tidemark.client;

import akka.Done;
import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.javadsl.Behaviors;

/**
 * A producer as an actor: each command is answered. Commands of one sender are written in their
 * order. When it stops, what it has taken is still written, and answered.
 */
public final class ProducerBehavior {

  /** What it is told. */
  public sealed interface Command<K, V> {}

  /** Write a record. Answered when it is acknowledged, or will never be. */
  public record Send<K, V>(ProducerRecord<K, V> record, ActorRef<? super Reply> replyTo)
      implements Command<K, V> {}

  /** Do not wait for more records. Answered when all that came before it is answered. */
  public record Flush<K, V>(ActorRef<? super Done> replyTo) implements Command<K, V> {}

  /** What became of a record. */
  public sealed interface Reply {
    /** The very one that was sent. */
    ProducerRecord<?, ?> record();
  }

  /** As much holds as the settings' acks ask for. */
  public record Sent(ProducerRecord<?, ?> record, RecordMetadata metadata) implements Reply {}

  /**
   * It was not acknowledged.
   *
   * @param cause a {@link ProducerFailure}, which says whether it may have been written, or a
   *     {@link io.tidemark.serialization.SerializationFailure}
   */
  public record Failed(ProducerRecord<?, ?> record, Throwable cause) implements Reply {}

  private ProducerBehavior() {}

  public static <K, V> Behavior<Command<K, V>> create(ProducerSettings<K, V> settings) {
    return Behaviors.setup(
        context -> {
          Producer<K, V> producer = Producer.create(settings);
          return Behaviors.receive(
              (same, command) -> {
                perform(producer, command);
                return Behaviors.same();
              },
              (same, signal) -> {
                if (signal instanceof PostStop) {
                  producer.close();
                }
                return Behaviors.same();
              });
        });
  }

  private static <K, V> void perform(Producer<K, V> producer, Command<K, V> command) {
    if (command instanceof Send<K, V> send) {
      ProducerRecord<K, V> record = send.record();
      producer
          .send(record)
          .whenComplete(
              (metadata, failure) ->
                  send.replyTo()
                      .tell(
                          failure == null
                              ? new Sent(record, metadata)
                              : new Failed(record, failure)));
    } else if (command instanceof Flush<K, V> flush) {
      producer.flush().thenAccept(flush.replyTo()::tell);
    }
  }
}
