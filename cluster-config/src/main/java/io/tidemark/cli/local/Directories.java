package io.tidemark.cli.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Directories that come and go with a command. */
public final class Directories {
  private Directories() {}

  public static void delete(Path dir) throws IOException {
    List<Path> deepestFirst;
    try (Stream<Path> all = Files.walk(dir)) {
      deepestFirst = all.sorted((a, b) -> b.getNameCount() - a.getNameCount()).toList();
    }
    for (Path path : deepestFirst) {
      Files.deleteIfExists(path);
    }
  }
}
