package io.tidemark.protocol;

/**
 * A follower's last word to its leader: its disk failed, so the leader need not wait until it seems
 * to lag (KIP-112 has the broker tell the controller). Lost, it costs that wait.
 *
 * @param brokerEpoch the incarnation that failed
 * @param leaderEpoch in which it followed
 */
public record ReplicaOffline(
    PartitionId partition, int replica, long brokerEpoch, int leaderEpoch) {}
