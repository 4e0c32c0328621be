package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.journal.SimulatedDisk.Op;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeletionTest {
  private static final String EVENT = "x".repeat(700);
  private static final int EVENTS = 40;

  @TempDir Path directory;

  @BeforeAll
  static void silence() {
    QuietLogs.begin();
  }

  @AfterAll
  static void speak() {
    QuietLogs.end();
  }

  private static void fill(LogFixture fixture) throws IOException {
    for (int i = 1; i <= EVENTS; i++) {
      fixture.commit("a", i, EVENT);
    }
  }

  @Test
  void the_highest_sequence_number_survives_a_death_at_any_step_of_deleting_all()
      throws IOException {
    boolean finished = false;
    int changes = 0;
    for (; !finished; changes++) {
      SimulatedDisk disk = new SimulatedDisk();
      LogFixture fixture = new LogFixture(disk.path("/journal"));
      fill(fixture);
      finished = deleteAll(fixture, disk, changes);
      for (long seed = 0; seed < 10; seed++) {
        Random random = new Random(seed);
        SimulatedDisk left = disk.afterPowerLoss(random::nextInt);
        LogFixture after = new LogFixture(left.path("/journal"));
        String context = "changes " + changes + " seed " + seed;

        assertEquals(EVENTS, after.log("a").recover(), context);

        after.log("a").deleteTo(EVENTS);
        assertEquals(0, segments(left), context);
        after.restart();
        assertEquals(EVENTS, after.log("a").recover(), context);
        after.commit("a", EVENTS + 1, "next");
        assertEquals(List.of(EVENTS + 1 + "=next"), after.read("a", 1), context);
      }
    }
    assertTrue(changes > 5, "only " + changes + " changes");
  }

  private static boolean deleteAll(LogFixture fixture, SimulatedDisk disk, int changes) {
    int[] left = {changes};
    disk.faults(
        (op, path) -> {
          if (op != Op.LOOK && op != Op.READ && op != Op.OPEN && left[0]-- <= 0) {
            throw new IOException("The power is off");
          }
        });
    try {
      fixture.log("a").deleteTo(EVENTS);
      return true;
    } catch (IOException e) {
      return false;
    } finally {
      disk.well();
    }
  }

  private static long segments(SimulatedDisk disk) {
    return disk.files().keySet().stream().filter(it -> it.endsWith(Segment.SUFFIX)).count();
  }

  @Test
  void what_a_death_has_left_of_deleted_segments_goes_at_the_next_start() throws IOException {
    SimulatedDisk disk = new SimulatedDisk();
    LogFixture fixture = new LogFixture(disk.path("/journal"));
    fill(fixture);
    assertTrue(segments(disk) > 2);
    disk.faults(
        (op, path) -> {
          if (op == Op.DELETE) {
            throw new IOException("The power is off");
          }
        });
    assertThrows(IOException.class, () -> fixture.log("a").deleteTo(EVENTS));
    disk.well();

    fixture.restart();

    assertEquals(EVENTS, fixture.log("a").recover());
    assertEquals(0, segments(disk));
  }

  @Test
  void disk_space_comes_back() throws IOException {
    LogFixture fixture = new LogFixture(directory);
    fill(fixture);
    long full = bytes();

    fixture.log("a").deleteTo(EVENTS / 2);
    long half = bytes();
    fixture.log("a").deleteTo(EVENTS);

    assertTrue(half < full, half + " of " + full + " bytes");
    assertTrue(bytes() < 100, bytes() + " bytes");
  }

  private long bytes() throws IOException {
    long bytes = 0;
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        bytes += Files.size(file);
      }
    }
    return bytes;
  }

  @Test
  void a_log_whose_folder_is_removed_while_it_is_open_does_not_begin_anew() throws IOException {
    LogFixture fixture = new LogFixture(directory);
    fill(fixture);
    try (Stream<Path> files = Files.list(directory.resolve("a"))) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(directory.resolve("a"));
    assertThrows(
        IOException.class,
        () -> {
          for (int i = EVENTS + 1; ; i++) {
            fixture.commit("a", i, EVENT);
          }
        });

    DamagedLogException damage =
        assertThrows(DamagedLogException.class, () -> fixture.log("a").recover());

    assertTrue(damage.getMessage().contains(directory.resolve("a").toString()));
    assertThrows(WriteRefusedException.class, () -> fixture.write("a", 1, "anew"));
  }
}
