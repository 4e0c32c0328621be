package io.tidemark.client;

import akka.Done;
import java.util.concurrent.CompletionStage;

/** Progress that can be committed. */
public interface Committable {

  /**
   * Tells the group that all before it is done. Completes when that is committed, or when the
   * partition went to another member meanwhile, which reads it again. Fails with {@link
   * GroupFailure} when the coordinator cannot be reached for a long time. {@link Committer} does
   * this in batches.
   */
  CompletionStage<Done> commit();
}
