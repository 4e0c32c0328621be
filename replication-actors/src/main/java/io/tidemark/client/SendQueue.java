package io.tidemark.client;

import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Records on their way to a topic's actor, from any thread. The actor is told once of all that
 * comes until it looks: a message for each record would cost more than the record.
 */
final class SendQueue {
  /** What the actor takes before others have a turn on its thread. */
  private static final int MAX_AT_ONCE = 1_000;

  /** A record with its memory reserved, and what will be told of it. */
  record Send(ProducerRecord<ByteBuffer, ByteBuffer> record, PendingSend result) {}

  private final Queue<Send> queue = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean told = new AtomicBoolean();
  private volatile Consumer<Send> refusal;

  /** Returns whether the actor has to be told. */
  boolean add(Send send) {
    queue.add(send);
    Consumer<Send> refuse = refusal;
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
  boolean take(Consumer<Send> receiver) {
    told.set(false);
    for (int i = 0; i < MAX_AT_ONCE; i++) {
      Send next = queue.poll();
      if (next == null) {
        return false;
      }
      receiver.accept(next);
    }
    return !queue.isEmpty() && told.compareAndSet(false, true);
  }

  /** Takes all that was added before the call; not what its results have others add. */
  void takeAll(Consumer<Send> receiver) {
    for (int left = queue.size(); left > 0; left--) {
      Send next = queue.poll();
      if (next == null) {
        return;
      }
      receiver.accept(next);
    }
  }

  /** The actor is gone: what is there, and what still comes, is refused. */
  void end(Consumer<Send> refuse) {
    refusal = refuse;
    takeAll(refuse);
  }
}
