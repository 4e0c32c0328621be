package io.tidemark.cli.bench;

import static io.tidemark.cli.local.Answers.await;

import io.tidemark.client.TopicDescription;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** Has partitions led by the node that a measurement needs there. */
final class Leaderships {
  private static final int ATTEMPTS = 5;

  /** Of the nodes: the preferred leader takes over soon after it was made so. */
  static final List<String> SETTINGS = List.of("-Dtidemark.controller.leader-balance-interval=1s");

  private final BenchCluster cluster;
  private final String topic;

  Leaderships(BenchCluster cluster, String topic) {
    this.cluster = cluster;
    this.topic = topic;
  }

  /** A node that is not this one. */
  static int other(int id) {
    return id == BenchCluster.IDS.get(0) ? BenchCluster.IDS.get(1) : BenchCluster.IDS.get(0);
  }

  /**
   * Has one node lead all partitions.
   *
   * @param leader which one, by the id of the node with the controller
   * @return the topic then, with that controller and all replicas in sync
   */
  TopicDescription arrange(IntUnaryOperator leader) throws Exception {
    for (int i = 0; i < ATTEMPTS; i++) {
      int controller =
          cluster
              .processes()
              .awaitTopic("controller known", topic, it -> it.controllerId() > 0)
              .controllerId();
      int wanted = leader.applyAsInt(controller);
      TopicDescription now = await(cluster.client().describeTopic(topic));
      for (int partition = 0; partition < now.partitions().size(); partition++) {
        if (now.partitions().get(partition).replicas().get(0) != wanted) {
          await(cluster.client().reassignPartition(topic, partition, replicas(wanted)));
        }
      }
      TopicDescription then =
          cluster
              .processes()
              .awaitTopic(
                  "leaderships arranged",
                  topic,
                  it ->
                      it.controllerId() != controller
                          || it.partitions().stream()
                              .allMatch(
                                  partition ->
                                      partition.leader() == wanted
                                          && partition.isr().size() == BenchCluster.NODES));
      if (then.controllerId() == controller) {
        return then;
      }
    }
    throw new IllegalStateException("the controller moved again and again");
  }

  private static List<Integer> replicas(int leader) {
    List<Integer> replicas = new ArrayList<>(BenchCluster.IDS);
    replicas.remove(Integer.valueOf(leader));
    replicas.add(0, leader);
    return replicas;
  }
}
