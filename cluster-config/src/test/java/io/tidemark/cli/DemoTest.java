package io.tidemark.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoTest {
  @TempDir private Path dir;

  @Test
  void nasty_lines_are_replicated_as_they_are_and_a_line_that_is_too_long_is_rejected()
      throws Exception {
    Path input = Files.write(dir.resolve("input"), nastyLines());

    CommandLineProcess demo =
        new CommandLineProcess(dir, List.of("demo", "--json", input.toString()));

    assertEquals(0, demo.awaitExit(), () -> demo.output() + demo.error());
    JsonNode found = demo.json();
    assertTrue(found.get("ok").booleanValue());
    assertEquals(1, found.get("rejected").intValue());
    assertEquals(2_010, found.get("records").intValue());
    assertEquals(2_009, found.get("acked").intValue());
    assertEquals(2_009, found.get("read").intValue());
    assertTrue(found.get("killedBroker").intValue() > 0);
    assertTrue(demo.error().contains(input + ":2005: rejected"), demo::error);
    demo.assertNothingLeft();
  }

  /** 2,010 lines: the 2,005th has 3 MB, the last one has no end. */
  private static byte[] nastyLines() throws IOException {
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    for (int i = 0; i < 1_000; i++) {
      lines.write(("line " + i + "\r\n").getBytes(US_ASCII));
      lines.write('\n');
    }
    byte[] long900k = new byte[900_000];
    Arrays.fill(long900k, (byte) 'x');
    for (int i = 0; i < 4; i++) {
      lines.write(long900k);
      lines.write('\n');
    }
    lines.write(new byte[3_000_000]);
    lines.write('\n');
    lines.write(new byte[] {(byte) 0xff, (byte) 0xfe, (byte) 0xc0, '\n'});
    lines.write(new byte[] {0, 0, '\n'});
    lines.write(new byte[] {'\r', '\n'});
    lines.write(new byte[] {'\n'});
    lines.write(new byte[] {'e', 'n', 'd'});
    return lines.toByteArray();
  }

  @Test
  void an_empty_file_is_no_failure() throws Exception {
    Path input = Files.createFile(dir.resolve("input"));

    CommandLineProcess demo =
        new CommandLineProcess(dir, List.of("demo", "--json", "--no-fault", input.toString()));

    assertEquals(0, demo.awaitExit(), () -> demo.output() + demo.error());
    assertTrue(demo.json().get("ok").booleanValue());
    assertEquals(0, demo.json().get("records").intValue());
    demo.assertNothingLeft();
  }

  @Test
  void an_interrupt_in_the_middle_leaves_nothing_behind() throws Exception {
    Path input = dir.resolve("input");
    Files.write(input, IntStream.range(0, 200_000).mapToObj(i -> "line " + i).toList());
    CommandLineProcess demo = new CommandLineProcess(dir, List.of("demo", input.toString()));
    demo.awaitError("acknowledged: ");

    demo.interrupt();

    assertNotEquals(0, demo.awaitExit());
    assertTrue(demo.childrenSeen() >= 3, "children seen: " + demo.childrenSeen());
    demo.assertNothingLeft();
  }
}
