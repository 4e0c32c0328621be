package io.tidemark.simulation;

import static io.tidemark.simulation.Simulation.MS;

import io.tidemark.controller.ControllerCore;
import io.tidemark.controller.ControllerEffect;
import io.tidemark.controller.ControllerInput;
import io.tidemark.controller.MetadataImage;
import io.tidemark.log.LogState;
import io.tidemark.protocol.ControllerRequest;
import io.tidemark.protocol.ControllerResponse;
import io.tidemark.protocol.EpochEndResponse;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.QuorumMessage.HelloResponse;
import io.tidemark.protocol.QuorumMessage.VoteResponse;
import io.tidemark.quorum.QuorumCore;
import io.tidemark.quorum.QuorumEffect;
import io.tidemark.quorum.QuorumInput;
import io.tidemark.quorum.QuorumMember;
import io.tidemark.replica.ReplicaEffect;
import io.tidemark.simulation.Scheduler.Kind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongFunction;

/** A process's member of the controller quorum, and the controller while it leads. */
final class QuorumShell {
  private static final long CONTROLLER_TICK = 100 * MS;

  final Node node;
  final QuorumMember member;
  private final Simulation sim;
  private final QuorumCore core;
  private final ControllerCore controller;
  private final Alarm alarm;
  private final Map<Long, Consumer<Object>> askers = new HashMap<>();
  private long nextToken;
  private MetadataImage image = MetadataImage.EMPTY;
  private QuorumEffect.Led led;
  private boolean active;
  private int activation;
  private boolean stopped;

  /** What the invariants saw of it last. */
  int seenEpoch;

  long seenHighWatermark;

  QuorumShell(Node node) {
    this.node = node;
    this.sim = node.sim;
    this.member =
        new QuorumMember(
            node.id, node.directory(), Shape.address(node.id), sim.shape.voterAddresses());
    this.core = sim.rules.quorum(member, sim.shape.quorum());
    this.controller = new ControllerCore(sim.shape.controller());
    this.alarm = new Alarm(node, "quorum", () -> give(new QuorumInput.TimePassed()));
  }

  void start() {
    LogState found = sim.rules.recovered(node.metadata().state());
    node.after(
        1 + sim.chance.below(3 * MS),
        Kind.LOCAL,
        "recovered",
        () -> give(new QuorumInput.LogRecovered(found)));
  }

  QuorumCore core() {
    return core;
  }

  MetadataImage image() {
    return image;
  }

  boolean isActive() {
    return active;
  }

  boolean isStopped() {
    return stopped;
  }

  private boolean isAlive() {
    return node.quorum() == this;
  }

  void give(QuorumInput input) {
    if (stopped || !isAlive()) {
      return;
    }
    long now = node.clock();
    List<QuorumEffect> effects = core.on(input, now, sim.chance.next());
    for (QuorumEffect effect : effects) {
      sim.covering.quorum(effect);
      sim.invariants.quorumEffect(this, effect);
      perform(effect);
    }
    alarm.set(core.nextDeadline(now));
    sim.invariants.quorumStepped(this);
    sim.faults.quorumStepped(this, effects);
  }

  private void perform(QuorumEffect effect) {
    if (effect instanceof QuorumEffect.Replicate replicate) {
      replicate(replicate.effect());
    } else if (effect instanceof QuorumEffect.HighWatermarkMoved moved) {
      applyMetadata(moved.highWatermark());
    } else if (effect instanceof QuorumEffect.SendVote vote) {
      ask(
          vote.to(),
          vote.request(),
          token -> new QuorumInput.VoteArrived(token, vote.request()),
          answer -> new QuorumInput.VoteAnswered((VoteResponse) answer));
    } else if (effect instanceof QuorumEffect.AnswerVote answer) {
      answer(answer.token(), answer.response());
    } else if (effect instanceof QuorumEffect.SendBegin begin) {
      tell(begin.to(), begin.message(), new QuorumInput.BeginArrived(begin.message()));
    } else if (effect instanceof QuorumEffect.SendEnd end) {
      tell(end.to(), end.message(), new QuorumInput.EndArrived(end.message()));
    } else if (effect instanceof QuorumEffect.SendHello hello) {
      ask(
          Shape.idOf(hello.address()),
          hello.request(),
          token -> new QuorumInput.HelloArrived(token, hello.request()),
          answer -> new QuorumInput.HelloAnswered((HelloResponse) answer));
    } else if (effect instanceof QuorumEffect.AnswerHello answer) {
      answer(answer.token(), answer.response());
    } else if (effect instanceof QuorumEffect.Led now) {
      led = now;
      activate();
    } else if (effect instanceof QuorumEffect.LostLeadership) {
      deactivate();
    } else if (effect instanceof QuorumEffect.LeaderKnown known) {
      node.broker().controllerMoved(known.leaderId());
    }
  }

