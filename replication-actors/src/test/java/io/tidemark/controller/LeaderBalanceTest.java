package io.tidemark.controller;

import static io.tidemark.controller.ControllerFixture.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.protocol.ControllerRequest.CreateTopic;
import io.tidemark.protocol.ControllerResponse.TopicCreated;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.MetadataRecord.PartitionChanged;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Leaderships return to the replicas that the assignment prefers. */
class LeaderBalanceTest {
  private static final long INTERVAL = ControllerSettings.DEFAULT.leaderBalanceInterval().toNanos();

  private final ControllerFixture controller = ControllerFixture.withBrokers(1, 2, 3);

  private List<PartitionId> topic(int partitions) {
    TopicCreated created =
        (TopicCreated)
            controller.ask(new CreateTopic(new UUID(5, 5), "orders", partitions, 3, Map.of()));
    return IntStream.range(0, partitions)
        .mapToObj(number -> new PartitionId(created.topicId(), number))
        .toList();
  }

  private void restartInTurn(List<PartitionId> partitions) {
    for (int id = 1; id <= 3; id++) {
      controller.die(id);
      controller.restart(id, 2, true);
      for (PartitionId partition : partitions) {
        assertEquals(ErrorCode.NONE, controller.propose(partition, List.of(1, 2, 3)));
      }
    }
  }

  private void pass(long nanos) {
    for (long passed = 0; passed < nanos; passed += SECOND) {
      List.of(1, 2, 3).forEach(controller::beat);
      controller.tickAt(controller.now + SECOND);
    }
  }

  private long balanced(List<PartitionId> partitions) {
    return partitions.stream()
        .map(controller::state)
        .filter(state -> state.leader() == state.replicas().get(0))
        .count();
  }

  @Test
  void after_all_brokers_restarted_leadership_is_spread_again() {
    List<PartitionId> partitions = topic(9);
    restartInTurn(partitions);
    assertTrue(balanced(partitions) < 9);

    pass(INTERVAL);

    assertEquals(9, balanced(partitions));
    for (int id : List.of(1, 2, 3)) {
      assertEquals(3, partitions.stream().filter(p -> controller.state(p).leader() == id).count());
    }
  }

  @Test
  void a_move_is_a_new_leader_epoch_with_the_same_in_sync_replicas() {
    PartitionId partition = topic(1).get(0);
    restartInTurn(List.of(partition));
    PartitionState before = controller.state(partition);
    assertTrue(before.leader() != before.replicas().get(0));

    pass(INTERVAL);

    PartitionState after = controller.state(partition);
    assertEquals(before.replicas().get(0), after.leader());
    assertEquals(before.leaderEpoch() + 1, after.leaderEpoch());
    assertEquals(before.isr(), after.isr());
  }

  @Test
  void a_replica_that_is_not_in_sync_is_passed_over() {
    PartitionId partition = topic(1).get(0);
    List<Integer> replicas = controller.state(partition).replicas();
    controller.die(replicas.get(0));
    controller.die(replicas.get(1));
    controller.restart(replicas.get(0), 2, true);
    controller.restart(replicas.get(1), 2, true);
    assertEquals(
        ErrorCode.NONE, controller.propose(partition, List.of(replicas.get(1), replicas.get(2))));
    assertEquals(replicas.get(2), controller.state(partition).leader());

    pass(INTERVAL);

    assertEquals(replicas.get(1), controller.state(partition).leader());
  }

  @Test
  void nothing_moves_between_two_steps() {
    List<PartitionId> partitions = topic(3);
    restartInTurn(partitions);
    int batches = controller.batches.size();

    pass(INTERVAL - 2 * SECOND);

    assertEquals(batches, controller.batches.size());
  }

  @Test
  void a_step_moves_a_bounded_number_and_the_next_one_goes_on() {
    List<PartitionId> partitions = topic(300);
    restartInTurn(partitions);
    long misplaced = 300 - balanced(partitions);
    assertTrue(misplaced > LeaderBalance.MAX_MOVES);

    pass(INTERVAL + 3 * SECOND);

    assertEquals(300, balanced(partitions));
    controller.batches.stream()
        .skip(controller.batches.size() - 2)
        .forEach(
            batch -> {
              assertTrue(batch.size() <= LeaderBalance.MAX_MOVES);
              assertTrue(batch.stream().allMatch(PartitionChanged.class::isInstance));
            });
  }
}
