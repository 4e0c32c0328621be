package io.tidemark.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinesTest {
  private static final int BUFFER = 1 << 20;

  @TempDir private Path dir;

  @Test
  void an_empty_file_has_no_line() throws IOException {
    assertEquals(List.of(), linesOf("", 10));
  }

  @Test
  void an_end_of_line_alone_is_an_empty_line() throws IOException {
    assertEquals(List.of("", ""), linesOf("\n\n", 10));
  }

  @Test
  void the_last_line_may_have_no_end() throws IOException {
    assertEquals(List.of("a", "b"), linesOf("a\nb", 10));
  }

  @Test
  void a_file_that_ends_with_an_end_of_line_has_no_further_line() throws IOException {
    assertEquals(List.of("a", "b"), linesOf("a\nb\n", 10));
  }

  @Test
  void nothing_is_trimmed_or_decoded() throws IOException {
    assertEquals(List.of(" a\r", "\0", "\u00ff\u00fe"), linesOf(" a\r\n\0\n\u00ff\u00fe", 10));
  }

  @Test
  void a_line_may_have_as_many_bytes_as_are_allowed() throws IOException {
    assertEquals(List.of("abc", "d"), linesOf("abc\nd", 3));
  }

  @Test
  void of_a_longer_line_only_one_byte_more_is_kept_and_its_length() throws IOException {
    Path file = Files.writeString(dir.resolve("file"), "abcdefgh\nx\n", ISO_8859_1);

    try (Lines lines = new Lines(file, 3)) {
      assertEquals("abcd", new String(lines.next(), ISO_8859_1));
      assertEquals(8, lines.length());
      assertEquals("x", new String(lines.next(), ISO_8859_1));
      assertEquals(1, lines.length());
    }
  }

  @Test
  void a_line_may_end_where_the_buffer_does() throws IOException {
    for (int around = -2; around <= 2; around++) {
      String first = "a".repeat(BUFFER + around);

      assertEquals(List.of(first, "", "b"), linesOf(first + "\n\nb", 2 * BUFFER));
      assertEquals(List.of(first), linesOf(first, 2 * BUFFER));
    }
  }

  @Test
  void a_line_may_fill_several_buffers() throws IOException {
    String first = "a".repeat(3 * BUFFER + 5);

    assertEquals(List.of(first, "b"), linesOf(first + "\nb", 4 * BUFFER));
    assertEquals(List.of("a".repeat(101), "b"), linesOf(first + "\nb", 100));
  }

  private List<String> linesOf(String content, int maxBytes) throws IOException {
    Path file = Files.writeString(dir.resolve("file"), content, ISO_8859_1);
    List<String> found = new ArrayList<>();
    try (Lines lines = new Lines(file, maxBytes)) {
      for (byte[] line = lines.next(); line != null; line = lines.next()) {
        found.add(new String(line, ISO_8859_1));
      }
    }
    return found;
  }
}
