package io.tidemark.client;

import akka.Done;
import akka.NotUsed;
import akka.actor.typed.ActorRef;
import akka.japi.Pair;
import akka.stream.javadsl.Source;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.ListOffsetsRequest.Position;
import io.tidemark.record.Record;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatches;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Reads one partition, up to the high watermark and no further, following its leader. Calls are
 * answered one after the other. One that has no answer within {@code tidemark.client.api-timeout}
 * fails with a {@link ReadFailure} that tells why; after {@link #close}, or the end of the actor
 * system, all fail with an {@link IllegalStateException}.
 */
public final class PartitionReader {
  private static final int FETCH_BYTES = 1 << 20;

  private final String topic;
  private final int partition;
  private final Duration patience;
  private final ActorRef<ReaderActor.Command> actor;
  private final CompletableFuture<Done> ended;

  /** Also those that a stopped actor never sees. */
  private final Set<CompletableFuture<?>> unanswered = ConcurrentHashMap.newKeySet();

  private volatile int servedBy = -1;

  /**
   * @param patience with a call, null for any
   */
  PartitionReader(ReaderActor.Setup setup, Duration patience, ActorRef<ReaderActor.Command> actor) {
    this.topic = setup.topic();
    this.partition = setup.partition();
    this.ended = setup.ended();
    this.patience = patience;
    this.actor = actor;
    ended.thenRun(() -> unanswered.forEach(this::failAsClosed));
  }

  private <T> CompletionStage<T> ask(Function<CompletableFuture<T>, ReaderActor.Call> call) {
    CompletableFuture<T> result = new CompletableFuture<>();
    unanswered.add(result);
    CompletionStage<T> answer =
        result.whenComplete((answered, failure) -> unanswered.remove(result));
    actor.tell(call.apply(result));
    if (ended.isDone()) {
      failAsClosed(result);
    }
    return answer;
  }

  private void failAsClosed(CompletableFuture<?> result) {
    result.completeExceptionally(
        new IllegalStateException(
            "the reader of %s-%d was closed, or its actor system has ended"
                .formatted(topic, partition)));
  }

  /** The first offset that can be read. */
  public CompletionStage<Long> earliest() {
    return find(Position.EARLIEST, -1);
  }

  /** The offset behind the last committed record. */
  public CompletionStage<Long> latest() {
    return find(Position.LATEST, -1);
  }

  /**
   * The offset of the first committed record that is at least as new as a time; empty when there is
   * none yet.
   */
  public CompletionStage<OptionalLong> firstSince(Instant time) {
    return find(Position.AT_TIME, Objects.requireNonNull(time, "time").toEpochMilli())
        .thenApply(offset -> offset < 0 ? OptionalLong.empty() : OptionalLong.of(offset));
  }

  private CompletionStage<Long> find(Position position, long timestamp) {
    return ask(result -> new ReaderActor.Find(position, timestamp, patience, result));
  }

  /**
   * The committed batches from an offset on, as they lie in the log; an answer without records
   * comes after half a second without news. Fails with {@link OffsetOutOfRange} or {@link
   * ReadFailure}.
   */
  public CompletionStage<FetchResponse> fetch(long offset) {
    return fetch(offset, -1, FETCH_BYTES, patience).thenApply(ReaderActor.Served::response);
  }

  /**
   * Waits as long as it takes. Fails with {@link LogTruncated}, too.
   *
   * @param lastEpoch of the record before the offset, −1 when that is not known
   */
  CompletionStage<ReaderActor.Served> fetch(long offset, int lastEpoch, int maxBytes) {
    return fetch(offset, lastEpoch, maxBytes, null);
  }

  private CompletionStage<ReaderActor.Served> fetch(
      long offset, int lastEpoch, int maxBytes, Duration limit) {
    return this.<ReaderActor.Served>ask(
            result -> new ReaderActor.Read(offset, lastEpoch, maxBytes, limit, result))
        .thenApply(
            served -> {
              servedBy = served.broker();
              return served;
            });
  }

  /** The broker that answered the last fetch, −1 before the first. */
  public int servedBy() {
    return servedBy;
  }

  /**
   * All records from an offset on, for ever, as fast as they are asked for, through outages of any
   * length. Fails with {@link OffsetOutOfRange}.
   */
  public Source<ConsumerRecord<ByteBuffer, ByteBuffer>, NotUsed> source(long offset) {
    return Source.unfoldAsync(
            offset,
            from ->
                fetch(from, -1, FETCH_BYTES)
                    .thenApply(
                        served -> {
                          List<ConsumerRecord<ByteBuffer, ByteBuffer>> records =
                              recordsOf(served.response(), from);
                          long next =
                              records.isEmpty()
                                  ? from
                                  : records.get(records.size() - 1).offset() + 1;
                          return Optional.of(Pair.create(next, records));
                        }))
        .mapConcat(records -> records);
  }

  List<ConsumerRecord<ByteBuffer, ByteBuffer>> recordsOf(FetchResponse response, long from) {
    List<ConsumerRecord<ByteBuffer, ByteBuffer>> found = new ArrayList<>();
    for (RecordBatch batch : RecordBatches.list(response.records().duplicate())) {
      batch.validate();
      for (Record record : batch.records()) {
        boolean asked = record.offset() >= from && record.offset() < response.highWatermark();
        if (asked && !batch.isControl()) {
          found.add(
              new ConsumerRecord<>(
                  topic,
                  partition,
                  record.offset(),
                  batch.leaderEpoch(),
                  record.timestamp(),
                  record.key(),
                  record.value(),
                  record.headers()));
        }
      }
    }
    return found;
  }

  /** Where the log starts after it. */
  CompletionStage<Long> deleteBefore(long offset) {
    return ask(result -> new ReaderActor.DeleteBefore(offset, patience, result));
  }

  /** What it was asked for and has not answered fails. */
  public void close() {
    ended.complete(Done.getInstance());
    actor.tell(new ReaderActor.Close());
  }
}
