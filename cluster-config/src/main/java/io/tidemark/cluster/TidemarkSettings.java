package io.tidemark.cluster;

import com.typesafe.config.Config;
import io.tidemark.controller.ControllerSettings;
import io.tidemark.controller.TopicConfig;
import io.tidemark.group.GroupSettings;
import io.tidemark.quorum.QuorumSettings;
import io.tidemark.replica.ReplicaSettings;
import io.tidemark.settings.SettingsReader;
import io.tidemark.wire.WireSerializer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A node's settings, checked.
 *
 * @param voters {@code host:port} of the voters' actor systems
 * @param journal the path of the journal plugin that partitions write to
 * @param throttledRate bytes a second for replicas out of sync, each way; 0 for no limit
 * @param tailCacheBytes what all tail caches may hold
 * @param maxMessageBytes the largest message that the transport takes
 */
public record TidemarkSettings(
    int brokerId,
    String rack,
    List<String> voters,
    QuorumSettings quorum,
    ControllerSettings controller,
    ReplicaSettings replication,
    GroupSettings groups,
    String journal,
    long throttledRate,
    long tailCacheBytes,
    int maxMessageBytes) {

  private static final String FRAME = "akka.remote.artery.advanced.maximum-frame-size";
  private static final String LARGE_FRAME = "akka.remote.artery.advanced.maximum-large-frame-size";
  private static final int WANTED_FRAME = (1 << 20) + (64 << 10);
  private static final int LAG_TIME_WARNING_MS = 5_000;

  /**
   * @param config the actor system's whole configuration
   * @throws IllegalArgumentException naming path, value and what is allowed
   */
  public static TidemarkSettings from(Config config) {
    SettingsReader read = new SettingsReader(config);
    int brokerId = read.number("tidemark.broker.id", 0, Integer.MAX_VALUE);
    List<String> voters = new ArrayList<>();
    String allowed = "a list of host:port, one for each voter";
    for (String voter : read.texts("tidemark.controller.voters", allowed)) {
      String address = voter.substring(voter.indexOf('@') + 1);
      if (!address.matches("[^:@]+:[0-9]{1,5}")) {
        read.fail("tidemark.controller.voters", voter, allowed);
      }
      voters.add(address);
    }
    int frame =
        (int)
            Math.min(
                read.bytes(FRAME, 32 << 10, 1 << 30), read.bytes(LARGE_FRAME, 32 << 10, 1 << 30));
    return new TidemarkSettings(
        brokerId,
        read.text("tidemark.broker.rack"),
        List.copyOf(voters),
        quorum(read, frame),
        new ControllerSettings(
            Duration.ofMillis(
                read.millis(
                    "tidemark.controller.session-timeout",
                    Duration.ofMillis(500),
                    Duration.ofMinutes(5))),
            ControllerSettings.DEFAULT.maxPendingReplies(),
            Duration.ofMillis(
                read.millis(
                    "tidemark.controller.leader-balance-interval",
                    Duration.ofSeconds(1),
                    Duration.ofHours(1))),
            topicDefaults(read)),
        replication(read, frame),
        GroupSettings.DEFAULT.withOffsetsRetention(
            read.millis(
                "tidemark.groups.offsets-retention",
                Duration.ofMinutes(1),
                Duration.ofDays(36_500))),
        "tidemark.journal."
            + read.oneOf("tidemark.replication.flush", List.of("each-commit", "os")),
        read.bytes("tidemark.replication.throttled-rate", 0, 1L << 40),
        read.bytes("tidemark.replication.tail-cache", 1 << 20, 64L << 30),
        frame);
  }

  private static Map<String, String> topicDefaults(SettingsReader read) {
    Map<String, String> defaults = read.all("tidemark.topic-defaults");
    try {
      TopicConfig.parse(defaults);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("tidemark.topic-defaults: " + e.getMessage(), e);
    }
    return defaults;
  }

  private static QuorumSettings quorum(SettingsReader read, int frame) {
    QuorumSettings defaults = QuorumSettings.DEFAULT;
    long election =
        read.millis(
            "tidemark.controller.election-timeout", Duration.ofMillis(100), Duration.ofMinutes(1));
    long fetch =
        read.millis(
            "tidemark.controller.fetch-timeout", Duration.ofMillis(200), Duration.ofMinutes(1));
    return new QuorumSettings(
        (int) election,
        (int) fetch,
        defaults.requestTimeoutMs(),
        (int) Math.min(defaults.fetchMaxWaitMs(), fetch / 4),
        defaults.retryBackoffMs(),
        defaults.helloIntervalMs(),
        Math.min(defaults.fetchMaxBytes(), frame - WireSerializer.OVERHEAD_BYTES),
        read.bytes("tidemark.controller.snapshot-interval", 1 << 10, 1 << 30));
  }

  private static ReplicaSettings replication(SettingsReader read, int frame) {
    String path = "tidemark.replication.";
    long fetchMaxBytes = read.bytes(path + "fetch-max-bytes", 1 << 10, 1 << 30);
    return new ReplicaSettings(
        (int) Math.min(fetchMaxBytes, frame - WireSerializer.OVERHEAD_BYTES),
        (int) read.millis(path + "fetch-wait-max", Duration.ofMillis(1), Duration.ofSeconds(30)),
        (int) read.bytes(path + "fetch-min-bytes", 1, 1 << 20),
        read.millis(path + "replica-lag-time-max", Duration.ofSeconds(1), Duration.ofHours(1)),
        ReplicaSettings.DEFAULT.requestTimeoutMs(),
        ReplicaSettings.DEFAULT.retryBackoffMs(),
        (int) read.bytes(path + "pending-max", 2 << 20, 1 << 30),
        read.millis(path + "retention-check-interval", Duration.ofMillis(100), Duration.ofDays(1)));
  }

  /** What is allowed but rarely meant, each with what to do about it. */
  public List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    if (maxMessageBytes < WANTED_FRAME) {
      warnings.add(
          "%s and %s allow %d bytes, so records above that are refused; set both to 2 MiB for records of 1 MiB"
              .formatted(FRAME, LARGE_FRAME, maxMessageBytes));
    }
    if (replication.lagTimeMaxMs() < LAG_TIME_WARNING_MS) {
      warnings.add(
          "tidemark.replication.replica-lag-time-max is %d ms: healthy followers will leave the in-sync replicas at every pause; 10 s to 30 s is usual"
              .formatted(replication.lagTimeMaxMs()));
    }
    if (voters.size() % 2 == 0) {
      warnings.add(
          "tidemark.controller.voters names %d nodes: one less bears as many failures"
              .formatted(voters.size()));
    }
    return warnings;
  }
}
