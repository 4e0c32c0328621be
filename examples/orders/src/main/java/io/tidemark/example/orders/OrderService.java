package io.tidemark.example.orders;

import akka.Done;
import akka.actor.typed.ActorSystem;
import io.tidemark.client.CommittableMessage;
import io.tidemark.client.CommittableOffset;
import io.tidemark.client.Committer;
import io.tidemark.client.CommitterSettings;
import io.tidemark.client.Consumer;
import io.tidemark.client.Consumer.DrainingControl;
import io.tidemark.client.ConsumerRecord;
import io.tidemark.client.ConsumerSettings;
import io.tidemark.client.Producer;
import io.tidemark.client.ProducerMessage;
import io.tidemark.client.ProducerRecord;
import io.tidemark.client.ProducerSettings;
import io.tidemark.client.RecordMetadata;
import io.tidemark.client.Subscriptions;
import io.tidemark.client.TidemarkClient;
import io.tidemark.client.TopicPartition;
import io.tidemark.cluster.Tidemark;
import io.tidemark.serialization.Deserializer;
import io.tidemark.serialization.Serializer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes orders on every node. The nodes are members of one consumer group: each writes the receipts
 * of the partitions that the group gives it.
 *
 * <p>A receipt may be written twice, when a node dies between writing and committing. Both are
 * equal then, since the total in it is a function of the orders before it and of nothing else.
 */
public final class OrderService {
  public static final String ORDERS = "orders";
  public static final String RECEIPTS = "receipts";

  private static final String GROUP = "receipts";
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private static final Logger LOG = LoggerFactory.getLogger(OrderService.class);

  private final ActorSystem<?> system;
  private final Producer<String, Order> orders;
  private final ConsumerSettings<String, Order> reading;
  private final ProducerSettings<String, Receipt> writing;
  private final CommitterSettings committing;

  private volatile DrainingControl<Done> receipts;

  private OrderService(ActorSystem<?> system, TidemarkClient tidemark) {
    this.system = system;
    this.orders =
        Producer.create(
            ProducerSettings.create(tidemark, Serializer.string(), Serializer.json(Order.class)));
    this.reading =
        ConsumerSettings.create(tidemark, Deserializer.string(), Deserializer.json(Order.class));
    this.writing =
        ProducerSettings.create(tidemark, Serializer.string(), Serializer.json(Receipt.class));
    this.committing = CommitterSettings.create(tidemark);
    writeReceipts();
  }

  /** Once a node, when both topics are there. */
  public static OrderService start(ActorSystem<?> system) {
    return new OrderService(system, Tidemark.get(system).client());
  }

  /** Completes when the order cannot be lost any more. A customer's orders keep their order. */
  public CompletionStage<RecordMetadata> place(Order order) {
    return orders.send(new ProducerRecord<>(ORDERS, order.customer(), order));
  }

  /**
   * Commits an order when its receipt is acknowledged; goes on behind the last commit if it fails.
   */
  private void writeReceipts() {
    // Of the partitions that this node has, or had; one record at a time uses it.
    Map<Integer, Totals> totals = new ConcurrentHashMap<>();
    receipts =
        Consumer.committableSource(reading.withGroupId(GROUP), Subscriptions.topics(ORDERS))
            .mapAsync(1, message -> receipt(totals, message))
            .via(Producer.flow(writing))
            .map(ProducerMessage.Result::passThrough)
            .toMat(Committer.sink(committing), Consumer::createDrainingControl)
            .run(system);
    receipts.streamCompletion().exceptionally(this::writeReceiptsAgain);
  }

  private Done writeReceiptsAgain(Throwable failure) {
    LOG.warn("no receipts for {}: {}", PAUSE, failure.toString());
    system.scheduler().scheduleOnce(PAUSE, this::writeReceipts, system.executionContext());
    return Done.getInstance();
  }

  private CompletionStage<ProducerMessage<String, Receipt, CommittableOffset>> receipt(
      Map<Integer, Totals> totals, CommittableMessage<String, Order> message) {
    ConsumerRecord<String, Order> order = message.record();
    return totalsBefore(totals, order)
        .thenApply(
            before ->
                new ProducerMessage<>(
                    new ProducerRecord<>(RECEIPTS, order.key(), before.add(order)),
                    message.committableOffset()));
  }

  /** From the log, when the partition has come from another node, or has come back. */
  private CompletionStage<Totals> totalsBefore(
      Map<Integer, Totals> totals, ConsumerRecord<String, Order> order) {
    Totals known = totals.get(order.partition());
    if (known != null && known.areBefore(order.offset())) {
      return CompletableFuture.completedStage(known);
    }
    return Consumer.plainSource(
            reading,
            Subscriptions.assignmentFromEarliest(new TopicPartition(ORDERS, order.partition())))
        .takeWhile(earlier -> earlier.offset() < order.offset())
        .runFold(
            new Totals(),
            (read, earlier) -> {
              read.add(earlier);
              return read;
            },
            system)
        .thenApply(
            read -> {
              totals.put(order.partition(), read);
              return read;
            });
  }

  /** Leaves the group when the receipts of what was read are committed. */
  public CompletionStage<Done> stop() {
    return receipts.drainAndShutdown().thenCompose(done -> orders.close());
  }
}
