package io.tidemark.cluster;

import static java.util.stream.Collectors.toMap;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What docs/guarantees.md names as proof is there. */
class DocNamesTest {
  private static final Pattern NAME = Pattern.compile("`([A-Z]\\w*[a-z]\\w*)(?:\\.(\\w+))?[^`]*`");

  @Test
  void every_class_and_every_method_that_the_guarantees_name_exists() throws IOException {
    Map<String, Path> sources = sources();
    List<String> missing = new ArrayList<>();

    List<MatchResult> names =
        NAME.matcher(Files.readString(Path.of("..", "docs", "guarantees.md"))).results().toList();
    for (MatchResult name : names) {
      Path source = sources.get(name.group(1) + ".java");
      String member = name.group(2);
      if (source == null || member != null && !Files.readString(source).contains(member + "(")) {
        missing.add(name.group());
      }
    }

    assertTrue(names.size() > 60, "only " + names.size() + " names");
    assertEquals(List.of(), missing);
  }

  /** By file name; where several modules have one of the same name, any of them. */
  private static Map<String, Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of(".."))) {
      return files
          .filter(file -> file.toString().contains("/src/") && file.toString().endsWith(".java"))
          .collect(toMap(file -> file.getFileName().toString(), file -> file, (one, two) -> one));
    }
  }
}
