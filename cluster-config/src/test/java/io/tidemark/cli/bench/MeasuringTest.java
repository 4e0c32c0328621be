package io.tidemark.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.cli.bench.Machine.CpuTime;
import io.tidemark.cli.bench.NodeCounters.Counts;
import java.util.List;
import org.junit.jupiter.api.Test;

class MeasuringTest {

  @Test
  void cpu_time_is_read_and_what_others_took_is_the_rest() {
    CpuTime before = CpuTime.parse("cpu  100 0 100 700 100 0 0 0 0 0\ncpu0 1 2 3");
    CpuTime after = CpuTime.parse("cpu  300 100 200 1000 200 50 50 100 0 0\ncpu0 1 2 3");

    assertEquals(new CpuTime(10, 2), before);
    assertEquals(new CpuTime(20, 8), after);
    assertEquals(20, after.othersPercentSince(before, 4), 1e-9);
    assertEquals(0, after.othersPercentSince(before, 7), 1e-9);
  }

  @Test
  void without_cpu_time_nothing_is_known_of_others() {
    for (String stat : List.of("", "intr 1 2 3 4 5 6 7 8 9", "cpu 1 2")) {
      assertEquals(CpuTime.UNKNOWN, CpuTime.parse(stat));
    }
    assertTrue(Double.isNaN(CpuTime.UNKNOWN.othersPercentSince(CpuTime.UNKNOWN, 1)));
  }

  @Test
  void counts_survive_the_file_and_are_subtracted_and_added() {
    Counts before = new Counts(1, 2, 3, 4, 5, 6);
    Counts after = Counts.parse(new Counts(11, 22, 33, 44, 55, 66).text() + "\n");

    assertEquals(new Counts(10, 20, 30, 40, 55, 60), after.since(before));
    assertEquals(new Counts(12, 24, 36, 48, 60, 72), after.plus(before));
  }

  @Test
  void the_median_second_is_one_of_them() {
    assertEquals(3, Window.median(new double[] {9, 3, 1}));
    assertEquals(3, Window.median(new double[] {9, 4, 3, 1}));
    assertEquals(7, Window.median(new double[] {7}));
  }

  @Test
  void a_record_of_an_open_loop_has_its_own_time_whatever_came_before() throws Exception {
    long start = System.nanoTime() - 1_000_000_000;
    Pace pace = Pace.atRate(new Room(1_000, 100), 1_000, start);

    assertEquals(start + 5_000_000, pace.await(5));
    assertEquals(start + 100_000_000, pace.await(100));
    assertEquals(1_500_000_000_000L, Pace.intendedAt(0, 2, 3_000));
  }

  @Test
  void what_has_no_room_is_skipped_by_an_open_loop() throws Exception {
    Room room = new Room(400, 100);
    Pace pace = Pace.atRate(room, 1_000, System.nanoTime());

    assertTrue(pace.await(0) != Pace.SKIPPED);
    assertTrue(pace.await(0) != Pace.SKIPPED);
    assertEquals(Pace.SKIPPED, pace.await(0));
    room.give();
    assertTrue(pace.await(0) != Pace.SKIPPED);
    assertFalse(room.take());
  }

  @Test
  void a_tally_counts_by_partition_and_keeps_the_first_failure() {
    Tally tally = new Tally(2);

    tally.acknowledged(0, 1_000, 3_000);
    tally.acknowledged(1, 1_000, 2_000);
    tally.acknowledged(2, 1_000, 2_000);
    tally.failed("first");
    tally.failed("second");

    assertEquals(3, tally.acknowledged());
    assertEquals(2, tally.acknowledgedOf(0));
    assertEquals(1, tally.acknowledgedOf(1));
    assertEquals(2, tally.failed());
    assertEquals("first", tally.firstFailure());
    assertEquals(2_000, tally.takeLatencies().getMaxValue(), 2);
    assertEquals(0, tally.takeLatencies().getTotalCount());
  }
}
