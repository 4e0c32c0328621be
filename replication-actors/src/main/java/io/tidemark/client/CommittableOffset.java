package io.tidemark.client;

import akka.Done;
import io.tidemark.protocol.CommittedOffset;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The place behind a record: when it is committed, the group goes on there. */
public final class CommittableOffset implements Committable {
  private final TopicPartition partition;
  private final CommittedOffset next;
  private final ConsumerHandle consumer;

  CommittableOffset(TopicPartition partition, CommittedOffset next, ConsumerHandle consumer) {
    this.partition = partition;
    this.next = next;
    this.consumer = consumer;
  }

  public TopicPartition partition() {
    return partition;
  }

  /** Of the record. */
  public long offset() {
    return next.offset() - 1;
  }

  CommittedOffset next() {
    return next;
  }

  ConsumerHandle consumer() {
    return consumer;
  }

  @Override
  public CompletionStage<Done> commit() {
    return consumer.commit(List.of(next));
  }

  @Override
  public String toString() {
    return "CommittableOffset(" + partition + "@" + offset() + ")";
  }
}
