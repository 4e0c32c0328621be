package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SegmentLogTest {
  private static final String BIG = "x".repeat(700);

  @TempDir Path directory;
  private LogFixture fixture;

  @BeforeEach
  void open() throws IOException {
    fixture = new LogFixture(directory);
  }

  @Test
  void entries_survive_a_restart_in_order() throws IOException {
    fixture.commit("a", 1, "one");
    fixture.commit("a", 2, "two", "three");

    fixture.restart();

    assertEquals(3, fixture.log("a").recover());
    assertEquals(List.of("1=one", "2=two", "3=three"), fixture.read("a", 1));
    assertEquals(List.of("3=three"), fixture.read("a", 3));
  }

  @Test
  void readers_do_not_see_what_is_not_acknowledged() throws IOException {
    fixture.commit("a", 1, "one");
    fixture.write("a", 2, "two");

    assertEquals(List.of("1=one"), fixture.read("a", 1));
  }

  @Test
  void a_log_grows_over_segments_that_double_up_to_the_largest() throws IOException {
    List<String> written = new ArrayList<>();
    for (int i = 1; i <= 80; i++) {
      fixture.commit("a", i, BIG);
      written.add(i + "=" + BIG);
    }

    List<Long> sizes = new ArrayList<>();
    for (Path segment : fixture.segments("a")) {
      sizes.add(Files.size(segment));
    }
    assertEquals(List.of(4096L, 8192L, 16384L, 16384L, 16384L), sizes.subList(0, 5));
    assertEquals(written, fixture.read("a", 1));
    fixture.restart();
    assertEquals(80, fixture.log("a").recover());
    assertEquals(written.subList(36, 80), fixture.read("a", 37));
  }

  @Test
  void an_entry_larger_than_a_segment_has_one_of_its_own() throws IOException {
    String huge = "y".repeat(100_000);
    fixture.commit("a", 1, "one");
    fixture.commit("a", 2, huge);
    fixture.commit("a", 3, "three");

    fixture.restart();

    assertEquals(List.of("1=one", "2=" + huge, "3=three"), fixture.read("a", 1));
    assertEquals(3, fixture.segments("a").size());
  }

  @Test
  void a_sequence_number_out_of_order_is_refused_and_changes_nothing() throws IOException {
    fixture.commit("a", 1, "one");

    WriteRefusedException refused =
        assertThrows(WriteRefusedException.class, () -> fixture.write("a", 3, "three"));

    assertTrue(refused.getMessage().contains("expects sequence number 2"), refused.getMessage());
    fixture.commit("a", 2, "two");
    assertEquals(List.of("1=one", "2=two"), fixture.read("a", 1));
  }

  @Test
  void a_rejected_event_uses_up_its_sequence_number() throws IOException {
    fixture.commit("a", 1, "one");
    fixture.log("a").append(new AtomicEntries("a", 2, 2, null), true);
    fixture.commit("a", 3, "three");

    fixture.restart();

    assertEquals(List.of("1=one", "3=three"), fixture.read("a", 1));
    assertEquals(List.of("3=three"), fixture.read("a", 2));
  }

  @Test
  void deletes_free_whole_segments() throws IOException {
    for (int i = 1; i <= 40; i++) {
      fixture.commit("a", i, BIG);
    }
    int before = fixture.segments("a").size();

    fixture.log("a").deleteTo(30);

    assertTrue(fixture.segments("a").size() < before);
    assertEquals("31=" + BIG, fixture.read("a", 1).get(0));
    fixture.restart();
    assertEquals("31=" + BIG, fixture.read("a", 1).get(0));
    assertEquals(40, fixture.log("a").recover());
  }

  @Test
  void the_highest_sequence_number_survives_the_deletion_of_everything() throws IOException {
    for (int i = 1; i <= 20; i++) {
      fixture.commit("a", i, BIG);
    }

    fixture.log("a").deleteTo(Long.MAX_VALUE);

    assertEquals(List.of(), fixture.segments("a"));
    fixture.restart();
    assertEquals(20, fixture.log("a").recover());
    fixture.commit("a", 21, "next");
    fixture.restart();
    assertEquals(List.of("21=next"), fixture.read("a", 1));
  }

  @Test
  void a_deletion_of_more_than_there_is_deletes_what_there_is() throws IOException {
    fixture.log("a").deleteTo(5);
    assertEquals(0, fixture.log("a").recover());

    fixture.commit("a", 1, "one");

    assertEquals(List.of("1=one"), fixture.read("a", 1));
  }

  @Test
  void open_files_stay_within_their_limit() throws IOException {
    for (int i = 0; i < 50; i++) {
      fixture.commit("id-" + i, 1, "one");
    }

    for (int i = 0; i < 50; i++) {
      assertEquals(List.of("1=one"), fixture.read("id-" + i, 1));
    }
    assertTrue(fixture.logs().files().size() <= 8);
  }

  @Test
  void a_reader_starts_near_the_entry_it_wants() throws IOException {
    String payload = "z".repeat(8_000);
    for (int i = 1; i <= 200; i++) {
      fixture.commit("a", i, payload);
    }
    fixture.restart();

    assertEquals("150=" + payload, fixture.read("a", 150).get(0));
    assertEquals("77=" + payload, fixture.read("a", 77).get(0));
  }
}
