package io.tidemark.example.orders;

import akka.actor.typed.ActorSystem;
import akka.stream.javadsl.Sink;
import io.tidemark.client.Consumer;
import io.tidemark.client.ConsumerRecord;
import io.tidemark.client.ConsumerSettings;
import io.tidemark.client.Subscriptions;
import io.tidemark.client.TidemarkClient;
import io.tidemark.client.TopicPartition;
import io.tidemark.serialization.Deserializer;
import io.tidemark.testkit.TidemarkTestKit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** The service on three nodes, one of which is killed; its partitions go to the others. */
public final class OrdersExample {
  static final int PARTITIONS = 6;

  /** A node that died is missed sooner than by default, so that nobody waits long for the end. */
  static final String SETTINGS =
      "tidemark.consumer { session-timeout = 2 s, heartbeat-interval = 200 ms }";

  private OrdersExample() {}

  public static void main(String[] args) throws Exception {
    try (TidemarkTestKit nodes = TidemarkTestKit.threeNodes().withSettings(SETTINGS).start()) {
      nodes.createTopic(OrderService.ORDERS, PARTITIONS);
      nodes.createTopic(OrderService.RECEIPTS, PARTITIONS);
      Map<Integer, OrderService> services = new HashMap<>();
      for (int id = 1; id <= 3; id++) {
        services.put(id, OrderService.start(nodes.node(id)));
      }

      place(services, List.of(1, 2, 3), 0, 150);
      System.out.println("three nodes have taken 150 orders");
      show(await(receipts(nodes.client(), nodes.system(), 150)));

      nodes.kill(3);
      System.out.println("node 3 is killed");
      place(services, List.of(1, 2), 150, 300);
      System.out.println("the other two have taken 150 more");
      show(await(receipts(nodes.client(), nodes.system(), 300)));
    }
  }

  /** Orders of one euro each, by the nodes in turn; returns when all are acknowledged. */
  static void place(Map<Integer, OrderService> services, List<Integer> nodes, int from, int to)
      throws Exception {
    List<? extends CompletionStage<?>> placed =
        IntStream.range(from, to)
            .mapToObj(
                i ->
                    services
                        .get(nodes.get(i % nodes.size()))
                        .place(new Order("customer-" + i % 10, 100)))
            .toList();
    for (CompletionStage<?> each : placed) {
      await(each);
    }
  }

  /**
   * Completes when so many orders have their receipts, by order.
   *
   * @throws IllegalStateException through the stage when two receipts of an order differ
   */
  static CompletionStage<Map<String, Receipt>> receipts(
      TidemarkClient tidemark, ActorSystem<?> system, int orders) {
    TopicPartition[] partitions =
        IntStream.range(0, PARTITIONS)
            .mapToObj(partition -> new TopicPartition(OrderService.RECEIPTS, partition))
            .toArray(TopicPartition[]::new);
    Map<String, Receipt> found = new TreeMap<>();
    return Consumer.plainSource(
            ConsumerSettings.create(
                tidemark, Deserializer.string(), Deserializer.json(Receipt.class)),
            Subscriptions.assignmentFromEarliest(partitions))
        .map(ConsumerRecord::value)
        .filter(receipt -> isNew(found, receipt))
        .take(orders)
        .runWith(Sink.ignore(), system)
        .thenApply(done -> found);
  }

  private static boolean isNew(Map<String, Receipt> found, Receipt receipt) {
    Receipt other = found.put(receipt.partition() + "@" + receipt.offset(), receipt);
    if (other != null && !other.equals(receipt)) {
      throw new IllegalStateException("two receipts of one order: " + other + ", " + receipt);
    }
    return other == null;
  }

  /** Cents by customer. */
  static Map<String, Long> totals(Map<String, Receipt> receipts) {
    Map<String, Long> totals = new TreeMap<>();
    receipts.values().forEach(it -> totals.merge(it.customer(), it.totalCents(), Math::max));
    return totals;
  }

  private static void show(Map<String, Receipt> receipts) {
    System.out.println(receipts.size() + " have receipts; totals in cents: " + totals(receipts));
  }

  static <T> T await(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
  }
}
