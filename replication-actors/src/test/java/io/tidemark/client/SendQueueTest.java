package io.tidemark.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.client.SendQueue.Flush;
import io.tidemark.client.SendQueue.Item;
import io.tidemark.client.SendQueue.Send;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

class SendQueueTest {
  private static final int MANY = 2_500;

  private final SendQueue queue = new SendQueue();
  private final List<Item> taken = new ArrayList<>();

  private static Send send(int sender, long number) {
    return new Send(
        new ProducerRecord<>("t", sender, 1, null, ByteBuffer.allocate(0), List.of()),
        new PendingSend(number));
  }

  @Test
  void the_actor_is_told_once_of_all_that_comes_until_it_looks() {
    assertTrue(queue.add(send(0, 1)));
    assertFalse(queue.add(send(0, 2)));

    assertFalse(queue.take(taken::add));

    assertEquals(2, taken.size());
    assertTrue(queue.add(send(0, 3)));
  }

  @Test
  void the_actor_is_told_again_when_it_has_left_some() {
    for (int i = 0; i < MANY; i++) {
      queue.add(send(0, i));
    }
    int turns = 1;
    while (queue.take(taken::add)) {
      turns++;
      assertFalse(queue.add(send(0, MANY)), "told twice");
    }

    assertTrue(turns > 1);
    assertEquals(MANY + turns - 1, taken.size());
  }

  @Test
  void a_flush_is_given_back_by_an_actor_that_ended_before_or_ends_before_it_is_taken() {
    Flush before = new Flush(new CompletableFuture<>());
    Flush after = new Flush(new CompletableFuture<>());
    queue.add(before);

    queue.end(taken::add);
    queue.add(after);

    assertEquals(List.of(before, after), taken);
  }

  @Test
  void a_flush_is_taken_behind_what_was_sent_before_it() {
    Send first = send(0, 1);
    Flush flush = new Flush(new CompletableFuture<>());
    Send second = send(0, 2);
    List.of(first, flush, second).forEach(queue::add);

    queue.take(taken::add);

    assertEquals(List.of(first, flush, second), taken);
  }

  @Test
  void what_comes_after_the_end_is_refused() {
    queue.add(send(0, 1));

    queue.end(taken::add);

    assertEquals(1, taken.size());
    assertFalse(queue.add(send(0, 2)));
    assertEquals(2, taken.size());
  }

  @Test
  void what_many_threads_send_is_taken_once_and_in_each_one_s_order() throws Exception {
    int senders = 4;
    Semaphore told = new Semaphore(0);
    List<Thread> threads = new ArrayList<>();
    for (int sender = 0; sender < senders; sender++) {
      int id = sender;
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < 20 * MANY; i++) {
                  if (queue.add(send(id, i))) {
                    told.release();
                  }
                }
              });
      threads.add(thread);
      thread.start();
    }

    assertTimeoutPreemptively(
        Duration.ofSeconds(60),
        () -> {
          while (taken.size() < senders * 20 * MANY) {
            told.acquire();
            if (queue.take(taken::add)) {
              told.release();
            }
          }
        });

    Map<Integer, Long> next = new HashMap<>();
    for (Item item : taken) {
      Send send = (Send) item;
      int sender = send.record().partition();
      assertEquals(next.getOrDefault(sender, 0L), send.result().bytes);
      next.merge(sender, 1L, (one, more) -> send.result().bytes + 1);
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
