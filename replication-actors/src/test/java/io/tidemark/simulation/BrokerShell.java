package io.tidemark.simulation;

import static io.tidemark.simulation.Simulation.MS;

import io.tidemark.broker.SimBroker;
import io.tidemark.controller.MetadataImage;
import io.tidemark.protocol.ControllerRequest;
import io.tidemark.protocol.ControllerRequest.BrokerDied;
import io.tidemark.protocol.ControllerRequest.RegisterBroker;
import io.tidemark.protocol.ControllerResponse;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.PartitionId;
import io.tidemark.replica.CatchUpTurns;
import io.tidemark.replica.PartitionView;
import io.tidemark.replica.ReplicaEffect;
import io.tidemark.replica.ReplicaInput;
import io.tidemark.replica.Throttle;
import io.tidemark.replica.TokenBucket;
import io.tidemark.simulation.Scheduler.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;

/** A process's broker: registers, stays in touch, and tells its replicas what the metadata says. */
final class BrokerShell {
  private static final long TICK = 100 * MS;
  private static final long FIRST_RESTART = 300 * MS;
  private static final long PATIENCE = 5_000 * MS;
  private static final long ANSWER = 600 * MS;

  private static final class Pending {
    private final ControllerRequest request;
    private final Consumer<ControllerResponse> asker;
    private final long giveUpAt;
    private long sendAt;

    private Pending(ControllerRequest request, Consumer<ControllerResponse> asker, long giveUpAt) {
      this.request = request;
      this.asker = asker;
      this.giveUpAt = giveUpAt;
    }
  }

  private final Node node;
  private final Simulation sim;
  private final SimBroker cores;
  private final Throttle throttle;
  private final Map<PartitionId, ReplicaShell> replicas = new LinkedHashMap<>();
  private final Map<Long, Pending> pending = new LinkedHashMap<>();

  /** How to send a copy of what was last asked of the controller about a partition. */
  private final Map<PartitionId, Runnable> proposed = new HashMap<>();

  private final List<ReplicaShell> failed = new ArrayList<>();
  private MetadataImage image = MetadataImage.EMPTY;
  private int controller = -1;
  private long nextId;
  private long restartAt = Long.MAX_VALUE;
  private boolean incarnationEnds;
  private long toldAt;

  BrokerShell(Node node, boolean clean) {
    this.node = node;
    this.sim = node.sim;
    long bytes = sim.shape.throttleBytes();
    this.throttle =
        new Throttle(
            new TokenBucket(bytes),
            new TokenBucket(bytes),
            new CatchUpTurns(sim.shape.catchUps()),
            new CatchUpTurns(sim.shape.catchUps()));
    this.cores =
        new SimBroker(
            new RegisterBroker(
                node.id,
                sim.chance.uuid(),
                node.directory(),
                null,
                Shape.address(node.id),
                0,
                "rack" + node.id % 2,
                1 << 20,
                clean),
            node.stored());
  }

  void start() {
    node.after(sim.chance.below(10 * MS), Kind.TIMER, "broker tick", this::tick);
  }

  Node node() {
    return node;
  }

  SimBroker cores() {
    return cores;
  }

  /** Of all replicas of this process. */
  Throttle throttle() {
    return throttle;
  }

  MetadataImage image() {
    return image;
  }

  boolean isAlive() {
    return node.broker() == this;
  }

  /** Null when this broker runs no such replica. */
  ReplicaShell replica(PartitionId partition) {
    return replicas.get(partition);
  }

  Iterable<ReplicaShell> replicas() {
    return replicas.values();
  }

  void imageChanged(MetadataImage newer) {
    image = newer;
    tellReplicas();
  }

  void controllerMoved(int leader) {
    controller = leader;
    if (leader >= 0) {
      cores.askAgain(node.clock());
      pending.forEach((id, request) -> send(id, request));
      beat();
    }
  }

  private void tick() {
    long now = node.clock();
    if (now >= restartAt) {
      restartFailed(now);
    }
    beat();
    for (Iterator<Map.Entry<Long, Pending>> all = pending.entrySet().iterator(); all.hasNext(); ) {
      Map.Entry<Long, Pending> entry = all.next();
      Pending request = entry.getValue();
      if (now >= request.giveUpAt) {
        all.remove();
        request.asker.accept(
            new ControllerResponse.Failed(ErrorCode.REQUEST_TIMED_OUT, "no controller answered"));
      } else if (now >= request.sendAt) {
        send(entry.getKey(), request);
      }
    }
    tellReplicas();
    if (cores.isGone()) {
      sim.faults.left(node);
    } else {
      node.after(TICK, Kind.TIMER, "broker tick", this::tick);
    }
  }

  private void beat() {
    if (!incarnationEnds) {
      cores.due(
          image.nextOffset(),
          node.clock(),
          (id, request) ->
              toController(
                  request,
                  response -> {
                    cores.answered(id, response, sim.chance.uuid(), node.clock());
                    tellReplicas();
                    beat();
                  }));
    }
  }

