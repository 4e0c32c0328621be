package io.tidemark.cli;

import io.tidemark.protocol.ProduceRequest.Acks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import picocli.CommandLine.ParameterException;

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

  static Acks acks(String text, Function<String, ParameterException> wrong) {
    return switch (text) {
      case "none", "0" -> Acks.NONE;
      case "leader", "1" -> Acks.LEADER;
      case "all" -> Acks.ALL;
      default -> throw wrong.apply("--acks " + text + "; allowed: none, leader, all, 0, 1");
    };
  }

  static void delete(Path dir) throws IOException {
    List<Path> deepestFirst;
    try (Stream<Path> all = Files.walk(dir)) {
      deepestFirst = all.sorted((a, b) -> b.getNameCount() - a.getNameCount()).toList();
    }
    for (Path path : deepestFirst) {
      Files.deleteIfExists(path);
    }
  }
}
