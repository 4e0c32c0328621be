package io.tidemark.multijvm;

import java.util.Optional;

/**
 * What became of one test in one JVM, as a line of that JVM's output.
 *
 * @param message empty when it succeeded
 */
record Outcome(String test, boolean succeeded, String message) {
  private static final String MARK = "test-outcome:";

  String line() {
    return MARK + (succeeded ? "+" : "-") + test + ":" + message.replaceAll("\\R", " ");
  }

  /** Empty for what is no outcome. */
  static Optional<Outcome> parse(String line) {
    if (!line.startsWith(MARK)) {
      return Optional.empty();
    }
    String rest = line.substring(MARK.length());
    int end = rest.indexOf(':');
    return Optional.of(
        new Outcome(rest.substring(1, end), rest.charAt(0) == '+', rest.substring(end + 1)));
  }
}
