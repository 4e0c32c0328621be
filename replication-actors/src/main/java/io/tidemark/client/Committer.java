package io.tidemark.client;

import akka.Done;
import akka.NotUsed;
import akka.stream.javadsl.Flow;
import akka.stream.javadsl.Keep;
import akka.stream.javadsl.Sink;
import java.util.concurrent.CompletionStage;

/**
 * Commits offsets in batches, each when the one before it is committed. At least once: what is not
 * committed when something fails is read again.
 */
public final class Committer {
  private Committer() {}

  /** Emits each batch when it is committed. */
  public static Flow<CommittableOffset, CommittableOffsetBatch, NotUsed> batchFlow(
      CommitterSettings settings) {
    return Flow.<CommittableOffset>create()
        .groupedWithin(settings.maxBatch(), settings.maxInterval())
        .map(CommittableOffsetBatch::of)
        .mapAsync(1, batch -> batch.commit().thenApply(done -> batch));
  }

  /** Emits once for each batch that is committed. */
  public static Flow<CommittableOffset, Done, NotUsed> flow(CommitterSettings settings) {
    return batchFlow(settings).map(batch -> Done.getInstance());
  }

  /** Completes when all is committed, and fails with the first commit that fails. */
  public static Sink<CommittableOffset, CompletionStage<Done>> sink(CommitterSettings settings) {
    return flow(settings).toMat(Sink.ignore(), Keep.right());
  }
}
