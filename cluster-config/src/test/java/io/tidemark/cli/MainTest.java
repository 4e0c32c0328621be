package io.tidemark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

class MainTest {

  @Test
  void a_failure_with_a_file_names_the_file_and_what_is_wrong_with_it() {
    assertEquals("d/e: no such file or directory", Main.messageOf(new NoSuchFileException("d/e")));
    assertEquals("d: permission denied", Main.messageOf(new AccessDeniedException("d")));
    assertEquals(
        "d: exists, and is not a directory", Main.messageOf(new FileAlreadyExistsException("d")));
    assertEquals(
        "d: No space left on device",
        Main.messageOf(new FileSystemException("d", null, "No space left on device")));
  }

  @Test
  void what_is_wrapped_around_a_failure_without_a_word_of_its_own_is_left_out() {
    assertEquals(
        "disk gone",
        Main.messageOf(
            new RuntimeException(new UncheckedIOException(new IOException("disk gone")))));
  }
}
