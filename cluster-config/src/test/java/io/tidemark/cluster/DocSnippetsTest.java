package io.tidemark.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the pages show as Java is compiled, and what they show as settings is checked. */
class DocSnippetsTest {
  private static final Path DOCS = Path.of("..", "docs");
  private static final Path SOURCES = Path.of("src/test/java/io/tidemark/cluster");
  private static final String PROJECTIONS =
      "../../../../../../../projection/src/test/java/io/tidemark/projection/ProjectionsExampleTest.java";
  private static final Pattern BLOCK = Pattern.compile("```(\\w+)\\R(.*?)```", Pattern.DOTALL);

  @ParameterizedTest
  @CsvSource({
    "consuming.md, ConsumingSnippets.java " + PROJECTIONS,
    "embedding.md, EmbeddingSnippets.java",
    "getting-started.md, ../../../shop/Orders.java"
  })
  void each_java_block_of_a_page_stands_in_its_sources(String page, String sources)
      throws IOException {
    StringBuilder code = new StringBuilder();
    for (String source : sources.split(" ")) {
      code.append(withoutIndentation(Files.readString(SOURCES.resolve(source))));
    }

    List<String> blocks = blocks("java", page);

    assertTrue(!blocks.isEmpty(), page + " shows no Java");
    for (String block : blocks) {
      assertTrue(
          code.indexOf(withoutIndentation(block)) >= 0,
          () -> sources + " does not hold:\n" + block);
    }
  }

  @ParameterizedTest
  @CsvSource({"embedding.md, 1", "getting-started.md, 3"})
  void the_settings_of_a_page_are_those_of_nodes_that_could_start(String page, int nodes)
      throws IOException {
    List<String> blocks = blocks("hocon", page);

    assertTrue(!blocks.isEmpty(), page + " shows no settings");
    for (String block : blocks) {
      for (int node = 1; node <= nodes; node++) {
        Config settings =
            ConfigFactory.parseString("node = " + node)
                .withFallback(ConfigFactory.parseString(block))
                .withFallback(ConfigFactory.load())
                .resolve();
        if (block.contains("voters")) {
          TidemarkSettings checked = Tidemark.checkSettings(settings);
          assertEquals(node, checked.brokerId());
          assertEquals(List.of(), checked.warnings());
          assertEquals(
              checked.voters().get(node - 1),
              "%s:%d"
                  .formatted(
                      settings.getString("akka.remote.artery.canonical.hostname"),
                      settings.getInt("akka.remote.artery.canonical.port")));
        }
      }
    }
  }

  private static List<String> blocks(String language, String page) throws IOException {
    return BLOCK
        .matcher(Files.readString(DOCS.resolve(page)))
        .results()
        .filter(block -> block.group(1).equals(language))
        .map(block -> block.group(2))
        .toList();
  }

  private static String withoutIndentation(String text) {
    return text.lines().map(String::strip).reduce("", (all, line) -> all + line + "\n");
  }
}
