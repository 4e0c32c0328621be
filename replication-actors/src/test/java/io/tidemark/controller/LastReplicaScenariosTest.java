package io.tidemark.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LastReplicaScenariosTest {
  private final ControllerFixture controller = ControllerFixture.withBrokers(1, 2, 3);

  @Test
  void s30_the_eligible_replica_leads_after_the_last_member_crashed_uncleanly() {
    PartitionId partition = controller.create("orders", 3, Map.of());
    int last = controller.state(partition).leader();
    int eligible = controller.state(partition).replicas().get(1);
    int behind = controller.state(partition).replicas().get(2);
    assertEquals(ErrorCode.NONE, controller.propose(partition, List.of(last, eligible)));
    controller.die(eligible);
    assertEquals(List.of(last), controller.state(partition).isr());
    assertEquals(List.of(eligible), controller.state(partition).elr());

    controller.restart(last, 2, false);
    assertEquals(PartitionState.NO_LEADER, controller.state(partition).leader());
    assertFalse(controller.state(partition).elr().contains(last));

    controller.restart(eligible, 2, true);
    assertEquals(eligible, controller.state(partition).leader());
    assertEquals(List.of(eligible), controller.state(partition).isr());
    assertFalse(controller.state(partition).recovering());
    assertEquals(ErrorCode.NONE, controller.propose(partition, List.of(eligible, behind)));
    assertEquals(List.of(), controller.state(partition).elr());
  }

  @Test
  void s31_a_partition_whose_replicas_all_restarted_uncleanly_stays_offline() {
    PartitionId partition = controller.create("orders", 3, Map.of());
    allRestartUncleanly();
    PartitionState state = controller.state(partition);
    assertEquals(PartitionState.NO_LEADER, state.leader());
    assertEquals(List.of(), state.isr());
    assertEquals(List.of(), state.elr());
  }

  private PartitionId lostByAll() {
    PartitionId partition =
        controller.create("orders", 3, Map.of(TopicConfig.UNCLEAN_LEADER_ELECTION, "true"));
    List.of(1, 2, 3).forEach(controller::die);
    allRestartUncleanly();
    assertEquals(PartitionState.NO_LEADER, controller.state(partition).leader());
    return partition;
  }

  @Test
  void s31_by_choice_the_replica_with_the_newest_last_epoch_and_then_the_longest_log_leads() {
    PartitionId partition = lostByAll();
    int epoch = controller.state(partition).leaderEpoch();
    controller.logEnds(1, 4, 90);
    controller.logEnds(2, 5, 70);
    controller.logEnds(3, 5, 80);

    controller.tick();

    PartitionState state = controller.state(partition);
    assertEquals(3, state.leader());
    assertEquals(List.of(3), state.isr());
    assertEquals(List.of(), state.elr());
    assertEquals(epoch + 1, state.leaderEpoch());
    assertTrue(state.recovering());
  }

  @Test
  void s31_possible_loss_is_reported_with_the_epochs_and_offsets_of_all() {
    lostByAll();
    controller.logEnds(1, 4, 90);
    controller.logEnds(2, 5, 70);
    controller.logEnds(3, 5, 80);

    controller.tick();

    assertEquals(1, controller.warnings.size());
    String warning = controller.warnings.get(0);
    assertTrue(warning.contains("partition 0 of topic 'orders'"), warning);
    assertTrue(warning.contains("broker 3 leads"), warning);
    assertTrue(warning.contains("1=epoch 4 offset 90, 2=epoch 5 offset 70"), warning);
  }

  @Test
  void s31_a_silent_replica_is_waited_for_but_not_for_ever() {
    PartitionId partition = lostByAll();
    controller.logEnds(2, 5, 70);
    long asked = controller.now;

    controller.tick();
    assertEquals(PartitionState.NO_LEADER, controller.state(partition).leader());
    controller.tickAt(asked + UncleanElections.PATIENCE_NANOS - 1);
    assertEquals(PartitionState.NO_LEADER, controller.state(partition).leader());
    controller.tickAt(asked + UncleanElections.PATIENCE_NANOS);

    assertEquals(2, controller.state(partition).leader());
    assertTrue(controller.warnings.get(0).contains("not heard from: [1, 3]"));
  }

  @Test
  void s31_without_any_answer_the_partition_stays_offline_and_is_asked_about_again() {
    PartitionId partition = lostByAll();
    controller.tick();
    assertEquals(3, controller.asked.size());

    for (int i = 0; i < 20; i++) {
      List.of(1, 2, 3).forEach(controller::beat);
      controller.tickAt(controller.now + UncleanElections.ASK_AGAIN_NANOS);
    }

    assertEquals(PartitionState.NO_LEADER, controller.state(partition).leader());
    assertEquals(63, controller.asked.size());
  }

  @Test
  void s31_an_answer_of_an_incarnation_that_is_gone_does_not_count() {
    PartitionId partition = lostByAll();
    controller.logEnds(1, 4, 90);
    controller.logEnds(2, 5, 70);
    controller.send(new ControllerInput.Tick());
    controller.restart(2, 3, false);
    controller.die(3);

    controller.tickAt(controller.now + UncleanElections.PATIENCE_NANOS);

    assertEquals(1, controller.state(partition).leader());
  }

  @Test
  void s31_a_replica_that_is_complete_ends_the_wait_for_an_unclean_leader() {
    PartitionId partition =
        controller.create(
            "orders",
            3,
            Map.of(
                TopicConfig.UNCLEAN_LEADER_ELECTION, "true", TopicConfig.MIN_INSYNC_REPLICAS, "1"));
    int last = controller.state(partition).leader();
    assertEquals(ErrorCode.NONE, controller.propose(partition, List.of(last)));
    controller.die(last);
    assertEquals(PartitionState.NO_LEADER, controller.state(partition).leader());
    controller.send(new ControllerInput.Tick());
    assertEquals(2, controller.asked.size());

    controller.restart(last, 2, true);
    controller.tickAt(controller.now + 1);

    assertEquals(last, controller.state(partition).leader());
    assertFalse(controller.state(partition).recovering());
    assertEquals(List.of(), controller.warnings);
  }

  @Test
  void recoveryEndsByTheLeadersProposalOfItsPresentIsr() {
    PartitionId partition = lostByAll();
    List.of(1, 2, 3).forEach(id -> controller.logEnds(id, 0, 0));
    controller.tick();
    PartitionState state = controller.state(partition);
    assertTrue(state.recovering());

    assertEquals(ErrorCode.NONE, controller.propose(partition, List.of(state.leader())));

    assertFalse(controller.state(partition).recovering());
    assertEquals(state.leaderEpoch(), controller.state(partition).leaderEpoch());
  }

  @Test
  void s29_a_fenced_follower_is_outside_the_isr_at_once() {
    PartitionId partition = controller.create("orders", 3, Map.of());
    int follower = controller.state(partition).replicas().get(2);
    int leaderEpoch = controller.state(partition).leaderEpoch();
    controller.die(follower);
    assertFalse(controller.state(partition).isr().contains(follower));
    assertEquals(leaderEpoch, controller.state(partition).leaderEpoch());
  }

  @Test
  void s27_the_returning_leader_is_fenced_by_its_epoch() {
    PartitionId partition = controller.create("orders", 3, Map.of());
    var proposal = controller.proposal(partition, controller.state(partition).isr());
    controller.die(controller.state(partition).leader());
    assertEquals(ErrorCode.FENCED_LEADER_EPOCH, controller.error(proposal));
  }

  private void allRestartUncleanly() {
    List.of(1, 2, 3).forEach(id -> controller.register(id, 2, false));
    List.of(1, 2, 3).forEach(controller::beat);
  }
}
