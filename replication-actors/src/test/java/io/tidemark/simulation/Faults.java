package io.tidemark.simulation;

import static io.tidemark.simulation.Simulation.MS;

import io.tidemark.protocol.ControllerRequest.RegisterBroker;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.ProduceRequest;
import io.tidemark.quorum.QuorumEffect;
import io.tidemark.quorum.QuorumInput;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatches;
import io.tidemark.simulation.Scheduler.Kind;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Brings the planned faults about, and ends them. */
final class Faults {
  /** The first byte of a batch that its checksum covers. */
  private static final int COVERED_FROM = 21;

  private final Simulation sim;
  private final Chance chance;
  private final List<Fault> plan;
  private final Simulation.FaultFilter filter;
  private int next;
  private boolean healed;
  private boolean voterWiped;
  private int created;
  private Chance crashAfterAck;
  private Chance crashAfterVote;
  private Chance crashAfterCommit;
  private OverruledController overruled;
  private long misdirectUntil;
  private long damageUntil;

  Faults(Simulation sim, Chance chance, Simulation.FaultFilter filter) {
    this.sim = sim;
    this.plan = FaultPlan.of(sim.profile, new Chance(chance.next()));
    this.chance = chance;
    this.filter = filter;
  }

  boolean isHealed() {
    return healed;
  }

  List<Fault> plan() {
    return plan;
  }

  /** Brings about what is planned for this step or an earlier one. */
  void due(long step) {
    while (next < plan.size() && plan.get(next).step() <= step) {
      Fault fault = plan.get(next++);
      if (filter.keeps(fault.index())) {
        sim.scheduler.add(sim.now, Kind.FAULT, 0, fault, () -> bring(fault));
      }
    }
  }

  private void bring(Fault fault) {
    if (healed) {
      return;
    }
    Chance salt = new Chance(fault.salt());
    if (new Misfortune(sim, this, salt).bring(fault.kind())) {
      sim.coverage.count(fault.kind().counter());
    }
  }

  void armAfterAck(Chance salt) {
    crashAfterAck = salt;
  }

  void armAfterVote(Chance salt) {
    crashAfterVote = salt;
  }

  void armAfterCommit(Chance salt) {
    crashAfterCommit = salt;
  }

  /** Returns whether there was a controller to overrule. */
  boolean overrule(Chance salt) {
    overruled = new OverruledController(sim, this, salt);
    return overruled.begin();
  }

  void misdirect(long nanos) {
    misdirectUntil = sim.now + nanos;
  }

  void damage(long nanos) {
    damageUntil = sim.now + nanos;
  }

  /**
   * Once, and only when all voters know each other: two lost disks are more than a quorum bears.
   */
  boolean mayWipe(Node node) {
    if (node.id > sim.shape.voters()) {
      return true;
    }
    boolean formed =
        sim.nodes().stream()
            .limit(sim.shape.voters())
            .noneMatch(voter -> voter.metadata().state().voters().isEmpty());
    if (voterWiped || !formed) {
      return false;
    }
    voterWiped = true;
    return true;
  }

  Shape.TopicSpec newTopic(Chance salt) {
    int replicas = 1 + salt.below(3);
    return new Shape.TopicSpec(
        "new" + created++, 1, replicas, 1 + salt.below(replicas), false, "unlimited");
  }

  /** Its process ends; the others see that, or not. */
  void crash(Node node, boolean power, Chance salt) {
    if (!node.isUp()) {
      return;
    }
    java.util.UUID incarnation = node.broker().cores().incarnation();
    if (power) {
      node.losePower();
    } else {
      node.crash();
    }
    for (Node other : sim.nodes()) {
      if (other.isUp() && salt.happens(0.6)) {
        other.after(
            1 + salt.below(20 * MS),
            Kind.LOCAL,
            node + " is gone",
            () -> seen(other, node, incarnation));
      }
    }
  }

  void seen(Node by, Node gone, java.util.UUID incarnation) {
    by.broker().peerDied(gone.id, incarnation);
    by.quorum().give(new QuorumInput.Suspected(gone.id));
  }

  void restartAfter(Node node, long nanos) {
    sim.scheduler.add(
        sim.now + nanos,
        Kind.FAULT,
        node.id,
        "the process starts",
        () -> {
          if (!node.isUp()) {
            node.start();
          }
        });
  }

  /** It has handed over, and ends. */
  void left(Node node) {
    sim.coverage.count("broker-left");
    node.crash();
    restartAfter(node, 50 * MS + chance.below(800 * MS));
  }

