package io.tidemark.client;

import akka.actor.typed.ActorRef;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Writes records to one topic. Thread-safe. Records of one partition are written in the order in
 * which one thread sent them, each once, through retries and any change of leader.
 */
public final class Producer {
  private final ActorRef<ProducerActor.Command> actor;

  Producer(ActorRef<ProducerActor.Command> actor) {
    this.actor = actor;
  }

  /**
   * Completes when as much holds as the settings' acks ask for, or fails with a {@link
   * ProducerFailure} that says whether the record may have been written.
   */
  public CompletionStage<RecordMetadata> send(ProducerRecord record) {
    CompletableFuture<RecordMetadata> result = new CompletableFuture<>();
    actor.tell(new ProducerActor.Send(record, result));
    return result;
  }

  /** Completes when all that was sent before it is acknowledged or has failed. */
  public CompletionStage<Void> flush() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    actor.tell(new ProducerActor.Flush(done));
    return done;
  }

  /** Flushes, then ends. What is sent later fails. */
  public CompletionStage<Void> close() {
    return flush().thenRun(() -> actor.tell(new ProducerActor.Close()));
  }
}
