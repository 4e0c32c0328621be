package io.tidemark.testkit;

import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Java in the documentation is Java that a test has run. */
class DocExamplesTest {
  private static final Pattern JAVA = Pattern.compile("```java\\R(.*?)```", Pattern.DOTALL);

  /** Without indentation, which depends on where it stands. */
  private static String lines(String text) {
    return text.lines().map(String::strip).filter(line -> !line.isEmpty()).collect(joining("\n"));
  }

  @ParameterizedTest
  @CsvSource({"producing.md, ProducingExamplesTest, 8", "testing.md, TestingExampleTest, 1"})
  void every_example_of_a_page_is_in_a_test(String page, String test, int least)
      throws IOException {
    String source =
        lines(Files.readString(Path.of("src/test/java/io/tidemark/testkit", test + ".java")));
    String text = Files.readString(Path.of("..", "docs", page));

    List<String> examples =
        JAVA.matcher(text).results().map(MatchResult::group).map(it -> example(it)).toList();

    assertTrue(examples.size() >= least, page + " has " + examples.size() + " examples");
    examples.forEach(
        example -> assertTrue(source.contains(example), test + " does not have: " + example));
  }

  private static String example(String block) {
    return lines(block.replaceAll("```(java)?", ""));
  }
}
