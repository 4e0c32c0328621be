package io.tidemark.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Where the demo's input comes from, and where its nodes keep their data. */
final class DemoFiles {
  private static final List<String> SOURCES = List.of(".java", ".xml", ".md", ".conf");

  private DemoFiles() {}

  /** The sources beside the command, none when it was moved away from them. */
  static List<Path> ownSources() throws IOException {
    String home = System.getProperty("tidemark.home");
    if (home == null) {
      return List.of();
    }
    try (Stream<Path> all = Files.walk(Path.of(home))) {
      return all.filter(Files::isRegularFile)
          .filter(file -> SOURCES.stream().anyMatch(end -> file.toString().endsWith(end)))
          .filter(file -> !(file + "/").contains("/target/"))
          .sorted()
          .toList();
    }
  }

  static boolean isEmptyOrNew(Path dir) throws IOException {
    if (!Files.exists(dir)) {
      return true;
    }
    if (!Files.isDirectory(dir)) {
      return false;
    }
    try (Stream<Path> entries = Files.list(dir)) {
      return entries.findAny().isEmpty();
    }
  }
}
