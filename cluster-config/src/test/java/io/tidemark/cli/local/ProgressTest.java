package io.tidemark.cli.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class ProgressTest {
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private long now;

  @Test
  void away_from_a_terminal_there_are_plain_lines_now_and_then() {
    Progress progress = progress(false);

    for (int i = 0; i < 1_000; i++) {
      progress.show("sending", i, 1_000);
    }
    progress.show("reading", 0, 3);
    progress.end();

    assertTrue(lines()[0].equals("sending: 0 of 1000"), written::toString);
    assertEquals("reading: 0 of 3", lines()[lines().length - 1]);
    assertTrue(lines().length < 100, written::toString);
    assertTrue(written.toString(UTF_8).indexOf('\r') < 0);
  }

  @Test
  void what_is_said_is_a_line_of_its_own_and_the_progress_goes_on_after_it() {
    Progress progress = progress(false);

    progress.show("sending", 1, 10);
    progress.say("killing node 1");
    progress.show("sending", 2, 10);

    assertEquals("sending: 1 of 10\nkilling node 1\nsending: 2 of 10\n", written.toString(UTF_8));
  }

  @Test
  void on_a_terminal_a_bar_is_drawn_over_itself_and_closed_before_something_is_said() {
    Progress progress = progress(true);

    progress.show("sending", 5, 10);
    progress.say("killing node 1");
    progress.show("waiting", 0, 0);

    assertEquals(
        "\r"
            + "#".repeat(15)
            + ".".repeat(15)
            + " sending 5/10\nkilling node 1\n\r"
            + "#".repeat(30)
            + " waiting 0/0",
        written.toString(UTF_8));
  }

  @Test
  void away_from_a_terminal_what_does_not_change_is_said_three_times_a_minute() {
    Progress progress = progress(false);

    for (int second = 0; second < 60; second++) {
      progress.show("in sync", 0, 8);
      now += 1_000_000_000L;
    }
    progress.show("in sync", 1, 8);

    assertEquals("in sync: 0 of 8\n".repeat(3) + "in sync: 1 of 8\n", written.toString(UTF_8));
  }

  private Progress progress(boolean terminal) {
    return new Progress(new PrintStream(written, true, UTF_8), terminal, () -> now);
  }

  private String[] lines() {
    return written.toString(UTF_8).split("\n");
  }
}
