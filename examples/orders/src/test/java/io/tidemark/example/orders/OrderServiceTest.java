package io.tidemark.example.orders;

import static io.tidemark.example.orders.OrdersExample.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tidemark.testkit.TidemarkTestKit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OrderServiceTest {
  @RegisterExtension
  private static final TidemarkTestKit TIDEMARK =
      TidemarkTestKit.threeNodes().withSettings(OrdersExample.SETTINGS);

  private final Map<Integer, OrderService> services = new HashMap<>();

  private void start(int id) {
    services.put(id, OrderService.start(TIDEMARK.node(id)));
  }

  /** Ten customers in turn, a euro each. */
  private void assertReceipts(int orders) throws Exception {
    Map<String, Receipt> receipts =
        await(OrdersExample.receipts(TIDEMARK.client(), TIDEMARK.system(), orders));
    Map<String, Long> expected = new TreeMap<>();
    IntStream.range(0, 10).forEach(i -> expected.put("customer-" + i, orders * 10L));
    assertEquals(expected, OrdersExample.totals(receipts));
    assertEquals(
        orders,
        receipts.values().stream().map(it -> it.customer() + it.totalCents()).distinct().count(),
        "each of a customer's orders has a total of its own");
  }

  @Test
  void totals_are_right_when_a_node_is_killed_and_when_one_comes_back() throws Exception {
    TIDEMARK.createTopic(OrderService.ORDERS, OrdersExample.PARTITIONS);
    TIDEMARK.createTopic(OrderService.RECEIPTS, OrdersExample.PARTITIONS);
    List.of(1, 2, 3).forEach(this::start);
    OrdersExample.place(services, List.of(1, 2, 3), 0, 150);
    assertReceipts(150);

    TIDEMARK.kill(3);
    OrdersExample.place(services, List.of(1, 2), 150, 300);
    assertReceipts(300);

    TIDEMARK.restart(3);
    start(3);
    OrdersExample.place(services, List.of(1, 2, 3), 300, 450);
    await(services.get(1).stop());
    OrdersExample.place(services, List.of(2, 3), 450, 600);
    assertReceipts(600);
  }
}
