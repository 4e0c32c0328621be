package io.tidemark.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BufferMemoryTest {
  private final BufferMemory memory = new BufferMemory(100);

  private CompletableFuture<Boolean> reserve(long bytes) {
    return memory.reserve(bytes).toCompletableFuture();
  }

  @Test
  void what_fits_is_taken_and_what_does_not_is_not() {
    assertTrue(memory.tryReserve(60));
    assertFalse(memory.tryReserve(41));
    assertTrue(memory.tryReserve(40));
    assertEquals(100, memory.used());
  }

  @Test
  void those_that_wait_are_served_in_their_order_and_before_newcomers() {
    memory.tryReserve(100);
    CompletableFuture<Boolean> large = reserve(90);
    CompletableFuture<Boolean> small = reserve(10);

    memory.release(50);
    assertFalse(large.isDone() || small.isDone());
    assertFalse(memory.tryReserve(1));
    memory.release(50);

    assertTrue(large.getNow(false));
    assertTrue(small.getNow(false));
    assertEquals(100, memory.used());
  }

  @Test
  void once_closed_nothing_is_taken_and_those_that_wait_are_told() {
    memory.tryReserve(100);
    CompletableFuture<Boolean> waiting = reserve(10);

    CompletableFuture<Void> empty = memory.close().toCompletableFuture();

    assertFalse(waiting.getNow(true));
    assertFalse(reserve(1).getNow(true));
    assertFalse(empty.isDone());
    memory.release(100);
    assertTrue(empty.isDone());
    assertFalse(memory.tryReserve(1));
  }

  @Test
  void an_empty_one_is_closed_at_once() {
    assertTrue(memory.close().toCompletableFuture().isDone());
  }

  @Test
  void threads_never_have_more_than_the_limit_and_none_waits_for_ever() throws Exception {
    AtomicInteger inUse = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    List<CompletableFuture<Void>> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      threads.add(
          CompletableFuture.runAsync(
              () -> {
                for (int i = 0; i < 5_000; i++) {
                  reserve(30).orTimeout(30, TimeUnit.SECONDS).join();
                  most.accumulateAndGet(inUse.addAndGet(30), Math::max);
                  inUse.addAndGet(-30);
                  memory.release(30);
                }
              },
              command -> new Thread(command).start()));
    }

    CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);

    assertEquals(0, memory.used());
    assertTrue(most.get() <= 90, "at one time: " + most);
  }
}
