package io.tidemark.quorum;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.quorum.QuorumSimulation.Node;
import java.util.Random;
import org.junit.jupiter.api.Test;

class QuorumSimulationTest {
  private static final int RUNS = Integer.getInteger("quorum.simulation.runs", 150);

  /** Shows states between two batches that a larger answer would skip. */
  private static final QuorumSettings ONE_BATCH_A_FETCH =
      new QuorumSettings(300, 500, 200, 100, 20, 100, 100, 500);

  private static final QuorumSettings MANY_SNAPSHOTS =
      new QuorumSettings(500, 1_000, 400, 250, 50, 200, 1 << 10, 1_000);

  private int snapshotsLoaded;
  private int votersChanged;

  @Test
  void threeVotersKeepTheInvariantsAndRecover() {
    for (long seed = 0; seed < RUNS; seed++) {
      simulate(seed, 3);
    }
    assertTrue(snapshotsLoaded > RUNS / 10, snapshotsLoaded + " snapshots were loaded");
    assertTrue(votersChanged > RUNS / 10, votersChanged + " voters changed");
  }

  @Test
  void fiveVotersKeepTheInvariantsAndRecover() {
    for (long seed = 10_000; seed < 10_000 + RUNS / 2; seed++) {
      simulate(seed, 5);
    }
  }

  private void simulate(long seed, int voters) {
    try {
      QuorumSettings settings = seed % 2 == 0 ? MANY_SNAPSHOTS : ONE_BATCH_A_FETCH;
      QuorumSimulation simulation = new QuorumSimulation(seed, voters, 1, settings);
      trouble(simulation, new Random(seed), voters, seed % 3 == 0);
      recovers(simulation);
      for (Node node : simulation.nodes()) {
        snapshotsLoaded += node.effects(QuorumEffect.SnapshotLoaded.class).size();
        votersChanged += node.effects(QuorumEffect.VotersAppended.class).size();
      }
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("seed " + seed + " with " + voters + " voters: " + e, e);
    }
  }

  /**
   * @param changes whether voters come and go; if not, one of them loses its disk
   */
  private static void trouble(
      QuorumSimulation simulation, Random random, int voters, boolean changes) {
    simulation.run(random.nextInt(3_000));
    simulation.dropped = random.nextInt(3) * 0.05;
    simulation.duplicated = random.nextInt(3) * 0.1;
    simulation.maxDelayMs = 1 + random.nextInt(60);
    simulation.maxFlushMs = 1 + random.nextInt(60);
    simulation.crashHazard = random.nextInt(3) * 0.05;
    boolean wiped = changes;
    for (int round = 0; round < 40; round++) {
      int id = 1 + random.nextInt(voters + 1);
      if (random.nextBoolean() && simulation.leader() != null) {
        id = simulation.leader().id;
      }
      Node node = simulation.node(id);
      switch (random.nextInt(9)) {
        case 0, 1 -> {
          if (node.isUp()) {
            simulation.crash(id);
            suspect(simulation, id);
          } else {
            simulation.restart(id);
          }
        }
        case 2 -> {
          if (node.isUp()) {
            simulation.crash(id);
          }
          boolean formed = simulation.agreedVoters().size() == voters;
          if (!wiped && formed && id <= voters && allRecorded(simulation, voters)) {
            simulation.wipe(id);
            wiped = true;
          }
          simulation.restart(id);
        }
        case 3 -> simulation.isolate(id);
        case 4 -> simulation.cut(id, 1 + random.nextInt(voters));
        case 5, 6 -> simulation.heal();
        case 7 -> suspect(simulation, id);
        default -> {
          if (node.isUp() && random.nextInt(4) == 0) {
            simulation.give(node, new QuorumInput.ResignRequested());
            simulation.run(100);
            simulation.crash(id);
            simulation.restart(id);
          }
        }
      }
      if (changes && simulation.leader() != null && random.nextInt(3) == 0) {
        change(simulation, simulation.node(1 + random.nextInt(voters + 1)));
      }
      for (int i = random.nextInt(5); i >= 0; i--) {
        for (Node other : simulation.nodes()) {
          if (other.isUp() && other.core.isLeader()) {
            simulation.append(other);
          }
        }
        simulation.run(random.nextInt(300));
      }
    }
  }

  private static void change(QuorumSimulation simulation, Node node) {
    Node leader = simulation.leader();
    boolean votes = leader.core.voters().contains(node.voter());
    simulation.change(
        leader, votes ? new VoterChange.Remove(node.id) : new VoterChange.Add(node.voter()));
  }

  private static boolean allRecorded(QuorumSimulation simulation, int voters) {
    for (int id = 1; id <= voters; id++) {
      if (simulation.node(id).disk.state().voters().isEmpty()) {
        return false;
      }
    }
    return true;
  }

  private static void suspect(QuorumSimulation simulation, int id) {
    for (Node other : simulation.nodes()) {
      if (other.isUp() && other.id != id) {
        simulation.give(other, new QuorumInput.Suspected(id));
      }
    }
  }

  private static void recovers(QuorumSimulation simulation) {
    simulation.heal();
    simulation.crashHazard = 0;
    simulation.maxDelayMs = 5;
    simulation.maxFlushMs = 5;
    for (Node node : simulation.nodes()) {
      if (!node.isUp()) {
        simulation.restart(node.id);
      }
    }
    simulation.run(10_000);
    assertTrue(simulation.runUntil(5_000, () -> simulation.leader() != null), "no leader");
    int before = simulation.invariants().committedRecords();
    simulation.append(simulation.leader());
    simulation.run(2_000);
    assertTrue(simulation.invariants().committedRecords() > before, "no progress");
    for (Node node : simulation.nodes()) {
      assertTrue(
          node.core.highWatermark() == simulation.invariants().committedRecords(),
          "member " + node.id + " did not catch up");
    }
  }
}
