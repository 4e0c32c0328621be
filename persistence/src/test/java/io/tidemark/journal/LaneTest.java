package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LaneTest {
  private static final QueueLimits TWO_ENTRIES = new QueueLimits(2, 1 << 20, Duration.ofDays(1));

  @TempDir Path directory;
  private LogFixture fixture;
  private final List<SegmentLog> unforced = new ArrayList<>();
  private final List<Lane> lanes = new ArrayList<>();
  private final ScheduledExecutorService background = Executors.newSingleThreadScheduledExecutor();

  @BeforeEach
  void open() throws IOException {
    fixture = new LogFixture(directory);
  }

  @AfterEach
  void close() throws InterruptedException {
    for (Lane lane : lanes) {
      lane.close();
    }
    background.shutdown();
  }

  private Lane lane(FlushPolicy policy, QueueLimits limits) {
    WriteAhead ahead = new WriteAhead(directory, "lane" + lanes.size(), 1 << 20, background);
    GroupCommit commit =
        new GroupCommit(
            fixture.logs(),
            new WriteBuffers(0),
            policy,
            ahead,
            log -> {
              synchronized (unforced) {
                unforced.add(log);
              }
            },
            StorageMetrics.NONE);
    Lane lane = new Lane("lane-under-test", commit, limits);
    lanes.add(lane);
    return lane;
  }

  private CompletableFuture<Object> write(Lane lane, String id, long sequenceNr) {
    return lane.write(List.of(fixture.entries(id, sequenceNr, "entry"))).toCompletableFuture();
  }

  private static void await(CompletableFuture<?> future) throws Exception {
    future.get(30, TimeUnit.SECONDS);
  }

  /** Keeps the lane busy until the latch is released, as a hanging disk would. */
  private static CountDownLatch hang(Lane lane) throws Exception {
    CountDownLatch hanging = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    lane.run(
        () -> {
          hanging.countDown();
          return release.await(60, TimeUnit.SECONDS);
        });
    assertTrue(hanging.await(30, TimeUnit.SECONDS));
    return release;
  }

  @Test
  void many_ids_on_many_lanes_are_all_acknowledged_and_readable() throws Exception {
    QueueLimits limits = new QueueLimits(100, 1 << 20, Duration.ofDays(1));
    Lanes all =
        new Lanes(
            List.of(
                lane(FlushPolicy.EACH_COMMIT, limits),
                lane(FlushPolicy.EACH_COMMIT, limits),
                lane(FlushPolicy.EACH_COMMIT, limits)));
    List<CompletableFuture<Object>> writes = new ArrayList<>();
    for (int sequenceNr = 1; sequenceNr <= 10; sequenceNr++) {
      for (int id = 0; id < 60; id++) {
        writes.add(write(all.of("id-" + id), "id-" + id, sequenceNr));
      }
    }

    await(CompletableFuture.allOf(writes.toArray(CompletableFuture[]::new)));

    for (int id = 0; id < 60; id++) {
      assertEquals(10, fixture.read("id-" + id, 1).size());
    }
    assertTrue(unforced.isEmpty());
  }

  @Test
  void with_policy_os_the_log_is_left_for_the_interval_flush() throws Exception {
    await(write(lane(FlushPolicy.OS, TWO_ENTRIES), "a", 1));

    assertEquals(List.of(fixture.log("a")), unforced);
    assertEquals(List.of("1=entry"), fixture.read("a", 1));
  }

  @Test
  void a_second_writer_is_refused_and_the_first_goes_on() throws Exception {
    Lane lane = lane(FlushPolicy.EACH_COMMIT, TWO_ENTRIES);
    CountDownLatch release = hang(lane);
    CompletableFuture<Object> first = write(lane, "a", 1);
    CompletableFuture<Object> second = write(lane, "a", 1);
    release.countDown();

    await(first);

    assertThrows(CompletionException.class, second::join);
    await(write(lane, "a", 2));
  }

  @Test
  void what_is_submitted_after_a_write_sees_it_done() throws Exception {
    Lane lane = lane(FlushPolicy.EACH_COMMIT, TWO_ENTRIES);
    CountDownLatch release = hang(lane);
    write(lane, "a", 1);
    CompletableFuture<Long> highest =
        lane.run(() -> fixture.log("a").recover()).toCompletableFuture();
    release.countDown();

    assertEquals(1, highest.get(30, TimeUnit.SECONDS));
  }

  @Test
  void a_full_queue_holds_writes_and_lets_them_in_when_there_is_room() throws Exception {
    Lane lane = lane(FlushPolicy.EACH_COMMIT, TWO_ENTRIES);
    CountDownLatch release = hang(lane);
    List<CompletableFuture<Object>> writes = new ArrayList<>();
    for (int i = 1; i <= 4; i++) {
      writes.add(write(lane, "a", i));
    }
    lane.expireHeld(System.nanoTime());
    release.countDown();

    await(CompletableFuture.allOf(writes.toArray(CompletableFuture[]::new)));

    assertEquals(4, fixture.read("a", 1).size());
  }

  @Test
  void what_is_held_is_bounded_too() throws Exception {
    Lane lane = lane(FlushPolicy.EACH_COMMIT, TWO_ENTRIES);
    CountDownLatch release = hang(lane);
    for (int i = 1; i <= 4; i++) {
      write(lane, "a", i);
    }

    CompletableFuture<Object> tooMany = write(lane, "a", 5);

    CompletionException failed = assertThrows(CompletionException.class, tooMany::join);
    assertTrue(failed.getMessage().contains("tidemark.storage.queue"), failed.getMessage());
    release.countDown();
  }

  @Test
  void a_write_held_for_too_long_fails_although_the_disk_hangs() throws Exception {
    Lane lane = lane(FlushPolicy.EACH_COMMIT, TWO_ENTRIES);
    CountDownLatch release = hang(lane);
    write(lane, "a", 1);
    CompletableFuture<Object> accepted = write(lane, "a", 2);
    CompletableFuture<Object> held = write(lane, "a", 3);

    lane.expireHeld(System.nanoTime() + Duration.ofDays(2).toNanos());

    CompletionException failed = assertThrows(CompletionException.class, held::join);
    assertTrue(failed.getMessage().contains("tidemark.storage.queue"), failed.getMessage());
    assertFalse(accepted.isDone());
    release.countDown();
    await(accepted);
    assertEquals(2, fixture.read("a", 1).size());
  }

  @Test
  void a_closed_lane_has_done_what_it_accepted_and_refuses_more() throws Exception {
    Lane lane = lane(FlushPolicy.EACH_COMMIT, TWO_ENTRIES);
    CountDownLatch release = hang(lane);
    List<CompletableFuture<Object>> writes = new ArrayList<>();
    for (int i = 1; i <= 4; i++) {
      writes.add(write(lane, "a", i));
    }
    release.countDown();

    lane.close();

    assertTrue(writes.stream().allMatch(it -> it.isDone() && !it.isCompletedExceptionally()));
    assertThrows(CompletionException.class, () -> write(lane, "a", 5).join());
  }

  @Test
  void with_each_commit_an_acknowledged_write_has_been_forced() throws Exception {
    Lane lane = lane(FlushPolicy.EACH_COMMIT, TWO_ENTRIES);
    for (int sequenceNr = 1; sequenceNr <= 4; sequenceNr++) {
      await(write(lane, "a", sequenceNr));
    }
    List<Long> forcedBefore = new ArrayList<>();

    fixture.log("a").read(1, entry -> forcedBefore.add(entry.durableSequenceNr()));

    assertEquals(List.of(0L, 1L, 2L, 3L), forcedBefore);
  }
}
