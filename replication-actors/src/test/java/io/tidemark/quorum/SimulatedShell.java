package io.tidemark.quorum;

import io.tidemark.quorum.QuorumSimulation.Node;
import io.tidemark.replica.ReplicaEffect;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongFunction;

/** Does what a member's core wants done, as the actor around it will. */
final class SimulatedShell {
  /** What a token stands for: how the answer gets back. */
  private record Asked(int by, int incarnation, long requestId) {}

  private final QuorumSimulation simulation;
  private final Map<Long, Asked> asked = new HashMap<>();
  private long nextToken;

  SimulatedShell(QuorumSimulation simulation) {
    this.simulation = simulation;
  }

  void run(Node node, QuorumEffect effect) {
    if (effect instanceof QuorumEffect.Replicate replicate) {
      run(node, replicate.effect());
    } else if (effect instanceof QuorumEffect.SendVote vote) {
      ask(node, vote.to(), -1, token -> new QuorumInput.VoteArrived(token, vote.request()));
    } else if (effect instanceof QuorumEffect.AnswerVote answer) {
      Asked by = asked.get(answer.token());
      QuorumInput input = new QuorumInput.VoteAnswered(answer.response());
      simulation.send(
          node.id, by.by(), (to, incarnation) -> simulation.give(to, incarnation, input));
    } else if (effect instanceof QuorumEffect.SendFetchSnapshot fetch) {
      ask(
          node,
          fetch.to(),
          fetch.requestId(),
          token -> new QuorumInput.FetchSnapshotArrived(token, fetch.request()));
    } else if (effect instanceof QuorumEffect.AnswerFetchSnapshot answer) {
      answer(
          node, answer.token(), id -> new QuorumInput.FetchSnapshotAnswered(id, answer.response()));
    } else if (effect instanceof QuorumEffect.HighWatermarkMoved moved) {
      node.apply(moved.highWatermark());
    } else if (effect instanceof QuorumEffect.SnapshotLoaded loaded) {
      node.load(loaded.snapshot());
    } else if (effect instanceof QuorumEffect.TakeSnapshot) {
      int incarnation = node.incarnation;
      QuorumInput made = new QuorumInput.SnapshotMade(node.applied.size(), node.content());
      simulation.after(1, () -> simulation.give(node, incarnation, made));
    } else if (effect instanceof QuorumEffect.SendBegin begin) {
      QuorumInput input = new QuorumInput.BeginArrived(begin.message());
      simulation.send(
          node.id, begin.to(), (to, incarnation) -> simulation.give(to, incarnation, input));
    } else if (effect instanceof QuorumEffect.SendEnd end) {
      QuorumInput input = new QuorumInput.EndArrived(end.message());
      simulation.send(
          node.id, end.to(), (to, incarnation) -> simulation.give(to, incarnation, input));
    } else if (effect instanceof QuorumEffect.SendHello hello) {
      int to = Integer.parseInt(hello.address().substring(4, hello.address().indexOf(':')));
      ask(node, to, -1, token -> new QuorumInput.HelloArrived(token, hello.request()));
    } else if (effect instanceof QuorumEffect.AnswerHello answer) {
      answer(node, answer.token(), by -> new QuorumInput.HelloAnswered(answer.response()));
    }
  }

  private void run(Node node, ReplicaEffect effect) {
    if (effect instanceof ReplicaEffect.Persist persist) {
      node.disk.write(persist.event());
      int incarnation = node.incarnation;
      simulation.afterFlush(
          () -> {
            if (node.isUp() && node.incarnation == incarnation) {
              node.disk.flush();
              simulation.give(node, incarnation, new QuorumInput.LogPersisted(node.disk.state()));
            }
          });
    } else if (effect instanceof ReplicaEffect.SendFetch fetch) {
      ask(
          node,
          fetch.leaderId(),
          fetch.requestId(),
          token -> new QuorumInput.FetchArrived(token, fetch.request()));
    } else if (effect instanceof ReplicaEffect.SendEpochEnd ask) {
      ask(
          node,
          ask.leaderId(),
          ask.requestId(),
          token -> new QuorumInput.EpochEndArrived(token, ask.request()));
    } else if (effect instanceof ReplicaEffect.AnswerFetch answer) {
      answer(node, answer.token(), id -> new QuorumInput.FetchAnswered(id, answer.response()));
    } else if (effect instanceof ReplicaEffect.ReadAndAnswer read) {
      ByteBuffer records = node.disk.read(read.from(), read.limit(), read.maxBytes());
      answer(
          node,
          read.token(),
          id -> new QuorumInput.FetchAnswered(id, read.head().withRecords(records)));
    } else if (effect instanceof ReplicaEffect.AnswerEpochEnd answer) {
      answer(node, answer.token(), id -> new QuorumInput.EpochEndAnswered(id, answer.response()));
    }
  }

  private void ask(Node by, int to, long requestId, LongFunction<QuorumInput> request) {
    long token = nextToken++;
    asked.put(token, new Asked(by.id, by.incarnation, requestId));
    QuorumInput input = request.apply(token);
    simulation.send(by.id, to, (node, incarnation) -> simulation.give(node, incarnation, input));
  }

  private void answer(Node from, long token, LongFunction<QuorumInput> response) {
    Asked by = asked.get(token);
    QuorumInput input = response.apply(by.requestId());
    simulation.send(
        from.id, by.by(), (node, incarnation) -> simulation.give(node, by.incarnation(), input));
  }
}
