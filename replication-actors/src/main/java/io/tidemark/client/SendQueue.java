package io.tidemark.client;

import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Records on their way to a topic's actor, from any thread, and flushes behind them. The actor is
 * told once of all that comes until it looks: a message for each record would cost more than the
 * record. Nothing is lost with the actor: what it has not taken is given back.
 */
final class SendQueue {
  /** What the actor takes before others have a turn on its thread. */
  private static final int MAX_AT_ONCE = 1_000;

  sealed interface Item {}

  /** A record with its memory reserved, and what will be told of it. */
  record Send(ProducerRecord<ByteBuffer, ByteBuffer> record, PendingSend result) implements Item {}

  /**
   * @param done completes when all that was sent before it is settled
   */
  record Flush(CompletableFuture<Void> done) implements Item {}

  private final Queue<Item> queue = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean told = new AtomicBoolean();
  private volatile Consumer<Item> refusal;

  /** Returns whether the actor has to be told. */
  boolean add(Item item) {
    queue.add(item);
    Consumer<Item> refuse = refusal;
    if (refuse != null) {
      takeAll(refuse);
      return false;
    }
    return !told.get() && told.compareAndSet(false, true);
  }

  /**
   * Takes what is there, when the actor was told.
   *
   * @return whether the actor has to be told again, since there is more
   */
  boolean take(Consumer<Item> receiver) {
    told.set(false);
    for (int i = 0; i < MAX_AT_ONCE; i++) {
      Item next = queue.poll();
      if (next == null) {
        return false;
      }
      receiver.accept(next);
    }
    return !queue.isEmpty() && told.compareAndSet(false, true);
  }

  /** The actor is gone: what is there, and what still comes, is refused. */
  void end(Consumer<Item> refuse) {
    refusal = refuse;
    takeAll(refuse);
  }

  private void takeAll(Consumer<Item> receiver) {
    for (Item next = queue.poll(); next != null; next = queue.poll()) {
      receiver.accept(next);
    }
  }
}
