package io.tidemark.client;

import akka.actor.typed.ActorRef;
import io.tidemark.wire.BrokerMessage;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;

/** Asks again, and other brokers, until there is an answer that will do or time is up. */
final class Asking {
  private static final long PAUSE_MS = 50;

  /** One that is silent leaves time for others. */
  private static final int LEAST_ATTEMPTS = 3;

  private static final Executor LATER =
      CompletableFuture.delayedExecutor(PAUSE_MS, TimeUnit.MILLISECONDS);

  private final ClusterNodes nodes;
  private final Duration limit;

  /**
   * @param limit with one question, all its repetitions together
   */
  Asking(ClusterNodes nodes, Duration limit) {
    this.nodes = nodes;
    this.limit = limit;
  }

  /**
   * One broker after the other, only for what may be asked more than once. Fails with {@link
   * Unanswered} when none answers.
   *
   * @param patience with each
   * @param isFinal whether an answer will do; the last one is handed on when time is up
   */
  <T> CompletionStage<T> any(
      Class<T> answer,
      Function<ActorRef<T>, BrokerMessage> question,
      Duration patience,
      Predicate<T> isFinal) {
    long until = System.nanoTime() + limit.toNanos();
    return again(left -> nodes.askAny(answer, question, least(patience, left)), isFinal, until)
        .exceptionallyCompose(failure -> CompletableFuture.failedStage(told(cause(failure))));
  }

  static Duration least(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private Throwable told(Throwable failure) {
    return failure instanceof Unanswered
        ? new Unanswered(
            "no broker answered within %s, asked were %s; check that they run and can be reached, and that most voters do"
                .formatted(limit, nodes.bootstrap()))
        : failure;
  }

  /**
   * Until it has an answer that is final, or fails otherwise than with {@link Unanswered}.
   *
   * @param attempt is given how long it may take
   */
  <T> CompletionStage<T> untilFinal(
      Function<Duration, CompletionStage<T>> attempt, Predicate<T> isFinal) {
    return again(attempt, isFinal, System.nanoTime() + limit.toNanos());
  }

  private <T> CompletionStage<T> again(
      Function<Duration, CompletionStage<T>> attempt, Predicate<T> isFinal, long until) {
    Duration left = Duration.ofNanos(Math.max(1, until - System.nanoTime()));
    return attempt
        .apply(least(limit.dividedBy(LEAST_ATTEMPTS), left))
        .<CompletionStage<T>>handle(
            (answer, failure) -> {
              boolean isDone =
                  failure == null ? isFinal.test(answer) : !(cause(failure) instanceof Unanswered);
              boolean isLate = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PAUSE_MS) >= until;
              if (!isDone && !isLate) {
                return CompletableFuture.supplyAsync(() -> null, LATER)
                    .thenCompose(paused -> again(attempt, isFinal, until));
              }
              return failure == null
                  ? CompletableFuture.completedStage(answer)
                  : CompletableFuture.failedStage(cause(failure));
            })
        .thenCompose(Function.identity());
  }

  static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  /** The same failure, but silence as what the caller is to see. */
  static <T> CompletionStage<T> orFail(
      CompletionStage<T> stage, Function<String, RuntimeException> failure) {
    return stage.exceptionallyCompose(
        thrown ->
            CompletableFuture.failedStage(
                cause(thrown) instanceof Unanswered silence
                    ? failure.apply(silence.getMessage())
                    : cause(thrown)));
  }
}
