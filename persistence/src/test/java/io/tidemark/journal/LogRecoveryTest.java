package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogRecoveryTest {
  private static final String BIG = "x".repeat(700);

  @TempDir Path directory;
  private LogFixture fixture;

  @BeforeEach
  void open() throws IOException {
    fixture = new LogFixture(directory);
  }

  private Path onlySegment() throws IOException {
    assertEquals(1, fixture.segments("a").size());
    return fixture.segments("a").get(0);
  }

  @Test
  void a_torn_end_is_cut_and_counted() throws IOException {
    fixture.commit("a", 1, "one");
    fixture.write("a", 2, "two");
    Path segment = onlySegment();
    LogFixture.damage(segment, LogFixture.entryPositions(segment).get(1) + 60);

    fixture.restart();

    assertEquals(1, fixture.log("a").recover());
    assertTrue(fixture.logs().cutBytes() > 0);
    fixture.commit("a", 2, "other");
    assertEquals(List.of("1=one", "2=other"), fixture.read("a", 1));
  }

  @Test
  void an_unwritten_end_is_no_cut() throws IOException {
    fixture.commit("a", 1, "one");

    fixture.restart();

    assertEquals(1, fixture.log("a").recover());
    assertEquals(0, fixture.logs().cutBytes());
  }

  @Test
  void what_lay_behind_a_cut_never_comes_back() throws IOException {
    fixture.commit("a", 1, "one");
    fixture.write("a", 2, "two");
    fixture.write("a", 3, "old");
    Path segment = onlySegment();
    List<Integer> positions = LogFixture.entryPositions(segment);
    byte[] before = Files.readAllBytes(segment);
    LogFixture.damage(segment, positions.get(1) + 60);
    fixture.restart();
    assertEquals(1, fixture.log("a").recover());

    byte[] after = Files.readAllBytes(segment);
    for (int i = positions.get(1); i < after.length; i++) {
      assertEquals(0, after[i], "byte " + i + " of " + before.length);
    }
    fixture.commit("a", 2, "new");
    fixture.restart();

    assertEquals(List.of("1=one", "2=new"), fixture.read("a", 1));
  }

  @Test
  void an_atomic_write_is_kept_whole_or_not_at_all() throws IOException {
    fixture.commit("a", 1, "one");
    fixture.write("a", 2, "two", "three", "four");
    Path segment = onlySegment();
    LogFixture.damage(segment, LogFixture.entryPositions(segment).get(3) + 60);

    fixture.restart();

    assertEquals(1, fixture.log("a").recover());
    assertEquals(List.of("1=one"), fixture.read("a", 1));
  }

  @Test
  void damage_below_a_later_forced_entry_fails_that_id_alone_and_names_the_place()
      throws IOException {
    for (int i = 1; i <= 3; i++) {
      fixture.commit("a", i, "entry");
      fixture.commit("b", i, "entry");
    }
    Path segment = onlySegment();
    int position = LogFixture.entryPositions(segment).get(1);
    LogFixture.damage(segment, position + 60);
    byte[] asDamaged = Files.readAllBytes(segment);

    fixture.restart();

    DamagedLogException damaged =
        assertThrows(DamagedLogException.class, () -> fixture.log("a").recover());
    assertEquals(segment, damaged.file());
    assertEquals(position, damaged.position());
    assertEquals(2, damaged.sequenceNr());
    assertTrue(damaged.getMessage().contains("Restore this folder"), damaged.getMessage());
    assertEquals(3, fixture.log("b").recover());
    assertEquals(0, Arrays.compare(asDamaged, Files.readAllBytes(segment)));
  }

  @Test
  void damage_in_an_earlier_segment_is_found_when_it_is_read() throws IOException {
    for (int i = 1; i <= 20; i++) {
      fixture.commit("a", i, BIG);
    }
    Path segment = fixture.segments("a").get(1);
    LogFixture.damage(segment, LogFixture.entryPositions(segment).get(2) + 60);

    fixture.restart();

    assertEquals(20, fixture.log("a").recover());
    DamagedLogException damaged =
        assertThrows(DamagedLogException.class, () -> fixture.read("a", 1));
    assertEquals(segment, damaged.file());
  }

  @Test
  void a_missing_segment_in_the_middle_is_damage() throws IOException {
    for (int i = 1; i <= 30; i++) {
      fixture.commit("a", i, BIG);
    }
    Files.delete(fixture.segments("a").get(1));

    fixture.restart();

    assertThrows(DamagedLogException.class, () -> fixture.read("a", 1));
  }

  @Test
  void damage_at_the_end_of_an_orderly_closed_log_is_found_when_it_is_read() throws IOException {
    fixture.commit("a", 1, "one");
    fixture.commit("a", 2, "two");
    fixture.logs().close();
    Path segment = onlySegment();
    LogFixture.damage(segment, LogFixture.entryPositions(segment).get(1) + 60);

    fixture.restart();

    assertEquals(2, fixture.log("a").recover());
    assertThrows(DamagedLogException.class, () -> fixture.read("a", 1));
  }

  @Test
  void damage_at_the_end_of_an_orderly_closed_log_without_index_is_no_torn_end()
      throws IOException {
    fixture.commit("a", 1, "one");
    fixture.commit("a", 2, "two");
    fixture.logs().close();
    Path segment = onlySegment();
    Files.delete(IndexFile.of(segment));
    LogFixture.damage(segment, LogFixture.entryPositions(segment).get(1) + 60);

    fixture.restart();

    assertThrows(DamagedLogException.class, () -> fixture.log("a").recover());
  }

  @Test
  void only_what_comes_behind_the_last_checkpoint_is_scanned() throws IOException {
    fixture.commit("a", 1, "one");
    fixture.commit("a", 2, "two");
    fixture.log("a").checkpoint();
    fixture.commit("a", 3, "three");
    Path segment = onlySegment();
    List<Integer> positions = LogFixture.entryPositions(segment);
    LogFixture.damage(segment, positions.get(0) + 60);

    fixture.restart();

    assertEquals(3, fixture.log("a").recover());
    assertThrows(DamagedLogException.class, () -> fixture.read("a", 1));
  }

  @Test
  void a_damaged_index_file_is_made_anew() throws IOException {
    for (int i = 1; i <= 40; i++) {
      fixture.commit("a", i, BIG);
    }
    fixture.log("a").checkpoint();
    for (Path segment : fixture.segments("a")) {
      LogFixture.damage(IndexFile.of(segment), 50);
    }

    fixture.restart();

    assertEquals(40, fixture.log("a").recover());
    assertEquals(40, fixture.read("a", 1).size());
    assertEquals(1, fixture.read("a", 40).size());
  }

  @Test
  void a_segment_behind_an_unforced_one_is_cut_with_it() throws IOException {
    fixture.commit("a", 1, "one");
    for (int i = 2; i <= 8; i++) {
      fixture.write("a", i, BIG);
    }
    assertEquals(2, fixture.segments("a").size());
    Path first = fixture.segments("a").get(0);
    LogFixture.damage(first, LogFixture.entryPositions(first).get(2) + 60);

    fixture.restart();

    assertEquals(2, fixture.log("a").recover());
    assertEquals(1, fixture.segments("a").size());
    fixture.commit("a", 3, "three");
    assertEquals(List.of("1=one", "2=" + BIG, "3=three"), fixture.read("a", 1));
  }

  @Test
  void a_failed_log_refuses_everything_until_it_is_recovered() throws IOException {
    fixture.commit("a", 1, "one");
    Path segment = onlySegment();
    Path aside = segment.resolveSibling("aside");
    fixture.logs().files().forget(segment);
    Files.move(segment, aside);
    assertThrows(IOException.class, () -> fixture.write("a", 2, "two"));
    Files.move(aside, segment);

    assertThrows(WriteRefusedException.class, () -> fixture.write("a", 2, "two"));
    assertThrows(WriteRefusedException.class, () -> fixture.log("a").force());

    assertEquals(1, fixture.log("a").recover());
    fixture.commit("a", 2, "two");
    assertEquals(List.of("1=one", "2=two"), fixture.read("a", 1));
  }

  @Test
  void a_segment_that_was_cut_to_nothing_gives_way_to_a_larger_one() throws IOException {
    fixture.write("a", 1, "lost");
    Path segment = onlySegment();
    LogFixture.damage(segment, LogFixture.entryPositions(segment).get(0) + 60);
    fixture.restart();
    assertEquals(0, fixture.log("a").recover());

    fixture.commit("a", 1, BIG.repeat(10));

    assertEquals(List.of("1=" + BIG.repeat(10)), fixture.read("a", 1));
    fixture.restart();
    assertEquals(List.of("1=" + BIG.repeat(10)), fixture.read("a", 1));
  }

  @Test
  void segments_of_a_log_deleted_as_a_whole_stay_deleted_when_they_come_back() throws IOException {
    for (int i = 1; i <= 20; i++) {
      fixture.commit("a", i, BIG);
    }
    Path oldest = fixture.segments("a").get(0);
    byte[] content = Files.readAllBytes(oldest);
    fixture.log("a").deleteTo(20);
    Files.write(oldest, content);

    fixture.restart();

    assertEquals(20, fixture.log("a").recover());
    assertEquals(List.of(), fixture.segments("a"));
    fixture.commit("a", 21, "next");
    assertEquals(List.of("21=next"), fixture.read("a", 1));
  }

  @Test
  void a_write_whose_force_failed_is_not_seen_before_a_recovery_has_forced_it() throws IOException {
    fixture.commit("a", 1, "one");
    fixture.write("a", 2, "two");
    Path segment = onlySegment();
    Path aside = segment.resolveSibling("aside");
    fixture.logs().files().forget(segment);
    Files.move(segment, aside);
    assertThrows(IOException.class, () -> fixture.log("a").force());
    Files.move(aside, segment);

    assertEquals(List.of("1=one"), fixture.read("a", 1));
    assertThrows(WriteRefusedException.class, () -> fixture.log("a").force());
    assertThrows(WriteRefusedException.class, () -> fixture.write("a", 3, "three"));

    assertEquals(2, fixture.log("a").recover());
    assertEquals(List.of("1=one", "2=two"), fixture.read("a", 1));
  }
}
