package io.tidemark.controller;

import java.time.Duration;
import java.util.Map;

/**
 * @param sessionTimeout for how long a broker may be silent before it is fenced: shorter finds dead
 *     brokers sooner, longer bears longer pauses; a wrong guess costs a leader move, never data
 * @param maxPendingReplies how many requests may wait for their records to be committed
 * @param leaderBalanceInterval how often leaderships go back to the first in-sync replicas
 * @param topicDefaults what is written into a new topic that does not say it itself, see {@link
 *     TopicConfig}
 */
public record ControllerSettings(
    Duration sessionTimeout,
    int maxPendingReplies,
    Duration leaderBalanceInterval,
    Map<String, String> topicDefaults) {
  public static final ControllerSettings DEFAULT =
      new ControllerSettings(Duration.ofSeconds(2), 10_000, Duration.ofSeconds(30), Map.of());

  public ControllerSettings {
    topicDefaults = Map.copyOf(topicDefaults);
    TopicConfig.parse(topicDefaults);
    if (sessionTimeout.isNegative() || sessionTimeout.isZero()) {
      throw new IllegalArgumentException(
          "sessionTimeout = " + sessionTimeout + "; allowed: above zero");
    }
    if (maxPendingReplies < 1) {
      throw new IllegalArgumentException(
          "maxPendingReplies = " + maxPendingReplies + "; allowed: from 1");
    }
  }
}
