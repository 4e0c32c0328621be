package io.tidemark.cli.local;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for what the cluster answers. */
public final class Answers {
  private static final long ANSWER_SECONDS = 60;

  private Answers() {}

  /** The answer, or what went wrong. */
  public static <T> T await(CompletionStage<T> stage) throws Exception {
    try {
      return stage.toCompletableFuture().get(ANSWER_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() instanceof CompletionException c ? c.getCause() : e.getCause();
      throw cause instanceof Exception failure ? failure : e;
    } catch (TimeoutException e) {
      throw new IllegalStateException("no answer within " + ANSWER_SECONDS + " s", e);
    }
  }

  /** Waits a moment; whoever asked looks at the outcome itself. */
  public static void awaitQuietly(CompletableFuture<?> future, long millis)
      throws InterruptedException {
    try {
      future.get(millis, TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      return;
    }
  }
}
