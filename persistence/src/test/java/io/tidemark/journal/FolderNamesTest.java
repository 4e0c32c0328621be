package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderNamesTest {
  private static final List<String> NASTY =
      List.of(
          "orders-0@2",
          ".",
          "..",
          "../up",
          "a/b",
          "a\0b",
          "%2e",
          "=sha",
          "Twin",
          "twin",
          "TWIN",
          "größe",
          "日本",
          "x".repeat(200),
          "x".repeat(201),
          "X".repeat(100),
          "n".repeat(5_000));

  @Test
  void every_id_has_a_safe_name_of_its_own_and_is_listed_as_itself(@TempDir Path parent)
      throws IOException {
    Set<String> names = new HashSet<>();
    for (String id : NASTY) {
      String name = FolderNames.encode(id);
      assertTrue(name.matches("[a-z0-9_~%=-][a-z0-9_.~%-]*"), name);
      assertTrue(name.getBytes(StandardCharsets.UTF_8).length <= 200, name);
      assertTrue(names.add(name.toLowerCase(Locale.ROOT)), name);
      FolderNames.create(parent.resolve(name), id);
    }

    assertEquals(Set.copyOf(NASTY), Set.copyOf(FolderNames.list(parent)));
  }
}
