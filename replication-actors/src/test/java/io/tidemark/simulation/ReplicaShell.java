package io.tidemark.simulation;

import static io.tidemark.simulation.Simulation.MS;

import io.tidemark.log.LogEvent;
import io.tidemark.protocol.EpochEndResponse;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.ListOffsetsResponse;
import io.tidemark.protocol.PartitionId;
import io.tidemark.record.Record;
import io.tidemark.replica.ReplicaCore;
import io.tidemark.replica.ReplicaEffect;
import io.tidemark.replica.ReplicaInput;
import io.tidemark.simulation.Scheduler.Kind;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/** One replica in a process: does what its core wants done, as the actor around it does. */
final class ReplicaShell {
  final Node node;
  final PartitionId partition;
  final SimulatedLog log;
  private final Simulation sim;
  private final BrokerShell broker;
  private final ReplicaCore core;
  private final Alarm alarm;
  private final Map<Long, Consumer<Object>> askers = new HashMap<>();
  private long nextToken;
  private boolean stopped;

  /** What the invariants saw of it last. */
  final Seen seen = new Seen();

  /** A replica as it was after its last step. */
  static final class Seen {
    int leaderEpoch = -1;
    boolean leads;
    long highWatermark;
    long logSequence = -1;
  }

  ReplicaShell(BrokerShell broker, PartitionId partition) {
    this.broker = broker;
    this.node = broker.node();
    this.sim = node.sim;
    this.partition = partition;
    this.log = node.logOrNew(partition);
    this.core = sim.rules.replica(node.id, partition, sim.shape.replication(), broker.throttle());
    this.alarm = new Alarm(node, partition, () -> give(new ReplicaInput.TimePassed()));
  }

  void start() {
    node.after(
        sim.chance.below(3 * MS),
        Kind.LOCAL,
        "recovered",
        () -> give(new ReplicaInput.LogRecovered(sim.rules.told(log.state()))));
    checkRetention();
  }

  private void checkRetention() {
    if (!sim.shape.hasRetention() || sim.faults.isHealed()) {
      return;
    }
    node.after(
        Shape.RETENTION_CHECK_MS * MS,
        Kind.LOCAL,
        "retention",
        () -> {
          give(new ReplicaInput.CheckRetention(sim.now / MS));
          checkRetention();
        });
  }

  ReplicaCore core() {
    return core;
  }

  boolean isStopped() {
    return stopped;
  }

  void stop() {
    stopped = true;
  }

  void give(ReplicaInput input) {
    if (!stopped && broker.isAlive()) {
      sim.rules.input(this, input);
    }
  }

  /** The core takes the input, and what it wants is done. */
  void step(ReplicaInput input) {
    long now = node.clock();
    List<ReplicaEffect> effects = core.on(input, now);
    sim.invariants.replicaStepped(this);
    for (ReplicaEffect effect : effects) {
      sim.covering.replica(this, input, effect);
      sim.rules.effect(this, effect);
    }
    alarm.set(core.nextDeadline(now));
  }

  /** A request; its answer goes to {@code asker}. */
  void asked(LongFunction<ReplicaInput> request, Consumer<Object> asker) {
    long token = nextToken++;
    askers.put(token, asker);
    give(request.apply(token));
  }

  void perform(ReplicaEffect effect) {
    if (effect instanceof ReplicaEffect.Persist persist) {
      persist(persist.event());
    } else if (effect instanceof ReplicaEffect.SendFetch send) {
      ask(
          send.leaderId(),
          send.request(),
          token -> new ReplicaInput.FetchArrived(token, send.request()),
          answer -> new ReplicaInput.FetchAnswered(send.requestId(), (FetchResponse) answer));
    } else if (effect instanceof ReplicaEffect.SendEpochEnd send) {
      ask(
          send.leaderId(),
          send.request(),
          token -> new ReplicaInput.EpochEndArrived(token, send.request()),
          answer -> new ReplicaInput.EpochEndAnswered(send.requestId(), (EpochEndResponse) answer));
    } else if (effect instanceof ReplicaEffect.ReadAndAnswer read) {
      ByteBuffer records = log.read(read.from(), read.limit(), read.maxBytes());
      answer(read.token(), read.head().withRecords(records));
      if (read.throttled()) {
        int sent = records.remaining();
        node.after(1, Kind.LOCAL, "sent", () -> give(new ReplicaInput.RecordsSent(sent)));
      }
    } else if (effect instanceof ReplicaEffect.AnswerFetch answer) {
      answer(answer.token(), answer.response());
    } else if (effect instanceof ReplicaEffect.AnswerProduce answer) {
      answer(answer.token(), answer.response());
    } else if (effect instanceof ReplicaEffect.AnswerEpochEnd answer) {
      answer(answer.token(), answer.response());
    } else if (effect instanceof ReplicaEffect.AnswerListOffsets answer) {
      answer(answer.token(), answer.response());
    } else if (effect instanceof ReplicaEffect.FindAndAnswer find) {
      answer(find.token(), found(find));
    } else if (effect instanceof ReplicaEffect.AnswerDeleteRecords answer) {
      answer(answer.token(), answer.response());
    } else if (effect instanceof ReplicaEffect.ProposeIsr propose) {
      broker.proposeIsr(this, propose);
    } else if (effect instanceof ReplicaEffect.Report report && sim.trace.isLive()) {
      sim.trace.note(node + " " + partition.partition() + ": " + report.message());
    }
  }

  private ListOffsetsResponse found(ReplicaEffect.FindAndAnswer find) {
    for (int i = log.indexOf(find.log().startOffset()); i < log.batches().size(); i++) {
      Stored batch = log.batches().get(i);
      if (batch.base() >= find.limit()) {
        break;
      }
      for (Record record : batch.batch().records()) {
        if (record.timestamp() >= find.timestamp() && record.offset() >= find.log().startOffset()) {
          return new ListOffsetsResponse(
              ErrorCode.NONE, record.offset(), record.timestamp(), find.notFound().currentLeader());
        }
      }
    }
    return find.notFound();
  }

  private void persist(LogEvent event) {
    node.persist(
        log,
        event,
        state -> {
          if (!stopped) {
            give(new ReplicaInput.LogPersisted(sim.rules.told(state)));
          }
        },
        this::fail);
  }

  private void fail() {
    if (stopped) {
      return;
    }
    boolean wasLeader = core.leaderId() == node.id;
    give(new ReplicaInput.LogFailed());
    stopped = true;
    broker.replicaFailed(this, wasLeader);
  }

  private void ask(
      int leader,
      Object request,
      LongFunction<ReplicaInput> arrival,
      java.util.function.Function<Object, ReplicaInput> result) {
    sim.network.send(
        node.id,
        leader,
        request,
        () -> {
          ReplicaShell asked = sim.replicaAt(leader, partition);
          if (asked != null) {
            asked.asked(arrival, answer -> reply(leader, answer, result));
          }
        });
  }

  private void reply(
      int from, Object answer, java.util.function.Function<Object, ReplicaInput> result) {
    Object sent = sim.faults.damaged(answer);
    sim.network.send(from, node.id, sent, () -> give(result.apply(sent)));
  }

  private void answer(long token, Object response) {
    sim.covering.answer(response);
    Consumer<Object> asker = askers.remove(token);
    if (asker == null) {
      throw new Violation("answers", "two answers to one request: " + response);
    }
    asker.accept(response);
  }
}
