package io.tidemark.client;

import akka.Done;
import akka.NotUsed;
import akka.actor.typed.ActorRef;
import akka.japi.Pair;
import akka.stream.BoundedSourceQueue;
import akka.stream.javadsl.Source;
import io.tidemark.serialization.RecordPart;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Sources of the records of topics, alone or as a member of a group. They follow the partitions'
 * leaders, and fetch no more than the stream takes, and a little ahead. A record that cannot be
 * deserialized fails its stream with topic, partition and offset, unless the stream's supervision
 * resumes: then it is skipped.
 */
public final class Consumer {
  /** More than a cluster has. */
  private static final int MAX_PARTITIONS = 16_384;

  private Consumer() {}

  /** How a running consumer is ended. */
  public interface Control {

    /** Completes the source; what it has emitted can still be committed. */
    CompletionStage<Done> stop();

    /**
     * Completes the source, waits until what it has emitted is committed or the drain time-out is
     * over, and leaves the group.
     */
    CompletionStage<Done> shutdown();

    /** Completes when the consumer has ended, for whatever reason. */
    CompletionStage<Done> isShutdown();

    /** Stops, lets the stream come to its end with all its commits, and shuts down. */
    default <T> CompletionStage<T> drainAndShutdown(CompletionStage<T> streamCompletion) {
      return stop()
          .thenCompose(stopped -> streamCompletion)
          .handle((result, failure) -> shutdown().thenCompose(done -> streamCompletion))
          .thenCompose(result -> result);
    }
  }

  /** A control that knows the end of its stream, see {@link #createDrainingControl}. */
  public record DrainingControl<T>(Control control, CompletionStage<T> streamCompletion) {

    /** Stops, lets the stream come to its end with all its commits, and shuts down. */
    public CompletionStage<T> drainAndShutdown() {
      return control.drainAndShutdown(streamCompletion);
    }
  }

  /** For {@code toMat(sink, Consumer::createDrainingControl)}. */
  public static <T> DrainingControl<T> createDrainingControl(
      Control control, CompletionStage<T> streamCompletion) {
    return new DrainingControl<>(control, streamCompletion);
  }

  /** Records that are not committed: a group's member begins where the group is, each time. */
  public static <K, V> Source<ConsumerRecord<K, V>, Control> plainSource(
      ConsumerSettings<K, V> settings, Subscription subscription) {
    return feeds(settings, subscription, false)
        .flatMapMerge(
            MAX_PARTITIONS, feed -> feed.source((from, record) -> typed(settings, record)));
  }

  /**
   * Records with what to commit when each is done: at least once, also when partitions move between
   * members and when nodes fail.
   */
  public static <K, V> Source<CommittableMessage<K, V>, Control> committableSource(
      ConsumerSettings<K, V> settings, Subscription subscription) {
    return feeds(settings, subscription, true)
        .flatMapMerge(MAX_PARTITIONS, feed -> feed.source(committable(settings)));
  }

  /**
   * A source for each partition for as long as this consumer has it. A source completes when its
   * partition goes to another member; it has to be run, or what it would emit is read by nobody.
   */
  public static <K, V>
      Source<Pair<TopicPartition, Source<CommittableMessage<K, V>, NotUsed>>, Control>
          committablePartitionedSource(ConsumerSettings<K, V> settings, Subscription subscription) {
    return feeds(settings, subscription, true)
        .map(feed -> Pair.create(feed.partition(), feed.source(committable(settings))));
  }

  private static <K, V> PartitionFeed.RecordMapper<CommittableMessage<K, V>> committable(
      ConsumerSettings<K, V> settings) {
    return (feed, record) ->
        new CommittableMessage<>(
            typed(settings, record), feed.committable(record.offset(), record.leaderEpoch()));
  }

  private static <K, V> ConsumerRecord<K, V> typed(
      ConsumerSettings<K, V> settings, ConsumerRecord<ByteBuffer, ByteBuffer> r) {
    return new ConsumerRecord<>(
        r.topic(),
        r.partition(),
        r.offset(),
        r.leaderEpoch(),
        r.timestamp(),
        RecordPart.KEY.deserialize(settings.keys(), r.topic(), r.partition(), r.offset(), r.key()),
        RecordPart.VALUE.deserialize(
            settings.values(), r.topic(), r.partition(), r.offset(), r.value()),
        r.headers());
  }

  /**
   * @throws IllegalArgumentException when there is no group where one is needed
   */
  private static Source<PartitionFeed, Control> feeds(
      ConsumerSettings<?, ?> settings, Subscription subscription, boolean commits) {
    boolean isAlone = settings.groupId().isEmpty();
    if (isAlone && (commits || subscription instanceof Subscription.Topics)) {
      throw new IllegalArgumentException(
          "the consumer has no group id; commits and subscriptions to topics need one: set"
              + " tidemark.consumer.group-id, or use withGroupId");
    }
    return Source.<PartitionFeed>queue(MAX_PARTITIONS)
        .watchTermination((queue, done) -> start(settings, subscription, commits, queue, done));
  }

  private static Control start(
      ConsumerSettings<?, ?> settings,
      Subscription subscription,
      boolean commits,
      BoundedSourceQueue<PartitionFeed> queue,
      CompletionStage<Done> streamEnd) {
    CompletableFuture<Done> ended = new CompletableFuture<>();
    CompletionStage<ActorRef<ConsumerActor.Command>> actor =
        settings
            .client()
            .spawn(
                ConsumerActor.create(
                    new ConsumerActor.Setup(
                        settings,
                        subscription,
                        commits,
                        queue,
                        new FetchMemory(settings.bufferMemory()),
                        ended)));
    actor.whenComplete(
        (ref, failure) -> {
          if (failure != null) {
            queue.fail(failure);
            ended.complete(Done.getInstance());
          }
        });
    streamEnd.whenComplete(
        (done, failure) ->
            actor.thenAccept(ref -> ref.tell(new ConsumerActor.StreamEnded(failure != null))));
    return new RunningConsumer(actor, ended);
  }

  private record RunningConsumer(
      CompletionStage<ActorRef<ConsumerActor.Command>> actor, CompletableFuture<Done> ended)
      implements Control {

    @Override
    public CompletionStage<Done> stop() {
      CompletableFuture<Done> stopped = new CompletableFuture<>();
      ended.thenAccept(stopped::complete);
      actor.thenAccept(ref -> ref.tell(new ConsumerActor.Stop(stopped)));
      return stopped;
    }

    @Override
    public CompletionStage<Done> shutdown() {
      actor.thenAccept(ref -> ref.tell(new ConsumerActor.Shutdown()));
      return ended.copy();
    }

    @Override
    public CompletionStage<Done> isShutdown() {
      return ended.copy();
    }
  }
}
