package io.tidemark.journal;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;

/** For tests that damage thousands of logs, which all report it. */
final class QuietLogs {
  private static final Logger JOURNAL =
      (Logger) LoggerFactory.getLogger(QuietLogs.class.getPackageName());

  private QuietLogs() {}

  static void begin() {
    JOURNAL.setLevel(Level.OFF);
  }

  static void end() {
    JOURNAL.setLevel(null);
  }
}
