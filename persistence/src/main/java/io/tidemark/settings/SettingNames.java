package io.tidemark.settings;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The names below {@code tidemark}: one that no {@code reference.conf} knows is a slip. */
public final class SettingNames {
  private static final String ROOT = "tidemark";

  /** Without a default. */
  private static final List<String> REQUIRED =
      List.of("tidemark.broker.id", "tidemark.controller.voters");

  /**
   * Blocks of Akka Persistence's plugins, which may be extended and copied: what such a name begins
   * with, and where else its rest may be known.
   */
  private record Plugins(String block, List<String> known) {}

  private static final List<Plugins> PLUGINS =
      List.of(
          new Plugins(
              "tidemark\\.(journal\\.(\"[^\"]*\"|[^.\"]+)|journal-plugin)\\.",
              List.of("tidemark.journal.quorum.", "akka.persistence.journal-plugin-fallback.")),
          new Plugins(
              "tidemark\\.(log-)?snapshot-store\\.",
              List.of(
                  "tidemark.snapshot-store.", "akka.persistence.snapshot-store-plugin-fallback.")));

  /** Whose names are the application's. */
  private static final List<String> FREE = List.of("event-adapters.", "event-adapter-bindings.");

  /** At so many letters' difference a name is another one. */
  private static final int NEAR = 4;

  private SettingNames() {}

  /**
   * System properties may be named as they like: they are the whole process's. A list may be given
   * by its elements' numbers, as in environment variables.
   *
   * @param config an actor system's whole configuration
   * @throws IllegalArgumentException naming each unknown path, and what may have been meant
   */
  public static void check(Config config) {
    // Not the thread's class loader: in some containers it knows of no library.
    Config reference = ConfigFactory.defaultReference(SettingNames.class.getClassLoader());
    Set<String> known = new HashSet<>(REQUIRED);
    reference.getConfig(ROOT).entrySet().forEach(it -> known.add(ROOT + "." + it.getKey()));
    Set<String> slips = new TreeSet<>();
    for (var entry : config.getConfig(ROOT).entrySet()) {
      String path = ROOT + "." + entry.getKey();
      boolean isKnown =
          known.contains(path.replaceFirst("\\.\\d+$", ""))
              || isOfPlugin(path, reference)
              || System.getProperty(path) != null;
      if (!isKnown) {
        slips.add(path + " is no setting" + meant(path, known));
      }
    }
    if (!slips.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", slips));
    }
  }

  private static boolean isOfPlugin(String path, Config reference) {
    for (Plugins plugins : PLUGINS) {
      String rest = path.replaceFirst("^" + plugins.block(), "");
      boolean isOne = !rest.equals(path);
      if (isOne && FREE.stream().anyMatch(rest::startsWith)) {
        return true;
      }
      if (isOne && plugins.known().stream().anyMatch(it -> reference.hasPath(it + rest))) {
        return true;
      }
    }
    return false;
  }

  private static String meant(String path, Set<String> known) {
    String nearest = null;
    int least = NEAR;
    for (String candidate : known) {
      int distance = distance(path, candidate);
      if (distance < least) {
        least = distance;
        nearest = candidate;
      }
    }
    return nearest == null ? "" : "; is " + nearest + " meant?";
  }

  /** How many letters have to be added, left out or replaced. */
  private static int distance(String one, String other) {
    int[] row = new int[other.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[other.length()];
  }
}