  /** A request of this process or of a client, tried again until a controller has answered. */
  void ask(ControllerRequest request, Consumer<ControllerResponse> asker) {
    long id = nextId++;
    Pending added = new Pending(request, asker, node.clock() + PATIENCE);
    pending.put(id, added);
    send(id, added);
  }

  private void send(long id, Pending request) {
    boolean sent = toController(request.request, response -> answered(id, response));
    request.sendAt = node.clock() + (sent ? ANSWER : 100 * MS);
  }

  private void answered(long id, ControllerResponse response) {
    Pending request = pending.get(id);
    if (request == null) {
      return;
    }
    if (response.error().isRetriable()
        && !(request.request instanceof ControllerRequest.AlterPartition)) {
      request.sendAt = node.clock() + 100 * MS;
      return;
    }
    pending.remove(id);
    request.asker.accept(response);
  }

  private boolean toController(ControllerRequest request, Consumer<ControllerResponse> asker) {
    if (controller < 0) {
      return false;
    }
    int to = controller;
    Runnable delivery =
        () -> {
          QuorumShell asked = sim.node(to).quorum();
          if (asked != null && !asked.isStopped()) {
            asked.asked(
                request,
                answer ->
                    sim.network.send(
                        to,
                        node.id,
                        answer,
                        () -> {
                          if (isAlive()) {
                            asker.accept((ControllerResponse) answer);
                          }
                        }));
          }
        };
    sim.network.send(node.id, to, request, delivery);
    if (request instanceof ControllerRequest.AlterPartition alter) {
      Runnable before =
          proposed.put(alter.partition(), () -> sim.network.echo(node.id, to, request, delivery));
      if (before != null) {
        before.run();
      }
    }
    return true;
  }

  void proposeIsr(ReplicaShell replica, ReplicaEffect.ProposeIsr propose) {
    ask(
        propose.request(),
        response ->
            replica.give(
                new ReplicaInput.IsrAnswered(
                    propose.requestId(),
                    response.error(),
                    response instanceof ControllerResponse.PartitionAltered altered
                        ? altered.state()
                        : null)));
  }

  /** The process of that incarnation of a broker was seen to end. */
  void peerDied(int id, UUID incarnation) {
    ask(new BrokerDied(id, incarnation), response -> {});
  }

  void leave() {
    cores.leave(node.clock());
  }

  private void tellReplicas() {
    if (cores.isGone()) {
      return;
    }
    long epoch = sim.rules.viewEpoch(this);
    cores.viewsDue(image, epoch, node.clock()).forEach(this::tell);
    cores.unwanted(image, epoch, node.clock()).forEach(this::remove);
  }

  /** Its data goes with it. */
  private void remove(PartitionId partition) {
    ReplicaShell replica = replicas.remove(partition);
    if (replica != null) {
      replica.give(new ReplicaInput.Removed());
      replica.stop();
      failed.remove(replica);
    }
    node.erase(partition);
    sim.coverage.count("replica-removed");
    node.after(sim.chance.below(3 * MS), Kind.LOCAL, "erased", () -> cores.removed(partition));
  }

  private void tell(PartitionId partition, PartitionView view) {
    ReplicaShell replica = replicas.get(partition);
    if (replica == null || replica.isStopped()) {
      if (failed.contains(replica)) {
        return;
      }
      replica = new ReplicaShell(this, partition);
      replicas.put(partition, replica);
      replica.start();
    }
    ReplicaShell told = replica;
    // In order, as one actor's messages to another are.
    toldAt = Math.max(toldAt, sim.now + sim.chance.below(3 * MS));
    node.after(
        toldAt - sim.now,
        Kind.LOCAL,
        view.state(),
        () -> {
          cores.confirmed(partition, view);
          told.give(new ReplicaInput.ViewChanged(view));
        });
  }

  /** One that was to lead may do so only as a new incarnation: others lead meanwhile. */
  void replicaFailed(ReplicaShell replica, boolean wasLeader) {
    failed.add(replica);
    restartAt = Math.min(restartAt, node.clock() + FIRST_RESTART + sim.chance.below(300 * MS));
    if (wasLeader && !incarnationEnds) {
      incarnationEnds = true;
      if (cores.brokerEpoch() >= 0) {
        peerDied(node.id, cores.incarnation());
      }
    }
  }

  private void restartFailed(long now) {
    restartAt = Long.MAX_VALUE;
    for (ReplicaShell replica : failed) {
      node.recover(replica.log);
      cores.forget(replica.partition);
      sim.coverage.count("replica-restarted");
    }
    failed.clear();
    if (incarnationEnds) {
      incarnationEnds = false;
      cores.restart(sim.chance.uuid(), true, now);
    }
  }
}