  private void replicate(ReplicaEffect effect) {
    if (effect instanceof ReplicaEffect.Persist persist) {
      node.persist(
          node.metadata(),
          persist.event(),
          state -> give(new QuorumInput.LogPersisted(state)),
          this::fail);
    } else if (effect instanceof ReplicaEffect.SendFetch fetch) {
      ask(
          fetch.leaderId(),
          fetch.request(),
          token -> new QuorumInput.FetchArrived(token, fetch.request()),
          answer -> new QuorumInput.FetchAnswered(fetch.requestId(), (FetchResponse) answer));
    } else if (effect instanceof ReplicaEffect.SendEpochEnd ask) {
      ask(
          ask.leaderId(),
          ask.request(),
          token -> new QuorumInput.EpochEndArrived(token, ask.request()),
          answer -> new QuorumInput.EpochEndAnswered(ask.requestId(), (EpochEndResponse) answer));
    } else if (effect instanceof ReplicaEffect.ReadAndAnswer read) {
      answer(
          read.token(),
          read.head()
              .withRecords(node.metadata().read(read.from(), read.limit(), read.maxBytes())));
    } else if (effect instanceof ReplicaEffect.AnswerFetch answer) {
      answer(answer.token(), answer.response());
    } else if (effect instanceof ReplicaEffect.AnswerEpochEnd answer) {
      answer(answer.token(), answer.response());
    }
  }

  /** It starts again, on what the disk really holds. */
  private void fail() {
    give(new QuorumInput.LogFailed());
    stopped = true;
    node.broker().controllerMoved(-1);
    deactivate();
    node.after(
        500 * MS,
        Kind.LOCAL,
        "the member restarts",
        () -> {
          node.recover(node.metadata());
          node.restartQuorum();
        });
  }

  private void ask(
      int to,
      Object request,
      LongFunction<QuorumInput> arrival,
      Function<Object, QuorumInput> result) {
    sim.network.send(
        node.id,
        to,
        request,
        () -> {
          QuorumShell asked = sim.node(to).quorum();
          if (asked != null) {
            asked.asked(
                arrival,
                answer -> sim.network.send(to, node.id, answer, () -> give(result.apply(answer))));
          }
        });
  }

  private void asked(LongFunction<QuorumInput> request, Consumer<Object> asker) {
    long token = nextToken++;
    askers.put(token, asker);
    give(request.apply(token));
  }

  private void tell(int to, Object message, QuorumInput input) {
    sim.network.send(
        node.id,
        to,
        message,
        () -> {
          QuorumShell told = sim.node(to).quorum();
          if (told != null) {
            told.give(input);
          }
        });
  }

  private void answer(long token, Object response) {
    sim.covering.answer(response);
    askers.remove(token).accept(response);
  }

  private void applyMetadata(long highWatermark) {
    image = sim.invariants.imageAt(this, highWatermark);
    node.broker().imageChanged(image);
    activate();
    control(new ControllerInput.Committed(highWatermark));
  }

  /** The controller begins when all that was committed before it is known. */
  private void activate() {
    if (led != null && !active && image.nextOffset() == led.firstOffset()) {
      active = true;
      int mine = ++activation;
      sim.coverage.count("controller-activated");
      control(new ControllerInput.Activated(led.epoch(), image, led.firstOffset()));
      tick(mine);
    }
  }

  private void tick(int mine) {
    node.after(
        CONTROLLER_TICK,
        Kind.TIMER,
        "controller tick",
        () -> {
          if (active && activation == mine && isAlive()) {
            control(new ControllerInput.Tick());
            tick(mine);
          }
        });
  }

  private void deactivate() {
    led = null;
    if (active) {
      active = false;
      control(new ControllerInput.Deactivated());
    }
  }

  /** A request to the controller, whether it is one or not. */
  void asked(ControllerRequest request, Consumer<Object> asker) {
    long token = nextToken++;
    askers.put(token, asker);
    control(new ControllerInput.Requested(token, sim.rules.controllerRequest(this, request)));
  }

  private void control(ControllerInput input) {
    for (ControllerEffect effect : controller.on(input, node.clock())) {
      if (effect instanceof ControllerEffect.Reply reply) {
        ControllerResponse response = reply.response();
        answer(reply.token(), response);
      } else if (effect instanceof ControllerEffect.AskLogEnd ask) {
        askLogEnd(ask);
      } else if (effect instanceof ControllerEffect.Append append && led != null) {
        give(
            new QuorumInput.AppendRequested(
                led.epoch(), sim.metadata.batchOf(append.records(), sim.now / MS)));
      }
    }
  }

  private void askLogEnd(ControllerEffect.AskLogEnd ask) {
    int to = ask.broker().id();
    sim.network.send(
        node.id,
        to,
        ask,
        () -> {
          BrokerShell broker = sim.node(to).broker();
          ReplicaShell replica = broker == null ? null : broker.replica(ask.partition());
          LogState log = replica == null ? null : replica.core().log();
          if (log == null) {
            return;
          }
          ControllerInput report =
              new ControllerInput.LogEndReported(
                  ask.partition(), to, ask.broker().epoch(), log.lastEpoch(), log.endOffset());
          sim.network.send(
              to,
              node.id,
              report,
              () -> {
                if (isAlive()) {
                  control(report);
                }
              });
        });
  }
}
