package io.tidemark.group;

import static io.tidemark.group.GroupSimulation.MS;

import io.tidemark.protocol.GroupRequest.Heartbeat;
import io.tidemark.protocol.PartitionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A consumer in a group that reads records, and commits now and then. */
final class SimulatedMember {
  final String id;
  private final GroupSimulation sim;
  private final GroupMember core;
  private final Map<PartitionId, Long> positions = new HashMap<>();
  private final Set<Long> commits = new HashSet<>();
  private Map<PartitionId, Long> asked = Map.of();
  private long nextToken;
  private boolean gone;
  long pausedUntil;

  SimulatedMember(GroupSimulation sim, String id, int sessionMs) {
    this.sim = sim;
    this.id = id;
    this.core =
        new GroupMember(
            new MemberSettings(
                GroupSimulation.GROUP,
                id,
                List.of(GroupSimulation.TOPIC),
                sessionMs / 6,
                sessionMs,
                1_000,
                60_000));
    tick();
  }

  boolean isGone() {
    return gone;
  }

  boolean reads(PartitionId partition) {
    return positions.containsKey(partition);
  }

  void crash() {
    gone = true;
    positions.clear();
  }

  void leave() {
    perform(core.leave(sim.now));
  }

  private void tick() {
    sim.after(
        30 * MS,
        () -> {
          if (gone) {
            return;
          }
          if (sim.now >= pausedUntil) {
            perform(core.timePassed(sim.now));
            consume();
          }
          tick();
        });
  }

  private void consume() {
    for (PartitionId partition : List.copyOf(core.reading())) {
      Long at = positions.get(partition);
      if (at != null && at < GroupGhost.end() && sim.random.nextInt(3) == 0) {
        sim.ghost.consumed(partition, at);
        positions.put(partition, at + 1);
      }
      if (at != null && sim.random.nextInt(4) == 0) {
        long token = nextToken++;
        commits.add(token);
        perform(
            core.commit(
                token, GroupSimulation.offset(partition, positions.get(partition)), sim.now));
      }
    }
  }

  /** What arrives while it is paused, it takes afterwards. */
  private void whenAwake(Runnable action) {
    if (sim.now < pausedUntil) {
      sim.after(pausedUntil - sim.now + 1, () -> whenAwake(action));
    } else if (!gone) {
      action.run();
    }
  }

  private void perform(List<MemberEffect> effects) {
    for (MemberEffect effect : new ArrayList<>(effects)) {
      perform(effect);
    }
  }

  private void perform(MemberEffect effect) {
    if (effect instanceof MemberEffect.FindCoordinator) {
      int leader = sim.leader;
      int epoch = sim.epoch;
      sim.send(() -> whenAwake(() -> perform(core.coordinatorFound(leader, epoch, sim.now))));
    } else if (effect instanceof MemberEffect.Send send) {
      if (send.request() instanceof Heartbeat) {
        asked = sim.ghost.offsets();
      }
      sim.ask(
          send.broker(),
          send.request(),
          response -> whenAwake(() -> perform(core.answered(send.requestId(), response, sim.now))));
    } else if (effect instanceof MemberEffect.Start start) {
      PartitionId partition = start.partition().partition();
      sim.count("started");
      sim.ghost.started(this, start.partition(), asked);
      positions.put(partition, Math.max(0, start.partition().offset()));
    } else if (effect instanceof MemberEffect.Revoke revoke) {
      sim.count("revoked");
      sim.after(sim.random.nextInt(300) * MS, () -> whenAwake(() -> stopped(revoke.partition())));
    } else if (effect instanceof MemberEffect.Lost lost) {
      sim.count("lost");
      positions.remove(lost.partition());
    } else if (effect instanceof MemberEffect.Committed committed) {
      GroupSimulation.check(commits.remove(committed.token()), "answered twice: %s", committed);
    } else if (effect instanceof MemberEffect.CommitFailed failed) {
      sim.count("commit-failed");
      commits.remove(failed.token());
    } else if (effect instanceof MemberEffect.Refused refused) {
      throw new AssertionError("refused: " + refused);
    } else if (effect instanceof MemberEffect.Left) {
      gone = true;
      positions.clear();
    }
  }

  /** Half of them commit what they have read, the others let the drain time-out pass. */
  private void stopped(PartitionId partition) {
    Long at = positions.remove(partition);
    if (at == null) {
      return;
    }
    if (sim.random.nextBoolean()) {
      long token = nextToken++;
      commits.add(token);
      perform(core.commit(token, GroupSimulation.offset(partition, at), sim.now));
    }
    perform(core.stopped(partition, at, sim.now));
  }
}
