package io.tidemark.controller;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A topic's settings.
 *
 * @param minInsyncReplicas from how many in-sync replicas on a write may commit; the replication
 *     factor caps it, see {@link #minIsr}
 * @param uncleanLeaderElection whether a replica that may lack committed records may lead when no
 *     other is left: availability at the price of acknowledged records
 * @param maxMessageBytes the largest record batch
 * @param retentionBytes how much of each partition is kept at least, {@link #UNLIMITED} for all
 * @param retentionMs for how long a record is kept at least, {@link #UNLIMITED} for ever
 */
public record TopicConfig(
    int minInsyncReplicas,
    boolean uncleanLeaderElection,
    int maxMessageBytes,
    long retentionBytes,
    long retentionMs) {

  public static final String MIN_INSYNC_REPLICAS = "min-insync-replicas";
  public static final String UNCLEAN_LEADER_ELECTION = "unclean-leader-election";
  public static final String MAX_MESSAGE_BYTES = "max-message-bytes";
  public static final String RETENTION_BYTES = "retention-bytes";
  public static final String RETENTION_TIME = "retention-time";

  public static final long UNLIMITED = -1;

  /** A record of 1 MiB fits, with what a batch adds to it; nothing goes unless it is asked for. */
  public static final TopicConfig DEFAULT =
      new TopicConfig(2, false, 1_048_576 + 4_096, UNLIMITED, UNLIMITED);

  private static final String NO_LIMIT = "unlimited";
  private static final long LONGEST_RETENTION_MS = TimeUnit.DAYS.toMillis(36_500);
  private static final Pattern DURATION = Pattern.compile("(\\d{1,15}) ?(ms|s|m|h|d)");
  private static final Map<String, TimeUnit> UNITS =
      Map.of(
          "ms", TimeUnit.MILLISECONDS,
          "s", TimeUnit.SECONDS,
          "m", TimeUnit.MINUTES,
          "h", TimeUnit.HOURS,
          "d", TimeUnit.DAYS);

  /**
   * @throws IllegalArgumentException naming the setting, its value and what is allowed
   */
  public static TopicConfig parse(Map<String, String> configs) {
    TopicConfig parsed = DEFAULT;
    for (Map.Entry<String, String> entry : new TreeMap<>(configs).entrySet()) {
      parsed = parsed.with(entry.getKey(), entry.getValue());
    }
    return parsed;
  }

  /** min(min ISR, replication factor): the size below which an ISR commits nothing. */
  public int minIsr(int replicationFactor) {
    return Math.min(minInsyncReplicas, replicationFactor);
  }

  private TopicConfig with(String key, String value) {
    int minInsync = minInsyncReplicas;
    boolean unclean = uncleanLeaderElection;
    int largest = maxMessageBytes;
    long bytes = retentionBytes;
    long ms = retentionMs;
    switch (key) {
      case MIN_INSYNC_REPLICAS -> minInsync = (int) number(key, value, 1, 32_767, "");
      case UNCLEAN_LEADER_ELECTION -> unclean = flag(key, value);
      case MAX_MESSAGE_BYTES -> largest = (int) number(key, value, 1_024, 1_073_741_824, "");
      case RETENTION_BYTES -> bytes = retentionBytes(key, value);
      case RETENTION_TIME -> ms = retentionMs(key, value);
      default ->
          throw new IllegalArgumentException(
              "unknown setting %s = %s; allowed: %s, %s, %s, %s, %s"
                  .formatted(
                      key,
                      value,
                      MIN_INSYNC_REPLICAS,
                      UNCLEAN_LEADER_ELECTION,
                      MAX_MESSAGE_BYTES,
                      RETENTION_BYTES,
                      RETENTION_TIME));
    }
    return new TopicConfig(minInsync, unclean, largest, bytes, ms);
  }

  private static long retentionBytes(String key, String value) {
    return value.equals(NO_LIMIT)
        ? UNLIMITED
        : number(key, value, 1, Long.MAX_VALUE, ", or " + NO_LIMIT);
  }

  private static long retentionMs(String key, String value) {
    if (value.equals(NO_LIMIT)) {
      return UNLIMITED;
    }
    Matcher duration = DURATION.matcher(value);
    long ms =
        duration.matches()
            ? UNITS.get(duration.group(2)).toMillis(Long.parseLong(duration.group(1)))
            : -1;
    if (ms < 1 || ms > LONGEST_RETENTION_MS) {
      throw refused(
          key, value, "1 ms to 36500 d, as a number and ms, s, m, h or d; or " + NO_LIMIT);
    }
    return ms;
  }

  private static long number(String key, String value, long from, long to, String orElse) {
    String allowed = "a whole number from " + from + " to " + to + orElse;
    try {
      long number = Long.parseLong(value);
      if (number < from || number > to) {
        throw refused(key, value, allowed);
      }
      return number;
    } catch (NumberFormatException e) {
      throw refused(key, value, allowed);
    }
  }

  private static boolean flag(String key, String value) {
    if ("true".equals(value) || "false".equals(value)) {
      return Boolean.parseBoolean(value);
    }
    throw refused(key, value, "true or false");
  }

  private static IllegalArgumentException refused(String key, String value, String allowed) {
    return new IllegalArgumentException("%s = %s; allowed: %s".formatted(key, value, allowed));
  }
}
