package io.tidemark.controller;

import static io.tidemark.controller.ControllerFixture.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.controller.ControllerInput.Activated;
import io.tidemark.protocol.ControllerRequest.AlterPartitionReassignment;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Assertions;

/** Invariants 2, 3 and 9 to 11 after each of many random steps. */
class ControllerInvariantsTest {
  private static final int BROKERS = 5;
  private static final int STEPS = 150;

  @Property(tries = 200, shrinking = ShrinkingMode.OFF)
  void electionsKeepTheirInvariants(@ForAll long seed) {
    new Run(seed).steps();
  }

  private static final class Run {
    private final long seed;
    private final Random random;
    private final ControllerFixture controller = ControllerFixture.withBrokers(1, 2, 3, 4, 5);
    private final Map<Integer, Integer> incarnations = new HashMap<>();
    private final Map<PartitionId, PartitionState> before = new HashMap<>();
    private final Map<PartitionId, Map<Integer, Integer>> leaders = new HashMap<>();
    private final Map<PartitionId, LogGhost> logs = new HashMap<>();

    private final List<PartitionId> partitions = new ArrayList<>();
    private int quorumEpoch = 1;

    private Run(long seed) {
      this.seed = seed;
      random = new Random(seed);
      for (int topic = 0; topic < 4; topic++) {
        Map<String, String> configs =
            Map.of(
                TopicConfig.MIN_INSYNC_REPLICAS, String.valueOf(1 + random.nextInt(3)),
                TopicConfig.UNCLEAN_LEADER_ELECTION, String.valueOf(topic == 3));
        partitions.add(controller.create("t" + topic, 1 + random.nextInt(4), configs));
        logs.put(partitions.get(topic), new LogGhost());
      }
    }

    private void steps() {
      for (int step = 0; step < STEPS; step++) {
        try {
          step();
          partitions.forEach(this::check);
        } catch (RuntimeException | AssertionError e) {
          Assertions.fail("seed " + seed + ", step " + step, e);
        }
      }
    }

    private void step() {
      int broker = 1 + random.nextInt(BROKERS);
      switch (random.nextInt(12)) {
        case 0 -> restart(broker, true);
        case 1 -> restart(broker, false);
        case 2 -> controller.die(broker);
        case 3 -> controller.leave(broker);
        case 4 -> controller.tickAt(controller.now + random.nextLong(2 * SECOND));
        case 5 -> activateAnother();
        case 6, 7 -> controller.beat(broker);
        case 8 -> reassign(partitions.get(random.nextInt(partitions.size())));
        default -> propose(partitions.get(random.nextInt(partitions.size())));
      }
    }

    private void restart(int broker, boolean clean) {
      int incarnation = incarnations.merge(broker, 2, (old, one) -> old + 1);
      assertEquals(ErrorCode.NONE, controller.register(broker, incarnation, clean).error());
      if (!clean) {
        logs.values().forEach(log -> log.lostSome(broker));
      }
    }

    private void activateAnother() {
      controller.send(
          new Activated(++quorumEpoch, controller.image, controller.image.nextOffset()));
    }

    private void reassign(PartitionId partition) {
      List<Integer> target = new ArrayList<>(List.of(1, 2, 3, 4, 5));
      Collections.shuffle(target, random);
      target = target.subList(0, 1 + random.nextInt(4));
      controller.ask(
          new AlterPartitionReassignment(partition, random.nextInt(3) == 0 ? null : target));
    }

    private void propose(PartitionId partition) {
      PartitionState state = controller.state(partition);
      if (state.leader() == PartitionState.NO_LEADER) {
        return;
      }
      List<Integer> isr = new ArrayList<>(state.replicas());
      isr.removeIf(id -> id != state.leader() && random.nextBoolean());
      if (controller.propose(partition, isr) == ErrorCode.NONE) {
        logs.get(partition).caughtUp(isr);
      }
    }

    private void check(PartitionId partition) {
      PartitionState state = controller.state(partition);
      Topic topic = controller.image.topicsById().get(partition.topicId());
      isWellFormed(state, topic);
      isAfter(before.put(partition, state), state, topic);
      if (state.leader() != PartitionState.NO_LEADER) {
        Integer other =
            leaders
                .computeIfAbsent(partition, id -> new HashMap<>())
                .putIfAbsent(state.leaderEpoch(), state.leader());
        assertTrue(other == null || other == state.leader(), "two leaders in one epoch");
      }
      logs.get(partition).check(state);
      if (random.nextBoolean()) {
        logs.get(partition).commit(state, topic.config().minIsr(state.replicationFactor()));
      }
    }

    private void isWellFormed(PartitionState state, Topic topic) {
      Set<Integer> both = new HashSet<>(state.isr());
      both.addAll(state.elr());
      assertEquals(state.isr().size() + state.elr().size(), both.size(), "disjoint: " + state);
      assertTrue(state.replicas().containsAll(both), "subset: " + state);
      assertTrue(state.replicas().containsAll(state.adding()), "adding: " + state);
      assertTrue(state.replicas().containsAll(state.removing()), "removing: " + state);
      assertTrue(Collections.disjoint(state.adding(), state.removing()), "both: " + state);
      List<Integer> wanted = new ArrayList<>(state.replicas());
      wanted.removeAll(state.removing());
      assertFalse(wanted.isEmpty(), "nothing wanted: " + state);
      boolean reassigned = wanted.size() < state.replicas().size() || !state.adding().isEmpty();
      assertFalse(reassigned && state.isr().containsAll(wanted), "not completed: " + state);
      for (int member : state.isr()) {
        assertFalse(controller.image.brokers().get(member).fenced(), "fenced in ISR: " + state);
      }
      if (state.isr().size() >= topic.config().minIsr(state.replicationFactor())) {
        assertEquals(List.of(), state.elr(), "ELR beside a full ISR: " + state);
      }
      assertTrue(
          state.leader() == PartitionState.NO_LEADER || state.isr().contains(state.leader()),
          "leader in ISR: " + state);
      boolean candidates =
          both.stream().anyMatch(id -> controller.image.brokers().get(id).eligible());
      assertFalse(
          candidates && state.leader() == PartitionState.NO_LEADER, "needlessly offline: " + state);
    }

    private void isAfter(PartitionState old, PartitionState state, Topic topic) {
      if (old == null || old.equals(state)) {
        return;
      }
      assertTrue(state.partitionEpoch() > old.partitionEpoch(), "partition epoch: " + state);
      assertTrue(state.leaderEpoch() >= old.leaderEpoch(), "leader epoch: " + state);
      if (state.leader() != old.leader()) {
        assertTrue(state.leaderEpoch() > old.leaderEpoch(), "leader in an old epoch: " + state);
      }
      if (state.recovering() && !old.recovering()) {
        assertTrue(topic.config().uncleanLeaderElection(), "unclean without leave: " + state);
      }
    }
  }
}
