package io.tidemark.example.orders;

import io.tidemark.client.ConsumerRecord;
import java.util.HashMap;
import java.util.Map;

/** What the customers of one partition have ordered: a function of its log, up to an offset. */
final class Totals {
  private final Map<String, Long> cents = new HashMap<>();
  private long last = -1;

  /** Whether these are the totals just before this offset. */
  boolean areBefore(long offset) {
    return last == offset - 1;
  }

  /** Counts the next order. */
  Receipt add(ConsumerRecord<String, Order> record) {
    Order order = record.value();
    last = record.offset();
    long total = cents.merge(order.customer(), order.cents(), Long::sum);
    return new Receipt(record.partition(), record.offset(), order.customer(), total);
  }
}
