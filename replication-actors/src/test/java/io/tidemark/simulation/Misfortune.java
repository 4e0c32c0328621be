package io.tidemark.simulation;

import static io.tidemark.simulation.Simulation.MS;

import io.tidemark.protocol.ControllerRequest.AlterPartitionReassignment;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import io.tidemark.quorum.QuorumInput;
import io.tidemark.simulation.Fault.Kind;
import java.util.ArrayList;
import java.util.List;

/** One fault as it strikes: whom, how hard and for how long is decided by its salt. */
final class Misfortune {
  private final Simulation sim;
  private final Faults faults;
  private final Chance salt;

  Misfortune(Simulation sim, Faults faults, Chance salt) {
    this.sim = sim;
    this.faults = faults;
    this.salt = salt;
  }

  /** Returns whether there was anyone to strike. */
  boolean bring(Kind kind) {
    switch (kind) {
      case CRASH_AFTER_ACK -> faults.armAfterAck(salt);
      case CRASH_AFTER_VOTE -> faults.armAfterVote(salt);
      case CRASH_AFTER_COMMIT -> faults.armAfterCommit(salt);
      case LOSE_POWER_EVERYWHERE -> {
        for (Node node : sim.nodes()) {
          if (node.isUp()) {
            crash(node, true);
          }
        }
      }
      case CUT_ONE_WAY -> sim.network.cut(any().id, any().id, duration());
      case CUT_BOTH_WAYS -> cut(any(), any(), duration());
      case STORM ->
          sim.network.storm(
              salt.below(4) * 0.1, salt.below(4) * 0.15, 1 + salt.below(150 * MS), duration());
      case MISDIRECT -> faults.misdirect(duration());
      case DAMAGE -> faults.damage(duration());
      case LAG_BEFORE_CRASH -> {
        return lagBeforeCrash();
      }
      case OVERRULED_CONTROLLER -> {
        return faults.overrule(salt);
      }
      case REASSIGN -> {
        return reassign();
      }
      case CREATE_TOPIC -> sim.clients.create(faults.newTopic(salt));
      default -> {
        Node target = target(kind);
        return target != null && strike(kind, target);
      }
    }
    return true;
  }

  private boolean strike(Kind kind, Node node) {
    switch (kind) {
      case CRASH, CRASH_LEADER -> crash(node, false);
      case LOSE_POWER -> crash(node, true);
      case WIPE_DISK -> {
        if (!faults.mayWipe(node)) {
          return false;
        }
        faults.crash(node, true, salt);
        node.wipe();
        faults.restartAfter(node, downtime());
      }
      case FULL_DISK -> node.fullUntil = sim.now + duration();
      case SLOW_DISK -> node.slowDiskUntil = sim.now + 2 * duration();
      case SLOW_NODE -> node.slowUntil = sim.now + 2 * duration();
      case PAUSE -> node.pausedUntil = sim.now + duration();
      case LEAVE -> {
        node.quorum().give(new QuorumInput.ResignRequested());
        node.broker().leave();
        node.after(
            500 * MS + salt.below(2_000 * MS),
            Scheduler.Kind.FAULT,
            "it waits no longer to leave",
            () -> faults.left(node));
      }
      case ISOLATE, ISOLATE_LEADER, ISOLATE_CONTROLLER -> isolate(node);
      case FALSE_ALARM -> {
        Node by = any();
        if (!by.isUp() || by == node) {
          return false;
        }
        faults.seen(by, node, node.broker().cores().incarnation());
      }
      case CLOCK_JUMP ->
          node.setClock(
              salt.happens(0.7)
                  ? salt.below(salt.happens(0.3) ? 60_000 * MS : 500 * MS)
                  : -salt.below(50 * MS),
              1);
      case CLOCK_DRIFT -> node.setClock(0, 0.7 + salt.below(60) * 0.01);
      default -> throw new IllegalStateException("no target is meant for " + kind);
    }
    return true;
  }

  /** Null when there is none at the moment. */
  private Node target(Kind kind) {
    Node node =
        switch (kind) {
          case CRASH_LEADER, ISOLATE_LEADER -> leader();
          case PAUSE -> salt.happens(0.6) ? leader() : any();
          case ISOLATE_CONTROLLER -> controller();
          case WIPE_DISK -> any();
          default -> salt.happens(0.3) ? leader() : any();
        };
    return node != null && (node.isUp() || kind == Kind.WIPE_DISK) ? node : null;
  }

  /** A follower falls out of sync, and is back when its leader crashes. */
  private boolean lagBeforeCrash() {
    Node leader = leader();
    if (leader == null || !leader.isUp()) {
      return false;
    }
    Node follower = any();
    if (follower == leader || !follower.isUp()) {
      return false;
    }
    long nanos = (sim.shape.replication().lagTimeMaxMs() * 3 / 2 + 50) * MS;
    sim.network.isolate(follower.id, nanos);
    leader.after(
        nanos - salt.below(3 * MS), Scheduler.Kind.FAULT, "crash", () -> crash(leader, false));
    return true;
  }

  /** To some other brokers; or what is under way is given up. */
  private boolean reassign() {
    List<PartitionId> ids = List.copyOf(sim.invariants.image().partitions().keySet());
    if (ids.isEmpty()) {
      return false;
    }
    List<Integer> replicas = null;
    if (salt.happens(0.8)) {
      List<Node> all = new ArrayList<>(sim.nodes());
      replicas = new ArrayList<>();
      for (int i = 1 + salt.below(3); i > 0; i--) {
        replicas.add(all.remove(salt.below(all.size())).id);
      }
    }
    sim.clients.askController(
        new AlterPartitionReassignment(salt.oneOf(ids), replicas), answer -> {});
    return true;
  }

  private Node any() {
    return salt.oneOf(sim.nodes());
  }

  private Node leader() {
    List<PartitionId> ids = List.copyOf(sim.invariants.partitions().keySet());
    if (ids.isEmpty()) {
      return null;
    }
    PartitionState state = sim.invariants.partition(salt.oneOf(ids)).state();
    return state == null || state.leader() < 0 ? null : sim.node(state.leader());
  }

  private Node controller() {
    for (Node node : sim.nodes()) {
      if (node.isUp() && node.quorum().isActive()) {
        return node;
      }
    }
    return null;
  }

  private long duration() {
    return 20 * MS + salt.below(salt.happens(0.7) ? 300 * MS : 2_000 * MS);
  }

  private long downtime() {
    return 5 * MS + salt.below(salt.happens(0.7) ? 150 * MS : 1_500 * MS);
  }

  private void crash(Node node, boolean power) {
    faults.crash(node, power, salt);
    faults.restartAfter(node, downtime());
  }

  private void cut(Node one, Node other, long nanos) {
    sim.network.cut(one.id, other.id, nanos);
    sim.network.cut(other.id, one.id, nanos);
  }

  /** From the other nodes; from the clients, too, or not. */
  private void isolate(Node node) {
    long nanos = duration();
    sim.network.isolate(node.id, nanos);
    if (salt.happens(0.3)) {
      sim.network.cut(node.id, 0, nanos);
      sim.network.cut(0, node.id, nanos);
    }
  }
}
