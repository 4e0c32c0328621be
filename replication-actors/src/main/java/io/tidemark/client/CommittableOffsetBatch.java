package io.tidemark.client;

import akka.Done;
import io.tidemark.protocol.CommittedOffset;
import io.tidemark.protocol.PartitionId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The furthest offset of each partition, of one consumer or several. */
public final class CommittableOffsetBatch implements Committable {
  private final Map<ConsumerHandle, Map<PartitionId, CommittedOffset>> furthest = new HashMap<>();
  private final int size;

  private CommittableOffsetBatch(List<CommittableOffset> offsets) {
    size = offsets.size();
    for (CommittableOffset offset : offsets) {
      furthest
          .computeIfAbsent(offset.consumer(), key -> new HashMap<>())
          .merge(
              offset.next().partition(),
              offset.next(),
              (one, other) -> other.offset() > one.offset() ? other : one);
    }
  }

  public static CommittableOffsetBatch of(List<CommittableOffset> offsets) {
    return new CommittableOffsetBatch(offsets);
  }

  /** How many offsets are gathered in it. */
  public int size() {
    return size;
  }

  @Override
  public CompletionStage<Done> commit() {
    CompletableFuture<?>[] commits =
        furthest.entrySet().stream()
            .map(
                each ->
                    each.getKey()
                        .commit(List.copyOf(each.getValue().values()))
                        .toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(commits).thenApply(all -> Done.getInstance());
  }
}
