package io.tidemark.controller;

import java.util.Map;
import java.util.TreeMap;

/**
 * A topic's settings.
 *
 * @param minInsyncReplicas from how many in-sync replicas on a write may commit; the replication
 *     factor caps it, see {@link #minIsr}
 * @param uncleanLeaderElection whether a replica that may lack committed records may lead when no
 *     other is left: availability at the price of acknowledged records
 * @param maxMessageBytes the largest record batch
 */
public record TopicConfig(
    int minInsyncReplicas, boolean uncleanLeaderElection, int maxMessageBytes) {

  public static final String MIN_INSYNC_REPLICAS = "min-insync-replicas";
  public static final String UNCLEAN_LEADER_ELECTION = "unclean-leader-election";
  public static final String MAX_MESSAGE_BYTES = "max-message-bytes";

  /** A record of 1 MiB fits, with what a batch adds to it. */
  public static final TopicConfig DEFAULT = new TopicConfig(2, false, 1_048_576 + 4_096);

  private static final int MAX_MIN_INSYNC_REPLICAS = 32_767;
  private static final int SMALLEST_MAX_MESSAGE_BYTES = 1_024;
  private static final int LARGEST_MAX_MESSAGE_BYTES = 1_073_741_824;

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
    return switch (key) {
      case MIN_INSYNC_REPLICAS ->
          new TopicConfig(
              number(key, value, 1, MAX_MIN_INSYNC_REPLICAS),
              uncleanLeaderElection,
              maxMessageBytes);
      case UNCLEAN_LEADER_ELECTION ->
          new TopicConfig(minInsyncReplicas, flag(key, value), maxMessageBytes);
      case MAX_MESSAGE_BYTES ->
          new TopicConfig(
              minInsyncReplicas,
              uncleanLeaderElection,
              number(key, value, SMALLEST_MAX_MESSAGE_BYTES, LARGEST_MAX_MESSAGE_BYTES));
      default ->
          throw new IllegalArgumentException(
              "unknown setting %s = %s; allowed: %s, %s, %s"
                  .formatted(
                      key, value, MIN_INSYNC_REPLICAS, UNCLEAN_LEADER_ELECTION, MAX_MESSAGE_BYTES));
    };
  }

  private static int number(String key, String value, int from, int to) {
    String allowed = "a whole number from " + from + " to " + to;
    try {
      int number = Integer.parseInt(value);
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
