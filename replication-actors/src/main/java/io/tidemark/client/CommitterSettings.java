package io.tidemark.client;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import io.tidemark.settings.SettingsReader;
import java.time.Duration;
import java.util.Objects;

/**
 * How offsets are gathered before they are committed: {@code tidemark.committer} of the actor
 * system's configuration, and what the {@code with} methods change of it. What is done but not
 * committed is done again after a failure. Each of them throws an {@link IllegalArgumentException}
 * that names the setting, the value and what is allowed.
 */
public final class CommitterSettings {
  /** Where the settings are in an actor system's configuration. */
  public static final String CONFIG_PATH = "tidemark.committer";

  private static final String PATH = CONFIG_PATH + ".";

  private final Config config;
  private final int maxBatch;
  private final Duration maxInterval;

  private CommitterSettings(Config config) {
    this.config = config;
    SettingsReader read = new SettingsReader(config.atPath(CONFIG_PATH));
    this.maxBatch = read.number(PATH + "max-batch", 1, 1_000_000);
    this.maxInterval =
        Duration.ofMillis(
            read.millis(PATH + "max-interval", Duration.ofMillis(1), Duration.ofHours(1)));
  }

  /** By {@code tidemark.committer} of the client's actor system. */
  public static CommitterSettings create(TidemarkClient client) {
    return create(Objects.requireNonNull(client, "client").config().getConfig(CONFIG_PATH));
  }

  /**
   * @param config with all that {@code tidemark.committer} has
   */
  public static CommitterSettings create(Config config) {
    return new CommitterSettings(Objects.requireNonNull(config, "config"));
  }

  /** So many offsets make a commit; 1 to 1000000. */
  public CommitterSettings withMaxBatch(int offsets) {
    return create(config.withValue("max-batch", ConfigValueFactory.fromAnyRef(offsets)));
  }

  /** After so long what there is makes a commit; 1 ms to 1 h. */
  public CommitterSettings withMaxInterval(Duration interval) {
    long millis = Objects.requireNonNull(interval, "max-interval").toMillis();
    return create(config.withValue("max-interval", ConfigValueFactory.fromAnyRef(millis + " ms")));
  }

  int maxBatch() {
    return maxBatch;
  }

  Duration maxInterval() {
    return maxInterval;
  }
}
