package io.tidemark.multijvm;

import static io.tidemark.cluster.NumberedRecords.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.tidemark.client.TopicDescription;
import io.tidemark.inspect.FoundEntry;
import io.tidemark.inspect.StorageInspection;
import io.tidemark.protocol.PartitionId;
import io.tidemark.replica.PartitionReplica;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** A node that follows, and votes, comes back with an empty directory. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class WipedDisk {
  private static final String TOPIC = "orders";

  private ConductedCluster cluster;
  private Ledger ledger;
  private Ledger.Writer writer;
  private int wiped;
  private List<Integer> others;

  @BeforeAll
  void start() throws Exception {
    cluster = new ConductedCluster(Map.of());
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  @Test
  @Order(1)
  void a_follower_with_an_empty_directory_takes_everything_again() throws Exception {
    cluster.conduct(
        "the wiped node is in sync",
        () -> {
          TopicDescription topic = cluster.createTopic(TOPIC, 1);
          int leader = topic.partitions().get(0).leader();
          int controller = controllerSeenBy(ConductedCluster.IDS);
          wiped =
              ConductedCluster.without(leader).stream()
                  .filter(id -> id != controller)
                  .findFirst()
                  .orElseThrow();
          others = ConductedCluster.without(wiped);
          ledger = new Ledger(cluster, TOPIC, 0);
          writer = ledger.writer("client", cluster.clientAt(others));
          await(writer.write(300));

          cluster.exit(wiped);
          await(writer.write(300));
          String before = directoryIdOf(wiped);
          wipe(ConductedCluster.directoryOf(wiped));
          cluster.startAgain(wiped);
          cluster.awaitTopic(
              cluster.clientAt(others), TOPIC, it -> it.partitions().get(0).isr().size() == 3);
          await(writer.write(300));

          assertNotEquals(before, directoryIdOf(wiped));
          ledger.assertKept(ConductedCluster.IDS);
          assertEquals(900, ledger.size());
        });
  }

  @Test
  @Order(2)
  void a_wiped_voter_does_not_vote_again() throws Exception {
    cluster.conduct(
        "a controller is elected without the wiped node",
        () -> {
          int controller = controllerSeenBy(others);
          int voter = others.stream().filter(id -> id != controller).findFirst().orElseThrow();

          cluster.exit(controller);
          cluster.awaitTopic(
              cluster.clientAt(List.of(voter)), TOPIC, it -> it.controllerId() != controller);
          cluster.startAgain(controller);
          cluster.awaitTopic(
              cluster.clientAt(List.of(voter)),
              TOPIC,
              it -> others.contains(it.controllerId()) && it.unfenced().size() == 3);
          cluster.awaitWhole(TOPIC);
          await(writer.write(300));

          ledger.assertKept(ConductedCluster.IDS);
          assertEquals(1_200, ledger.size());
          assertEquals(Set.of(), votesOf(wiped));
          assertNotEquals(Set.of(), votesOf(voter));
        });
  }

  private int controllerSeenBy(List<Integer> nodes) {
    return cluster
        .awaitTopic(cluster.clientAt(nodes), TOPIC, it -> it.controllerId() >= 0)
        .controllerId();
  }

  private static String directoryIdOf(int node) throws IOException {
    return (String)
        StorageInspection.open(ConductedCluster.directoryOf(node)).identity().get("directoryId");
  }

  /** For whom the node's disk says that it voted. */
  private static Set<Integer> votesOf(int node) throws IOException {
    Set<Integer> votes = new TreeSet<>();
    StorageInspection.open(ConductedCluster.directoryOf(node))
        .inspect(
            PartitionReplica.persistenceId(PartitionId.METADATA, node),
            new StorageInspection.Listener() {
              @Override
              public void entry(FoundEntry entry) {
                if (entry.event().equals("vote-recorded")) {
                  votes.add(((Number) entry.fields().get("votedFor")).intValue());
                }
              }
            });
    votes.remove(-1);
    return votes;
  }

  private static void wipe(Path directory) throws IOException {
    List<Path> content;
    try (Stream<Path> all = Files.walk(directory)) {
      content = new ArrayList<>(all.sorted(Comparator.reverseOrder()).toList());
    }
    for (Path path : content) {
      Files.delete(path);
    }
  }
}
