package io.tidemark.cluster;

import akka.Done;
import akka.actor.typed.ActorSystem;
import akka.stream.ActorAttributes;
import akka.stream.Supervision;
import akka.stream.javadsl.Sink;
import io.tidemark.client.CommittableOffset;
import io.tidemark.client.Committer;
import io.tidemark.client.CommitterSettings;
import io.tidemark.client.Consumer;
import io.tidemark.client.Consumer.DrainingControl;
import io.tidemark.client.ConsumerEvent;
import io.tidemark.client.ConsumerRecord;
import io.tidemark.client.ConsumerSettings;
import io.tidemark.client.ConsumerSettings.OffsetReset;
import io.tidemark.client.Subscriptions;
import io.tidemark.client.TidemarkClient;
import io.tidemark.client.TopicPartition;
import io.tidemark.serialization.Deserializer;
import io.tidemark.serialization.SerializationFailure;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;

/** The code of docs/consuming.md; {@link DocSnippetsTest} holds the two together. */
final class ConsumingSnippets {
  record Order(String customer, int cups) {}

  private final ActorSystem<?> system;
  private final TidemarkClient tidemark;
  private final Logger log;

  ConsumingSnippets(ActorSystem<?> system, TidemarkClient tidemark, Logger log) {
    this.system = system;
    this.tidemark = tidemark;
    this.log = log;
  }

  private CompletionStage<Done> bill(ConsumerRecord<String, Order> record) {
    log.info("{} for {}", record.value().cups(), record.key());
    return CompletableFuture.completedStage(Done.getInstance());
  }

  DrainingControl<Done> atLeastOnce() {
    ConsumerSettings<String, Order> settings =
        ConsumerSettings.create(tidemark, Deserializer.string(), Deserializer.json(Order.class))
            .withGroupId("billing");

    DrainingControl<Done> control =
        Consumer.committableSource(settings, Subscriptions.topics("orders"))
            .mapAsync(
                8, message -> bill(message.record()).thenApply(done -> message.committableOffset()))
            .toMat(
                Committer.sink(CommitterSettings.create(tidemark)), Consumer::createDrainingControl)
            .run(system);
    return control;
  }

  CompletionStage<Done> end(DrainingControl<Done> control) {
    return control.drainAndShutdown();
  }

  DrainingControl<Done> partitioned(ConsumerSettings<String, Order> settings) {
    return Consumer.committablePartitionedSource(settings, Subscriptions.topics("orders"))
        .mapAsyncUnordered(
            1_000,
            partition ->
                partition
                    .second()
                    .mapAsync(
                        1,
                        message ->
                            bill(message.record()).thenApply(done -> message.committableOffset()))
                    .runWith(Committer.sink(CommitterSettings.create(tidemark)), system))
        .toMat(Sink.ignore(), Consumer::createDrainingControl)
        .run(system);
  }

  CompletionStage<Done> chosen(ConsumerSettings<String, Order> settings) {
    TopicPartition partition = new TopicPartition("orders", 0);
    return Consumer.plainSource(
            settings,
            Subscriptions.assignmentOffsetsForTimes(
                Map.of(partition, Instant.parse("2024-02-29T12:00:00Z"))))
        .runWith(
            Sink.foreach(record -> log.info("{}: {}", record.offset(), record.value())), system);
  }

  CompletionStage<Done> skippingBadRecords(ConsumerSettings<String, Order> settings) {
    return Consumer.plainSource(settings, Subscriptions.topics("orders"))
        .withAttributes(
            ActorAttributes.withSupervisionStrategy(
                failure ->
                    failure instanceof SerializationFailure
                        ? Supervision.resume()
                        : Supervision.stop()))
        .runWith(Sink.foreach(this::bill), system);
  }

  ConsumerSettings<String, Order> listening(ConsumerSettings<String, Order> settings) {
    return settings
        .withOffsetReset(OffsetReset.EARLIEST)
        .withListener(
            event -> {
              if (event instanceof ConsumerEvent.OutOfRange gap) {
                log.warn("{}: {} to {} are gone", gap.partition(), gap.wanted(), gap.next());
              }
            });
  }

  CompletionStage<Done> one(CommittableOffset offset) {
    return offset.commit();
  }
}
