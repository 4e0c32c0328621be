package io.tidemark.controller;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorRefResolver;
import akka.actor.typed.javadsl.ActorContext;
import io.tidemark.quorum.QuorumEffect;
import io.tidemark.replica.Askers;
import io.tidemark.wire.ReplicaMessage;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;

/** What members of the quorum say to each other, on its way out. */
final class QuorumMail {
  private final ActorContext<ReplicaMessage> context;
  private final Askers askers;
  private final IntFunction<String> addresses;
  private final Map<String, ActorRef<ReplicaMessage>> members = new HashMap<>();

  /**
   * @param addresses where a member is reached, null when that is not known
   */
  QuorumMail(ActorContext<ReplicaMessage> context, Askers askers, IntFunction<String> addresses) {
    this.context = context;
    this.askers = askers;
    this.addresses = addresses;
  }

  void deliver(QuorumEffect effect) {
    if (effect instanceof QuorumEffect.SendVote vote) {
      send(vote.to(), new ReplicaMessage.Vote(vote.request(), context.getSelf().narrow()));
    } else if (effect instanceof QuorumEffect.AnswerVote answer) {
      askers
          .<ReplicaMessage.VoteReply>takeRef(answer.token())
          .tell(new ReplicaMessage.VoteReply(answer.response()));
    } else if (effect instanceof QuorumEffect.SendBegin begin) {
      send(begin.to(), new ReplicaMessage.Begin(begin.message()));
    } else if (effect instanceof QuorumEffect.SendEnd end) {
      send(end.to(), new ReplicaMessage.End(end.message()));
    } else if (effect instanceof QuorumEffect.SendHello hello) {
      member(hello.address())
          .tell(new ReplicaMessage.Hello(hello.request(), context.getSelf().narrow()));
    } else if (effect instanceof QuorumEffect.AnswerHello answer) {
      askers
          .<ReplicaMessage.HelloReply>takeRef(answer.token())
          .tell(new ReplicaMessage.HelloReply(answer.response()));
    } else if (effect instanceof QuorumEffect.SendFetchSnapshot fetch) {
      send(
          fetch.to(),
          new ReplicaMessage.FetchSnapshot(
              fetch.requestId(), fetch.request(), context.getSelf().narrow()));
    } else if (effect instanceof QuorumEffect.AnswerFetchSnapshot answer) {
      long requestId = askers.requestId(answer.token());
      askers
          .<ReplicaMessage.FetchSnapshotReply>takeRef(answer.token())
          .tell(new ReplicaMessage.FetchSnapshotReply(requestId, answer.response()));
    }
  }

  void send(int to, ReplicaMessage message) {
    String address = addresses.apply(to);
    if (address != null) {
      member(address).tell(message);
    }
  }

  /** By path: it answers there whichever incarnation of its node is running. */
  ActorRef<ReplicaMessage> member(String address) {
    return members.computeIfAbsent(address, it -> at(it, ControllerReplica.PATH));
  }

  <T> ActorRef<T> at(String address, String path) {
    String system = "akka://" + context.getSystem().name() + "@" + address;
    return ActorRefResolver.get(context.getSystem()).resolveActorRef(system + path);
  }
}
