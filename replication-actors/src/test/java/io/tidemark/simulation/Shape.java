package io.tidemark.simulation;

import io.tidemark.controller.ControllerSettings;
import io.tidemark.controller.TopicConfig;
import io.tidemark.quorum.QuorumSettings;
import io.tidemark.replica.ReplicaSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * What a seed's cluster looks like.
 *
 * @param nodes how many, with ids from 1; each is a broker and a quorum member
 * @param voters the first so many vote
 * @param eachCommit whether partitions are forced to the disk before a write is called done; the
 *     quorum's log always is
 * @param topics created at the start
 * @param throttleBytes what replicas out of sync may take of a node, in bytes a second; 0 for all
 * @param catchUps how many of a node's replicas that are behind fetch at once
 */
record Shape(
    int nodes,
    int voters,
    boolean eachCommit,
    List<TopicSpec> topics,
    long throttleBytes,
    int catchUps,
    ReplicaSettings replication,
    QuorumSettings quorum,
    ControllerSettings controller) {

  static final long RETENTION_CHECK_MS = 400;

  private static final int HOST = "host".length();

  record TopicSpec(
      String name,
      int partitions,
      int replicas,
      int minInsync,
      boolean unclean,
      String retentionTime) {
    /** In order, so that a replay prints the same each time. */
    Map<String, String> configs() {
      return new TreeMap<>(
          Map.of(
              TopicConfig.MIN_INSYNC_REPLICAS,
              String.valueOf(minInsync),
              TopicConfig.UNCLEAN_LEADER_ELECTION,
              String.valueOf(unclean),
              TopicConfig.MAX_MESSAGE_BYTES,
              "2048",
              TopicConfig.RETENTION_TIME,
              retentionTime));
    }
  }

  static Shape of(Profile profile, Chance chance) {
    int nodes = 3 + chance.below(3) / 2 + chance.below(4) / 3;
    int voters = nodes == 5 && chance.happens(0.3) ? 5 : 3;
    List<TopicSpec> topics = new ArrayList<>();
    int count = 1 + chance.below(2);
    for (int i = 0; i < count; i++) {
      topics.add(topic("topic" + i, profile, nodes, chance));
    }
    boolean oneBatchAFetch = chance.happens(0.4);
    int fetchBytes = oneBatchAFetch ? 1 : 1 << 16;
    long lagMs = 200 + chance.below(400);
    int pendingBytes = chance.happens(0.2) ? 500 : 1 << 20;
    return new Shape(
        nodes,
        voters,
        chance.happens(0.5),
        topics,
        profile.odd && chance.happens(0.2) ? 2_000 : 0,
        chance.happens(0.5) ? 1 : 8,
        new ReplicaSettings(fetchBytes, 80, 1, lagMs, 150, 20, pendingBytes, RETENTION_CHECK_MS),
        new QuorumSettings(120, 250, 120, 80, 20, 80, chance.happens(0.4) ? 1 : 1 << 16, 4 << 20),
        new ControllerSettings(
            Duration.ofMillis(900),
            chance.happens(0.2) ? 3 : 1_000,
            Duration.ofMillis(1_500),
            Map.of()));
  }

  private static TopicSpec topic(String name, Profile profile, int nodes, Chance chance) {
    int replicas = chance.happens(0.15) ? 2 : Math.min(nodes, 3 + chance.below(5) / 4);
    int minInsync = 1 + chance.below(Math.min(3, replicas));
    boolean unclean = profile.odd && chance.happens(0.15);
    String retention = profile.odd && chance.happens(0.2) ? "700 ms" : "unlimited";
    return new TopicSpec(name, 1 + chance.below(2), replicas, minInsync, unclean, retention);
  }

  boolean hasRetention() {
    return topics.stream().anyMatch(topic -> !topic.retentionTime().equals("unlimited"));
  }

  static String address(int id) {
    return "host" + id + ":1";
  }

  static int idOf(String address) {
    return address.charAt(HOST) - '0';
  }

  List<String> voterAddresses() {
    return IntStream.rangeClosed(1, voters).mapToObj(Shape::address).toList();
  }
}
