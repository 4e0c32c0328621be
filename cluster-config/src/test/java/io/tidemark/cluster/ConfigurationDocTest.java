package io.tidemark.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.tidemark.controller.TopicConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** docs/configuration.md against the files that define the settings. */
class ConfigurationDocTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path PAGE = ROOT.resolve("docs/configuration.md");
  private static final List<String> REFERENCES =
      List.of(
          "persistence/src/main/resources/reference.conf",
          "replication-actors/src/main/resources/reference.conf",
          "cluster-config/src/main/resources/reference.conf");

  /** What is defined as another block with changes: the block, and what it extends. */
  private static final Map<String, String> EXTENDED =
      Map.of(
          "tidemark.journal.quorum.", "tidemark.journal-plugin.",
          "tidemark.journal.each-commit.", "tidemark.journal-plugin.",
          "tidemark.journal.os.", "tidemark.journal-plugin.",
          "tidemark.log-snapshot-store.", "tidemark.snapshot-store.");

  private static final Pattern ROW =
      Pattern.compile("\\| `([^`]+)` \\| (?:`([^`]*)`|must be set) \\|.*");
  private static final Pattern REQUIRED = Pattern.compile("\\s*# ([a-z-]+) = .*");

  /** By path: the default, {@code null} where the setting has none. */
  private static Map<String, String> documented(String fromHeading, String toHeading)
      throws IOException {
    String page = Files.readString(PAGE);
    int from = page.indexOf(fromHeading);
    int to = toHeading == null ? page.length() : page.indexOf(toHeading);
    assertTrue(0 <= from && from < to, () -> fromHeading + " or " + toHeading + " is missing");
    Map<String, String> found = new TreeMap<>();
    for (String line : page.substring(from, to).split("\n")) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        String value = row.group(2) == null ? "" : row.group(2).replace("\"\"", "");
        assertNull(found.put(row.group(1), value), () -> row.group(1) + " is described twice");
      }
    }
    return found;
  }

  private static Map<String, String> defined(String file) throws IOException {
    Config config = ConfigFactory.parseFile(ROOT.resolve(file).toFile()).resolve();
    Map<String, String> found = new TreeMap<>();
    config
        .entrySet()
        .forEach(entry -> found.put(entry.getKey(), entry.getValue().unwrapped().toString()));
    found.keySet().removeIf(path -> isInherited(path, config));
    for (String line : Files.readAllLines(ROOT.resolve(file))) {
      Matcher required = REQUIRED.matcher(line);
      if (required.matches()) {
        String group = required.group(1).equals("id") ? "broker." : "controller.";
        found.put("tidemark." + group + required.group(1), "");
      }
    }
    return found;
  }

  private static boolean isInherited(String path, Config config) {
    return EXTENDED.entrySet().stream()
        .filter(extended -> path.startsWith(extended.getKey()))
        .map(extended -> extended.getValue() + path.substring(extended.getKey().length()))
        .anyMatch(
            base -> config.hasPath(base) && config.getValue(base).equals(config.getValue(path)));
  }

  @Test
  void every_setting_of_the_modules_is_described_with_its_default() throws IOException {
    Map<String, String> defined = new TreeMap<>();
    for (String reference : REFERENCES) {
      defined.putAll(defined(reference));
    }

    assertSame(defined, documented("# Settings", "What a node of the command line sets"));
  }

  @Test
  void every_setting_of_the_command_line_s_nodes_and_clients_is_described_with_its_value()
      throws IOException {
    assertSame(
        defined("cluster-config/src/main/resources/tidemark-node.conf"),
        documented("What a node of the command line sets", "What an actor system that only talks"));
    assertSame(
        defined("cluster-config/src/main/resources/tidemark-client.conf"),
        documented("What an actor system that only talks", null));
  }

  @Test
  void the_defaults_of_topics_are_those_of_a_topic_that_says_nothing() {
    Map<String, String> defaults = new TreeMap<>();
    ConfigFactory.parseFile(ROOT.resolve(REFERENCES.get(2)).toFile())
        .getConfig("tidemark.topic-defaults")
        .entrySet()
        .forEach(entry -> defaults.put(entry.getKey(), entry.getValue().unwrapped().toString()));

    assertEquals(5, defaults.size());
    assertEquals(TopicConfig.DEFAULT, TopicConfig.parse(defaults));
  }

  private static void assertSame(Map<String, String> defined, Map<String, String> documented) {
    Set<String> undescribed = lines(defined);
    undescribed.removeAll(lines(documented));
    Set<String> wrong = lines(documented);
    wrong.removeAll(lines(defined));
    assertEquals(Set.of(), undescribed, "settings that docs/configuration.md lacks");
    assertEquals(Set.of(), wrong, "docs/configuration.md says so, the files do not");
  }

  private static Set<String> lines(Map<String, String> settings) {
    return settings.entrySet().stream()
        .map(setting -> setting.getKey() + " = " + setting.getValue())
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
