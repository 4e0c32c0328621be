package io.tidemark.client;

import akka.Done;
import akka.actor.typed.ActorRef;
import io.tidemark.protocol.CommittedOffset;
import io.tidemark.protocol.ErrorCode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * The way from an offset back to the consumer that read it.
 *
 * @param ended completes with the consumer
 */
record ConsumerHandle(
    ActorRef<ConsumerActor.Command> actor,
    CompletableFuture<Done> ended,
    ConsumerSettings<?, ?> settings) {
  /** What an answer takes beside the time that the consumer itself gives a commit. */
  private static final long MARGIN_MS = 5_000;

  CompletionStage<Done> commit(List<CommittedOffset> offsets) {
    CompletableFuture<Done> result = new CompletableFuture<>();
    if (ended.isDone()) {
      result.completeExceptionally(
          new GroupFailure(
              ErrorCode.REQUEST_TIMED_OUT,
              settings.groupId(),
              "the consumer has ended; commit before it does"));
      return result;
    }
    actor.tell(new ConsumerActor.Commit(offsets, result));
    return result.orTimeout(settings.commitTimeoutMs() + MARGIN_MS, TimeUnit.MILLISECONDS);
  }
}
