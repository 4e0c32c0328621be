package io.tidemark.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DiskReadsTest {
  private final Deque<Runnable> threads = new ArrayDeque<>();
  private final List<String> done = new ArrayList<>();
  private final DiskReads reads = new DiskReads(threads::add, 2);

  @Test
  void what_comes_while_all_are_at_work_waits_for_one_of_them() {
    for (String each : List.of("a", "b", "c", "d")) {
      reads.execute(() -> done.add(each));
    }

    assertEquals(2, threads.size());
    threads.poll().run();
    assertEquals(List.of("a", "b", "c", "d"), done);
    threads.poll().run();

    reads.execute(() -> done.add("e"));
    assertEquals(1, threads.size(), "a later read gets a thread again");
  }

  @Test
  void a_read_that_throws_does_not_keep_its_place() {
    for (int i = 0; i < 5; i++) {
      reads.execute(
          () -> {
            throw new IllegalStateException("bad");
          });
      assertEquals(1, threads.size());
      assertThrows(IllegalStateException.class, () -> threads.poll().run());
    }
  }

  @Test
  void all_of_many_threads_reads_run_and_never_more_than_allowed_at_once() throws Exception {
    int callers = 4;
    int each = 5_000;
    ExecutorService pool = Executors.newFixedThreadPool(2 * callers);
    try {
      DiskReads bounded = new DiskReads(pool, 2);
      AtomicInteger atOnce = new AtomicInteger();
      AtomicInteger most = new AtomicInteger();
      CountDownLatch left = new CountDownLatch(callers * each);
      for (int caller = 0; caller < callers; caller++) {
        pool.execute(
            () -> {
              for (int i = 0; i < each; i++) {
                bounded.execute(
                    () -> {
                      most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
                      atOnce.decrementAndGet();
                      left.countDown();
                    });
              }
            });
      }

      assertTrue(left.await(60, TimeUnit.SECONDS), left.getCount() + " reads never ran");
      assertTrue(most.get() <= 2, most + " at once");
    } finally {
      pool.shutdownNow();
    }
  }
}
