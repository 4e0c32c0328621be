package io.tidemark.cluster;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the pages show as Java is code that is compiled. */
class DocSnippetsTest {
  private static final Path DOCS = Path.of("..", "docs");
  private static final Path SOURCES = Path.of("src/test/java/io/tidemark/cluster");
  private static final Pattern BLOCK = Pattern.compile("```java\\R(.*?)```", Pattern.DOTALL);

  @ParameterizedTest
  @CsvSource({"consuming.md, ConsumingSnippets.java"})
  void each_java_block_of_a_page_stands_in_its_source(String page, String source)
      throws IOException {
    String code = withoutIndentation(Files.readString(SOURCES.resolve(source)));

    List<String> blocks = new ArrayList<>();
    Matcher found = BLOCK.matcher(Files.readString(DOCS.resolve(page)));
    while (found.find()) {
      blocks.add(found.group(1));
    }

    assertTrue(!blocks.isEmpty(), page + " shows no Java");
    for (String block : blocks) {
      assertTrue(
          code.contains(withoutIndentation(block)), () -> source + " does not hold:\n" + block);
    }
  }

  private static String withoutIndentation(String text) {
    return text.lines().map(String::strip).reduce("", (all, line) -> all + line + "\n");
  }
}
