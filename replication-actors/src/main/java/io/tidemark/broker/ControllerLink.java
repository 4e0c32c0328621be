package io.tidemark.broker;

import akka.actor.typed.ActorRef;
import io.tidemark.protocol.ControllerRequest;
import io.tidemark.protocol.ControllerResponse;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.wire.BrokerMessage.AskController;
import io.tidemark.wire.BrokerMessage.ControllerAnswered;
import io.tidemark.wire.ReplicaMessage.ControllerAsk;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Requests on their way to the active controller, wherever it is: sent again when it moved or did
 * not know itself to be one, or cannot do it yet, until time is up. The controller bears repeated
 * requests.
 */
final class ControllerLink {
  private static final int MAX_PENDING = 10_000;
  private static final long PATIENCE_NANOS = 30_000_000_000L;
  private static final long RETRY_NANOS = 100_000_000;
  private static final long ANSWER_NANOS = 2_000_000_000;

  private static final ControllerResponse UNANSWERED =
      new ControllerResponse.Failed(
          ErrorCode.REQUEST_TIMED_OUT,
          "no controller answered within 30 s; what became of the request is not known");

  /** How a request reaches the node that leads the quorum. */
  interface Route {
    /** False when the leader is not known at the moment. */
    boolean send(ControllerAsk ask);
  }

  private static final class Pending {
    private final AskController ask;
    private final long giveUpAt;
    private long sendAt;
    private boolean sent;

    /** The last answer that may become another one; null before the first. */
    private ControllerResponse last;

    Pending(AskController ask, long now) {
      this.ask = ask;
      this.giveUpAt = now + PATIENCE_NANOS;
      this.sendAt = now;
    }
  }

  private final Route route;
  private final ActorRef<ControllerAnswered> self;
  private final Map<Long, Pending> pending = new LinkedHashMap<>();
  private long nextId;

  ControllerLink(Route route, ActorRef<ControllerAnswered> self) {
    this.route = route;
    this.self = self;
  }

  void ask(AskController ask, long now) {
    if (pending.size() >= MAX_PENDING) {
      answer(
          ask,
          new ControllerResponse.Failed(
              ErrorCode.REQUEST_TIMED_OUT,
              MAX_PENDING + " requests wait for the controller already; ask again later"));
      return;
    }
    long id = nextId++;
    Pending request = new Pending(ask, now);
    pending.put(id, request);
    send(id, request, now);
  }

  private void send(long id, Pending request, long now) {
    ControllerRequest what = request.ask.request();
    request.sent = route.send(new ControllerAsk(id, what, self));
    request.sendAt = now + (request.sent ? ANSWER_NANOS : RETRY_NANOS);
  }

  void answered(ControllerAnswered answered, long now) {
    Pending request = pending.get(answered.requestId());
    if (request == null) {
      return;
    }
    if (answered.response().error().isRetriable() && !isAskersToRepeat(request)) {
      request.sendAt = now + RETRY_NANOS;
      request.last = answered.response();
      return;
    }
    pending.remove(answered.requestId());
    answer(request.ask, answered.response());
  }

  /** A leader repeats its proposal by itself, by what it knows then. */
  private static boolean isAskersToRepeat(Pending request) {
    return request.ask.request() instanceof ControllerRequest.AlterPartition;
  }

  /** Another node may be the controller now: whoever waits asks it. */
  void leaderChanged(long now) {
    pending.forEach((id, request) -> send(id, request, now));
  }

  void timePassed(long now) {
    for (Iterator<Map.Entry<Long, Pending>> all = pending.entrySet().iterator(); all.hasNext(); ) {
      Map.Entry<Long, Pending> entry = all.next();
      Pending request = entry.getValue();
      if (now >= request.giveUpAt) {
        all.remove();
        answer(request.ask, request.last != null ? request.last : UNANSWERED);
      } else if (now >= request.sendAt && request.sent && isAskersToRepeat(request)) {
        all.remove();
      } else if (now >= request.sendAt) {
        send(entry.getKey(), request, now);
      }
    }
  }

  private static void answer(AskController ask, ControllerResponse response) {
    ask.replyTo().tell(new ControllerAnswered(ask.requestId(), response));
  }
}
