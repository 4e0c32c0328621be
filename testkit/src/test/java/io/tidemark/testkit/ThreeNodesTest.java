package io.tidemark.testkit;

import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ThreeNodesTest {
  @RegisterExtension private static final TidemarkTestKit TIDEMARK = TidemarkTestKit.threeNodes();

  @Test
  void the_leader_is_killed_while_records_are_written() {
    TIDEMARK.createTopic("killed", 1);
    try (Numbers numbers = new Numbers(TIDEMARK, "killed")) {
      TestNodes.await(numbers.write(100));
      int leader = TIDEMARK.leader("killed", 0);

      CompletableFuture<Void> more = numbers.write(500);
      TIDEMARK.kill(leader);
      TestNodes.await(more);

      assertNotEquals(leader, TIDEMARK.leader("killed", 0));
      TIDEMARK.restart(leader);
      TIDEMARK.awaitInSync("killed");
      numbers.assertAllThere();
    }
  }

  @Test
  void the_leader_is_cut_off_and_comes_back() {
    TIDEMARK.createTopic("cut", 1);
    try (Numbers numbers = new Numbers(TIDEMARK, "cut")) {
      TestNodes.await(numbers.write(100));
      int leader = TIDEMARK.leader("cut", 0);

      TIDEMARK.isolate(leader);
      CompletableFuture<Void> more = numbers.write(100);
      TIDEMARK.awaitOtherLeader("cut", 0, leader);
      TestNodes.await(more);
      TIDEMARK.heal();

      TIDEMARK.awaitInSync("cut");
      numbers.assertAllThere();
    }
  }

  @Test
  void a_node_that_is_stopped_hands_over() {
    TIDEMARK.createTopic("stopped", 1);
    try (Numbers numbers = new Numbers(TIDEMARK, "stopped")) {
      int leader = TIDEMARK.leader("stopped", 0);

      TIDEMARK.stop(leader);
      TestNodes.await(numbers.write(10));

      TIDEMARK.restart(leader);
      TIDEMARK.awaitInSync("stopped");
      numbers.assertAllThere();
    }
  }
}
