package io.tidemark.client;

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
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Reads one partition, up to the high watermark and no further, following its leader. One reader is
 * used by one stream or caller at a time.
 */
public final class PartitionReader {
  private static final int FETCH_BYTES = 1 << 20;

  private final String topic;
  private final int partition;
  private final ActorRef<ReaderActor.Command> actor;
  private volatile int servedBy = -1;

  PartitionReader(String topic, int partition, ActorRef<ReaderActor.Command> actor) {
    this.topic = topic;
    this.partition = partition;
    this.actor = actor;
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
    return find(Position.AT_TIME, time.toEpochMilli())
        .thenApply(offset -> offset < 0 ? OptionalLong.empty() : OptionalLong.of(offset));
  }

  private CompletionStage<Long> find(Position position, long timestamp) {
    CompletableFuture<Long> result = new CompletableFuture<>();
    actor.tell(new ReaderActor.Find(position, timestamp, result));
    return result;
  }

  /**
   * The committed batches from an offset on, as they lie in the log; an answer without records
   * comes after half a second without news. Fails with {@link OffsetOutOfRange} or {@link
   * ReadFailure}.
   */
  public CompletionStage<FetchResponse> fetch(long offset) {
    return fetch(offset, -1, FETCH_BYTES).thenApply(ReaderActor.Served::response);
  }

  /**
   * Fails with {@link LogTruncated}, too.
   *
   * @param lastEpoch of the record before the offset, −1 when that is not known
   */
  CompletionStage<ReaderActor.Served> fetch(long offset, int lastEpoch, int maxBytes) {
    CompletableFuture<ReaderActor.Served> result = new CompletableFuture<>();
    actor.tell(new ReaderActor.Read(offset, lastEpoch, maxBytes, result));
    return result.thenApply(
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
   * All records from an offset on, for ever, as fast as they are asked for. Fails with {@link
   * OffsetOutOfRange}.
   */
  public Source<ConsumerRecord<ByteBuffer, ByteBuffer>, NotUsed> source(long offset) {
    return Source.unfoldAsync(
            offset,
            from ->
                fetch(from)
                    .thenApply(
                        response -> {
                          List<ConsumerRecord<ByteBuffer, ByteBuffer>> records =
                              recordsOf(response, from);
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
    CompletableFuture<Long> result = new CompletableFuture<>();
    actor.tell(new ReaderActor.DeleteBefore(offset, result));
    return result;
  }

  public void close() {
    actor.tell(new ReaderActor.Close());
  }
}
