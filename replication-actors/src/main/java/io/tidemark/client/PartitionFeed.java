package io.tidemark.client;

import akka.Done;
import akka.NotUsed;
import akka.japi.Pair;
import akka.stream.KillSwitches;
import akka.stream.OverflowStrategy;
import akka.stream.SharedKillSwitch;
import akka.stream.javadsl.Source;
import io.tidemark.protocol.CommittedOffset;
import io.tidemark.protocol.PartitionId;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * The records of one partition for as long as a consumer has it. What it hands on comes after all
 * that it has handed on before, whatever becomes of leaders meanwhile.
 *
 * <p>It is used by one stream; its consumer stops it, and asks for {@link #end} and {@link #id}.
 */
final class PartitionFeed {
  private record Position(long offset, int lastEpoch) {}

  private final TopicPartition partition;
  private final Start start;
  private final TidemarkClient client;
  private final ConsumerSettings<?, ?> settings;
  private final ConsumerHandle consumer;
  private final int fetchMaxBytes;
  private final FetchMemory memory;
  private final SharedKillSwitch kill;
  private final CompletableFuture<Done> ended = new CompletableFuture<>();
  private volatile UUID topicId;
  private boolean started;
  private boolean stopped;
  private volatile long end = -1;

  /**
   * @param topicId null when the group did not tell it
   */
  PartitionFeed(
      TopicPartition partition,
      UUID topicId,
      Start start,
      ConsumerActor.Setup setup,
      ConsumerHandle consumer) {
    this.partition = partition;
    this.topicId = topicId;
    this.start = start;
    this.settings = setup.settings();
    this.client = settings.client();
    this.fetchMaxBytes = settings.fetchMaxBytes();
    this.memory = setup.memory();
    this.consumer = consumer;
    this.kill = KillSwitches.shared(partition.toString());
  }

  TopicPartition partition() {
    return partition;
  }

  /** Null while it is not known of which creation of the topic the partition is. */
  PartitionId id() {
    UUID known = topicId;
    return known == null ? null : new PartitionId(known, partition.partition());
  }

  /** Behind the last record that was handed on, −1 while there was none. */
  long end() {
    return end;
  }

  /** Completes when nothing is handed on any more. One that was never used is never used then. */
  CompletionStage<Done> stop() {
    kill.shutdown();
    if (!isStartedWhenStopping()) {
      ended.complete(Done.getInstance());
    }
    return ended;
  }

  /** Whether it has begun; it never begins afterwards. */
  private synchronized boolean isStartedWhenStopping() {
    stopped = true;
    return started;
  }

  private synchronized boolean mayStart() {
    started = !stopped;
    return started;
  }

  CommittableOffset committable(long offset, int leaderEpoch) {
    return new CommittableOffset(
        partition, new CommittedOffset(id(), offset + 1, leaderEpoch), consumer);
  }

  /**
   * @param make what is handed on for a record; what it throws is for the stream's supervision
   */
  <T> Source<T, NotUsed> source(RecordMapper<T> make) {
    return Source.lazySource(this::open)
        .map(
            record -> {
              T made = make.apply(this, record);
              return Pair.create(record.offset() + 1, made);
            })
        .via(kill.flow())
        .map(
            made -> {
              end = made.first();
              return made.second();
            })
        .watchTermination(
            (used, done) -> {
              done.whenComplete((ok, failure) -> ended.complete(Done.getInstance()));
              return NotUsed.getInstance();
            });
  }

  private Source<ConsumerRecord<ByteBuffer, ByteBuffer>, NotUsed> open() {
    if (!mayStart()) {
      return Source.empty();
    }
    return Source.completionStageSource(
            client.patientReader(partition, settings.rack()).thenApply(this::records))
        .mapMaterializedValue(used -> NotUsed.getInstance());
  }

  /** Makes what the application sees. */
  @FunctionalInterface
  interface RecordMapper<T> {
    T apply(PartitionFeed feed, ConsumerRecord<ByteBuffer, ByteBuffer> record);
  }

  private Source<ConsumerRecord<ByteBuffer, ByteBuffer>, NotUsed> records(PartitionReader reader) {
    FetchMemory.Share share = memory.open();
    return Source.completionStage(begin(reader))
        .flatMapConcat(
            position ->
                Source.unfoldAsync(
                    position, from -> next(reader, from, share).thenApply(Optional::of)))
        .buffer(settings.prefetch(), OverflowStrategy.backpressure())
        .mapConcat(records -> records)
        .map(
            record -> {
              share.handedOn(record.offset());
              return record;
            })
        .watchTermination(
            (used, done) -> {
              done.whenComplete(
                  (ok, failure) -> {
                    share.close();
                    reader.close();
                  });
              return NotUsed.getInstance();
            });
  }

  private CompletionStage<Position> begin(PartitionReader reader) {
    if (start instanceof Start.At at) {
      return CompletableFuture.completedStage(new Position(at.offset(), at.lastEpoch()));
    }
    CompletionStage<Long> offset;
    if (start instanceof Start.Since since) {
      offset =
          reader
              .firstSince(since.time())
              .thenCompose(
                  found ->
                      found.isPresent()
                          ? CompletableFuture.completedStage(found.getAsLong())
                          : reader.latest());
    } else if (start instanceof Start.Earliest) {
      offset = reader.earliest();
    } else if (start instanceof Start.Latest) {
      offset = reader.latest();
    } else {
      offset = byPolicy(reader, new NoOffsetCommitted(partition));
    }
    return offset.thenApply(found -> new Position(found, -1));
  }

  private CompletionStage<Long> byPolicy(PartitionReader reader, RuntimeException otherwise) {
    return switch (settings.offsetReset()) {
      case EARLIEST -> reader.earliest();
      case LATEST -> reader.latest();
      case FAIL -> CompletableFuture.failedStage(otherwise);
    };
  }

  private CompletionStage<Pair<Position, List<ConsumerRecord<ByteBuffer, ByteBuffer>>>> next(
      PartitionReader reader, Position from, FetchMemory.Share share) {
    return share
        .mayFetch()
        .thenCompose(
            now ->
                reader.fetch(
                    from.offset(),
                    from.lastEpoch(),
                    share.fetchBytes(fetchMaxBytes, settings.prefetch() + 1)))
        .handle(
            (served, failure) -> {
              if (failure != null) {
                return elsewhere(reader, from, failure)
                    .thenApply(
                        position ->
                            Pair.create(
                                position, List.<ConsumerRecord<ByteBuffer, ByteBuffer>>of()));
              }
              topicId = topicId == null ? served.topicId() : topicId;
              List<ConsumerRecord<ByteBuffer, ByteBuffer>> records =
                  reader.recordsOf(served.response(), from.offset());
              Position next = from;
              if (!records.isEmpty()) {
                ConsumerRecord<?, ?> last = records.get(records.size() - 1);
                next = new Position(last.offset() + 1, last.leaderEpoch());
                share.fetched(last.offset(), served.response().records().remaining());
              }
              return CompletableFuture.completedStage(Pair.create(next, records));
            })
        .thenCompose(result -> result);
  }

  /** The log does not go on where reading is. */
  private CompletionStage<Position> elsewhere(
      PartitionReader reader, Position from, Throwable thrown) {
    Throwable failure = thrown instanceof CompletionException ? thrown.getCause() : thrown;
    if (failure instanceof LogTruncated truncated
        && settings.offsetReset() != ConsumerSettings.OffsetReset.FAIL) {
      long next = truncated.divergesAt();
      settings.listener().accept(new ConsumerEvent.Truncated(partition, from.offset(), next));
      return CompletableFuture.completedStage(new Position(next, truncated.lastEpoch()));
    }
    if (failure instanceof OffsetOutOfRange outOfRange) {
      return byPolicy(reader, outOfRange)
          .thenApply(
              next -> {
                settings
                    .listener()
                    .accept(new ConsumerEvent.OutOfRange(partition, from.offset(), next));
                return new Position(next, -1);
              });
    }
    return CompletableFuture.failedStage(failure);
  }
}
