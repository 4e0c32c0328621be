package io.tidemark.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.client.SendQueue.Send;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

class SendQueueTest {
  private static final int MANY = 2_500;

  private final SendQueue queue = new SendQueue();
  private final List<Send> taken = new ArrayList<>();

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
  void what_is_sent_again_because_it_was_taken_does_not_keep_the_actor_for_ever() {
    queue.add(send(0, 1));
    queue.add(send(0, 2));

    queue.takeAll(
        send -> {
          taken.add(send);
          if (taken.size() < 10) {
            queue.add(send);
          }
        });

    assertEquals(2, taken.size());
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
    for (Send send : taken) {
      int sender = send.record().partition();
      assertEquals(next.getOrDefault(sender, 0L), send.result().bytes);
      next.merge(sender, 1L, (one, more) -> send.result().bytes + 1);
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