  /** An acks=all write was answered. */
  void acknowledged(ReplicaShell by) {
    Chance salt = crashAfterAck;
    if (salt != null && !healed) {
      crashAfterAck = null;
      sim.coverage.count("crashed-after-ack");
      soon(by.node, salt, salt.happens(0.5), 600 * MS);
    }
  }

  void quorumStepped(QuorumShell member, List<QuorumEffect> effects) {
    if (healed) {
      return;
    }
    if (overruled != null) {
      overruled.stepped(member, effects);
    }
    for (QuorumEffect effect : effects) {
      boolean voted =
          effect instanceof QuorumEffect.AnswerVote answer
              && answer.response().granted()
              && !answer.response().preVote();
      if (crashAfterVote != null && voted) {
        Chance salt = crashAfterVote;
        crashAfterVote = null;
        sim.coverage.count("crashed-after-vote");
        soon(member.node, salt, salt.happens(0.5), 15 * MS);
      }
      if (crashAfterCommit != null
          && effect instanceof QuorumEffect.HighWatermarkMoved
          && member.core().leaderId() == member.node.id) {
        Chance salt = crashAfterCommit;
        crashAfterCommit = null;
        sim.coverage.count("crashed-after-commit");
        soon(member.node, salt, true, 400 * MS);
      }
    }
  }

  private void soon(Node node, Chance salt, boolean power, long downFor) {
    long down = 1 + salt.below(downFor);
    node.after(
        1 + salt.below(salt.happens(0.5) ? MS / 20 : 2 * MS),
        Kind.FAULT,
        "crash",
        () -> {
          crash(node, power, salt);
          restartAfter(node, down);
        });
  }

  /** The replica that a message really reaches. */
  ReplicaShell misdirected(BrokerShell broker, PartitionId partition) {
    if (misdirectUntil > sim.now && chance.happens(0.4)) {
      for (ReplicaShell other : broker.replicas()) {
        if (!other.partition.equals(partition)) {
          sim.coverage.count("message-misdirected");
          return other;
        }
      }
    }
    return broker.replica(partition);
  }

  /** The message as it arrives: not always as it was sent. */
  Object damaged(Object message) {
    if (damageUntil <= sim.now || !chance.happens(0.3)) {
      return message;
    }
    if (message instanceof FetchResponse response && response.records().hasRemaining()) {
      sim.coverage.count("message-damaged");
      return response.withRecords(damaged(response.records(), chance));
    }
    if (message instanceof ProduceRequest request) {
      sim.coverage.count("message-damaged");
      return new ProduceRequest(
          request.partition(), request.acks(), damaged(request.batches(), chance));
    }
    return message;
  }

  /** A bit flips in what a checksum covers; the rest of a header is guarded by the transport. */
  static ByteBuffer damaged(ByteBuffer batches, Chance chance) {
    ByteBuffer copy = ByteBuffer.allocate(batches.remaining()).put(batches.duplicate()).flip();
    int start = 0;
    for (RecordBatch batch : RecordBatches.list(copy)) {
      if (start > 0 && chance.happens(0.5)) {
        break;
      }
      int at = start + COVERED_FROM + chance.below(batch.sizeInBytes() - COVERED_FROM);
      copy.put(at, (byte) (copy.get(at) ^ 1 << chance.below(8)));
      start += batch.sizeInBytes();
    }
    return copy;
  }

  /** A process with an empty directory claims that broker's id. */
  void impersonating(int broker) {
    int to = sim.node(1 + chance.below(sim.shape.nodes())).id;
    RegisterBroker request =
        new RegisterBroker(
            broker,
            chance.uuid(),
            chance.uuid(),
            null,
            Shape.address(broker),
            0,
            "",
            1 << 20,
            false);
    Node node = sim.node(to);
    if (node.quorum() != null && node.quorum().isActive()) {
      sim.network.send(
          0,
          to,
          request,
          () -> {
            if (node.quorum() != null && node.quorum().isActive()) {
              node.quorum().asked(request, answer -> {});
            }
          });
    }
  }

  void heal() {
    healed = true;
    sim.network.heal();
    misdirectUntil = 0;
    damageUntil = 0;
    for (Node node : new ArrayList<>(sim.nodes())) {
      node.pausedUntil = 0;
      node.slowUntil = 0;
      node.slowDiskUntil = 0;
      node.fullUntil = 0;
      node.setClock(0, 1);
      if (!node.isUp()) {
        node.start();
      }
    }
  }
}
