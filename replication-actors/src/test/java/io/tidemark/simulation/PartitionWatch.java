package io.tidemark.simulation;

import io.tidemark.controller.Broker;
import io.tidemark.controller.MetadataImage;
import io.tidemark.log.LeaderEpochs;
import io.tidemark.log.LogState;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import io.tidemark.replica.ReplicaCore;
import io.tidemark.replica.SimReplica;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The invariants of one partition. After an unclean election those about lost records are void. */
final class PartitionWatch {
  private final Simulation sim;
  private final PartitionId id;
  private final Ghost ghost = new Ghost();
  private final Map<Integer, ReplicaShell> leaders = new HashMap<>();
  private PartitionState state;
  private boolean unclean;

  PartitionWatch(Simulation sim, PartitionId id) {
    this.sim = sim;
    this.id = id;
  }

  Ghost ghost() {
    return ghost;
  }

  /** As it is committed; null before it is. */
  PartitionState state() {
    return state;
  }

  /** Whether committed records may be gone, with the leave of the topic. */
  boolean isUnclean() {
    return unclean;
  }

  void stepped(ReplicaShell replica) {
    ReplicaCore core = replica.core();
    if (core.log() == null) {
      return;
    }
    ReplicaShell.Seen seen = replica.seen;
    LogState log = replica.log.state();
    long highWatermark = core.highWatermark();
    boolean leads = core.isLeader();
    int epoch = core.leaderEpoch();
    boolean led = seen.leads && seen.leaderEpoch == epoch;
    boolean logChanged = log.sequenceNr() != seen.logSequence;
    if (logChanged || highWatermark != seen.highWatermark || leads != led) {
      sim.trace.mix(log.endOffset() << 32 ^ highWatermark << 8 ^ epoch);
      if (logChanged) {
        logChanged(replica, log);
      }
      if (leads && !led) {
        beginsToLead(replica, epoch);
      } else if (leads && highWatermark < seen.highWatermark) {
        throw new Violation(
            "7",
            "%s leads epoch %d, and its high watermark went back from %d to %d"
                .formatted(replica.node, epoch, seen.highWatermark, highWatermark));
      }
      isWithinLog(replica, core);
      if (!unclean) {
        nothingIsLost(replica, highWatermark, leads);
      }
    }
    if (leads) {
      maximalIsrHoldsAll(replica);
    }
    seen.leads = leads;
    seen.leaderEpoch = epoch;
    seen.highWatermark = highWatermark;
    seen.logSequence = log.sequenceNr();
  }

  private void logChanged(ReplicaShell replica, LogState log) {
    ghost.inspect(replica.log, replica.node);
    ghost.deletedTo(log.startOffset());
    List<LeaderEpochs.Entry> epochs = log.epochs().entries();
    for (int i = 0; i < epochs.size(); i++) {
      LeaderEpochs.Entry entry = epochs.get(i);
      boolean inLog =
          log.startOffset() <= entry.startOffset() && entry.startOffset() <= log.endOffset();
      boolean increasing =
          i == 0
              || (epochs.get(i - 1).epoch() < entry.epoch()
                  && epochs.get(i - 1).startOffset() < entry.startOffset());
      if (!inLog || !increasing) {
        throw new Violation("12", "%s has epochs %s".formatted(replica.node, replica.log));
      }
    }
  }

  private void beginsToLead(ReplicaShell replica, int epoch) {
    ReplicaShell other = leaders.putIfAbsent(epoch, replica);
    if (other != null && other != replica) {
      throw new Violation(
          "9",
          "%s leads epoch %d, which %s led%s"
              .formatted(
                  replica.node,
                  epoch,
                  other.node,
                  other.node == replica.node ? " before its restart" : ""));
    }
  }

  private void isWithinLog(ReplicaShell replica, ReplicaCore core) {
    long hw = core.highWatermark();
    if (hw < core.log().startOffset() || hw > core.log().endOffset()) {
      throw new Violation(
          "7",
          "%s has high watermark %d and a log of [%d, %d)"
              .formatted(replica.node, hw, core.log().startOffset(), core.log().endOffset()));
    }
  }

  private void nothingIsLost(ReplicaShell replica, long highWatermark, boolean leads) {
    if (leads && highWatermark > ghost.end()) {
      ghost.commit(replica.log, highWatermark);
      membersHoldAll("1");
    } else {
      ghost.verify(replica.log, highWatermark, "4", replica.node);
    }
    if (state == null) {
      return;
    }
    int node = replica.node.id;
    if (leads && state.leader() == node && replica.core().leaderEpoch() == state.leaderEpoch()) {
      holdsAll(replica.node, "3");
    } else if (state.isr().contains(node) || state.elr().contains(node)) {
      holdsAll(replica.node, "2");
    }
  }

