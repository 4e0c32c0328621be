package io.tidemark.replica;

import akka.actor.typed.ActorRef;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.wire.Courier;
import io.tidemark.wire.ReplicaMessage;
import java.util.HashMap;
import java.util.Map;

/** Whom a replica owes answers: the core knows them by token only. */
public final class Askers {
  private record Asker<T>(long requestId, ActorRef<T> ref) {}

  private final Courier courier;
  private final Map<Long, Asker<?>> askers = new HashMap<>();
  private long nextToken;

  /**
   * @param courier brings the answers
   */
  public Askers(Courier courier) {
    this.courier = courier;
  }

  /** The token by which the answer will find the asker. */
  public long remember(long requestId, ActorRef<?> replyTo) {
    long token = nextToken++;
    askers.put(token, new Asker<>(requestId, replyTo));
    return token;
  }

  public void answerFetch(long token, FetchResponse response) {
    Asker<ReplicaMessage.FetchReply> asker = take(token);
    courier.tell(asker.ref(), new ReplicaMessage.FetchReply(asker.requestId(), response));
  }

  /** Sends the answer, if the effect is one that needs no reading. */
  public void answer(ReplicaEffect effect) {
    if (effect instanceof ReplicaEffect.AnswerFetch fetch) {
      answerFetch(fetch.token(), fetch.response());
    } else if (effect instanceof ReplicaEffect.AnswerProduce produce) {
      Asker<ReplicaMessage.ProduceReply> asker = take(produce.token());
      courier.tell(
          asker.ref(), new ReplicaMessage.ProduceReply(asker.requestId(), produce.response()));
    } else if (effect instanceof ReplicaEffect.AnswerEpochEnd end) {
      Asker<ReplicaMessage.EpochEndReply> asker = take(end.token());
      courier.tell(
          asker.ref(), new ReplicaMessage.EpochEndReply(asker.requestId(), end.response()));
    } else if (effect instanceof ReplicaEffect.AnswerListOffsets list) {
      Asker<ReplicaMessage.ListOffsetsReply> asker = take(list.token());
      courier.tell(
          asker.ref(), new ReplicaMessage.ListOffsetsReply(asker.requestId(), list.response()));
    } else if (effect instanceof ReplicaEffect.AnswerDeleteRecords delete) {
      Asker<ReplicaMessage.DeleteRecordsReply> asker = take(delete.token());
      courier.tell(
          asker.ref(), new ReplicaMessage.DeleteRecordsReply(asker.requestId(), delete.response()));
    }
  }

  public long requestId(long token) {
    return askers.get(token).requestId();
  }

  /** The ref of an asker whose answer is no replica's. */
  @SuppressWarnings("unchecked")
  public <T> ActorRef<T> takeRef(long token) {
    return (ActorRef<T>) askers.remove(token).ref();
  }

  @SuppressWarnings("unchecked")
  private <T> Asker<T> take(long token) {
    return (Asker<T>) askers.remove(token);
  }
}
