package io.tidemark.settings;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads settings; what is wrong with one is told with its path, its value and what is allowed. */
public final class SettingsReader {
  private final Config config;

  public SettingsReader(Config config) {
    this.config = config;
  }

  public String text(String path) {
    return read(path, "a text", () -> config.getString(path));
  }

  public List<String> texts(String path, String allowed) {
    List<String> values = read(path, allowed, () -> config.getStringList(path));
    return values.isEmpty() ? fail(path, "[]", allowed) : values;
  }

  /** All settings below a path, as texts by name. */
  public Map<String, String> all(String path) {
    Map<String, String> values = new HashMap<>();
    config
        .getConfig(path)
        .entrySet()
        .forEach(entry -> values.put(entry.getKey(), entry.getValue().unwrapped().toString()));
    return values;
  }

  public String oneOf(String path, List<String> allowed) {
    String value = text(path);
    return allowed.contains(value)
        ? value
        : fail(path, value, "one of " + String.join(", ", allowed));
  }

  public int number(String path, int least, int most) {
    String allowed = least + " to " + most;
    long value = read(path, allowed, () -> config.getLong(path));
    return value < least || value > most ? fail(path, value, allowed) : (int) value;
  }

  public long bytes(String path, long least, long most) {
    String allowed = least + " to " + most + " bytes";
    long value = read(path, allowed, () -> config.getBytes(path));
    return value < least || value > most ? fail(path, value, allowed) : value;
  }

  public long millis(String path, Duration least, Duration most) {
    String allowed = least.toMillis() + " ms to " + most.toMillis() + " ms";
    Duration value = read(path, allowed, () -> config.getDuration(path));
    boolean outside = value.compareTo(least) < 0 || value.compareTo(most) > 0;
    return outside ? fail(path, value.toMillis() + " ms", allowed) : value.toMillis();
  }

  private interface Read<T> {
    T get();
  }

  private <T> T read(String path, String allowed, Read<T> read) {
    try {
      return read.get();
    } catch (ConfigException.Missing e) {
      return fail(path, "nothing", allowed);
    } catch (ConfigException e) {
      return fail(path, config.getValue(path).unwrapped(), allowed);
    }
  }

  /**
   * Does not return.
   *
   * @throws IllegalArgumentException naming path, value and what is allowed
   */
  public <T> T fail(String path, Object value, String allowed) {
    throw new IllegalArgumentException(path + " is " + value + "; allowed: " + allowed);
  }
}