  private void membersHoldAll(String invariant) {
    if (state != null && !unclean) {
      state.isr().forEach(member -> holdsAll(sim.node(member), invariant));
      state.elr().forEach(member -> holdsAll(sim.node(member), invariant));
    }
  }

  private void holdsAll(Node node, String invariant) {
    if (node.hasLost()) {
      return;
    }
    SimulatedLog log = node.log(id);
    long end = log == null ? 0 : log.state().endOffset();
    if (end < ghost.end()) {
      throw new Violation(
          invariant,
          "%s ends at %d, but all up to %d is committed, and it is counted on: %s"
              .formatted(node, end, ghost.end(), state));
    }
    if (log != null) {
      ghost.verify(log, ghost.end(), invariant, node);
    }
  }

  private void maximalIsrHoldsAll(ReplicaShell replica) {
    ReplicaCore core = replica.core();
    if (state == null
        || state.leader() != replica.node.id
        || state.leaderEpoch() != core.leaderEpoch()
        || state.isr().size() < minInsync()) {
      return;
    }
    for (int member : state.isr()) {
      if (!SimReplica.isInMaximalIsr(core, member)) {
        throw new Violation(
            "5", "%s leads and does not wait for %d: %s".formatted(replica.node, member, state));
      }
    }
    if (!SimReplica.isIsrPending(core)
        && SimReplica.partitionEpoch(core) == state.partitionEpoch()) {
      for (int id : state.replicas()) {
        if (SimReplica.isInMaximalIsr(core, id) && !state.isr().contains(id)) {
          throw new Violation(
              "5", "%s leads and waits for %d: %s".formatted(replica.node, id, state));
        }
      }
    }
  }

  private int minInsync() {
    return sim.invariants
        .image()
        .topicsById()
        .get(id.topicId())
        .config()
        .minIsr(state.replicationFactor());
  }

  /** The controller's decision is committed. */
  void changed(PartitionState before, PartitionState after) {
    state = after;
    if (before != null) {
      epochsGrow(before, after);
      kindOf(before, after);
    }
    isWellFormed();
    membersHoldAll("2");
    Node leader = after.leader() < 0 ? null : sim.node(after.leader());
    ReplicaShell replica =
        leader == null || leader.broker() == null ? null : leader.broker().replica(id);
    if (replica != null && !replica.isStopped() && replica.core().isLeader()) {
      maximalIsrHoldsAll(replica);
    }
  }

  private void epochsGrow(PartitionState before, PartitionState after) {
    boolean grows =
        after.partitionEpoch() > before.partitionEpoch()
            && after.leaderEpoch() >= before.leaderEpoch()
            && (after.leader() == before.leader() || after.leaderEpoch() > before.leaderEpoch());
    if (!grows) {
      throw new Violation("9", "epochs do not grow from %s to %s".formatted(before, after));
    }
  }

  private void kindOf(PartitionState before, PartitionState after) {
    if (after.recovering() && !before.recovering()) {
      unclean = true;
      sim.coverage.count("election-unclean");
    } else if (after.leader() != before.leader()) {
      if (after.leader() == PartitionState.NO_LEADER) {
        sim.coverage.count("election-offline");
      } else {
        sim.coverage.count(
            before.isr().contains(after.leader()) ? "election-from-isr" : "election-from-elr");
      }
    }
    if (after.isr().size() > before.isr().size()) {
      sim.coverage.count("isr-expanded");
    } else if (after.isr().size() < before.isr().size()) {
      sim.coverage.count("isr-shrunk");
    }
  }

  void isWellFormed() {
    MetadataImage image = sim.invariants.image();
    PartitionState now = image.partition(id);
    Set<Integer> both = new HashSet<>(now.isr());
    both.addAll(now.elr());
    boolean well =
        both.size() == now.isr().size() + now.elr().size()
            && now.replicas().containsAll(both)
            && (now.leader() == PartitionState.NO_LEADER || now.isr().contains(now.leader()));
    for (int member : now.isr()) {
      Broker broker = image.brokers().get(member);
      well &= broker != null && !broker.fenced();
    }
    int minInsync = image.topicsById().get(id.topicId()).config().minIsr(now.replicationFactor());
    well &= now.isr().size() < minInsync || now.elr().isEmpty();
    if (!well) {
      throw new Violation("10", "ill-formed: " + now);
    }
  }

  /** All replicas are the same, and what is committed is what was ever committed. */
  void atRest() {
    if (unclean || state == null || state.leader() == PartitionState.NO_LEADER) {
      return;
    }
    for (int member : state.replicas()) {
      SimulatedLog log = sim.node(member).log(id);
      log.verified = 0;
      ghost.verify(log, ghost.end(), "3", sim.node(member));
    }
  }
}
