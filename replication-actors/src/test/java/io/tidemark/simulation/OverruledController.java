package io.tidemark.simulation;

import static io.tidemark.simulation.Simulation.MS;

import io.tidemark.protocol.ControllerRequest.CreateTopic;
import io.tidemark.quorum.QuorumEffect;
import io.tidemark.simulation.Scheduler.Kind;
import java.util.List;

/**
 * Figure 8 of the Raft paper: a controller appends what nobody else gets, and crashes; so does the
 * next one. The first one is back, leads again, and copies its old record to a majority; then it
 * crashes, and the second one is back, whose log is newer.
 */
final class OverruledController {
  private enum Stage {
    BEGUN,
    FIRST_DOWN,
    SECOND_LEADS,
    FIRST_BACK,
    OVER
  }

  private final Simulation sim;
  private final Faults faults;
  private final Chance salt;
  private Stage stage = Stage.OVER;
  private Node first;
  private Node second;

  OverruledController(Simulation sim, Faults faults, Chance salt) {
    this.sim = sim;
    this.faults = faults;
    this.salt = salt;
  }

  boolean begin() {
    if (sim.shape.voters() != 3) {
      return false;
    }
    for (Node node : sim.nodes()) {
      if (node.isUp() && node.quorum().isActive()) {
        first = node;
      } else if (!node.isUp() && node.id <= 3) {
        return false;
      }
    }
    if (first == null) {
      return false;
    }
    stage = Stage.BEGUN;
    sim.network.isolate(first.id, 200 * MS);
    Shape.TopicSpec topic = faults.newTopic(salt);
    first
        .quorum()
        .asked(
            new CreateTopic(salt.uuid(), topic.name(), 1, topic.replicas(), topic.configs()),
            answer -> {});
    first.after(
        4 * MS,
        Kind.FAULT,
        "the first one crashes",
        () -> {
          stage = Stage.FIRST_DOWN;
          faults.crash(first, false, salt);
          faults.restartAfter(first, 1_500 * MS);
        });
    return true;
  }

  void stepped(QuorumShell member, List<QuorumEffect> effects) {
    boolean leads = member.core().leaderId() == member.node.id;
    if (stage == Stage.FIRST_DOWN && leads && member.node != first) {
      stage = Stage.SECOND_LEADS;
      second = member.node;
      sim.network.isolate(second.id, 100 * MS);
      second.after(5 * MS, Kind.FAULT, "the second one crashes", this::swap);
    } else if (stage == Stage.FIRST_BACK && leads && hasCommitted(effects)) {
      stage = Stage.OVER;
      sim.network.isolate(member.node.id, 100 * MS);
      member.node.after(1, Kind.FAULT, "it crashes", () -> swapBack(member.node));
    }
  }

  private static boolean hasCommitted(List<QuorumEffect> effects) {
    return effects.stream().anyMatch(QuorumEffect.HighWatermarkMoved.class::isInstance);
  }

  private void swap() {
    stage = Stage.FIRST_BACK;
    faults.crash(second, false, salt);
    faults.restartAfter(second, 1_500 * MS);
    if (!first.isUp()) {
      first.start();
    }
  }

  private void swapBack(Node leader) {
    faults.crash(leader, false, salt);
    faults.restartAfter(leader, 600 * MS);
    if (!second.isUp()) {
      second.start();
    }
  }
}
