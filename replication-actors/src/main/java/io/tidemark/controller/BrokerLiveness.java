package io.tidemark.controller;

import static io.tidemark.controller.Refusal.refuse;

import io.tidemark.protocol.ControllerRequest.BrokerDied;
import io.tidemark.protocol.ControllerRequest.Heartbeat;
import io.tidemark.protocol.ControllerResponse;
import io.tidemark.protocol.ControllerResponse.Done;
import io.tidemark.protocol.ControllerResponse.HeartbeatAnswered;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.MetadataRecord.BrokerShuttingDown;
import io.tidemark.protocol.MetadataRecord.BrokerUnfenced;
import java.util.Set;

/** Fences and unfences brokers by their signs of life, and lets them go (KIP-631, KIP-841). */
final class BrokerLiveness {
  private final BrokerSessions sessions;

  BrokerLiveness(BrokerSessions sessions) {
    this.sessions = sessions;
  }

  ControllerResponse heartbeat(Heartbeat request, Changes changes, long nowNanos) {
    int id = request.brokerId();
    Broker broker = changes.image().brokers().get(id);
    if (broker == null) {
      return refuse(ErrorCode.BROKER_ID_NOT_REGISTERED, "broker %d must register first", id);
    }
    if (broker.epoch() != request.brokerEpoch()) {
      return refuse(
          ErrorCode.STALE_BROKER_EPOCH,
          "broker %d has epoch %d; another incarnation of it had %d",
          id,
          broker.epoch(),
          request.brokerEpoch());
    }
    sessions.heard(id, nowNanos);
    if (request.wantShutdown() && !broker.shuttingDown()) {
      changes.add(new BrokerShuttingDown(id, broker.epoch()));
      changes.reelect(Set.of(id), (election, state) -> election.handOver(state, id));
      sessions.statusChanged(id, changes.image().nextOffset());
    } else if (mayUnfence(broker, request)) {
      changes.add(new BrokerUnfenced(id, broker.epoch()));
      changes.reelect(Set.of(id), LeaderElection::elect);
      sessions.statusChanged(id, changes.image().nextOffset());
    }
    Broker now = changes.image().brokers().get(id);
    return new HeartbeatAnswered(ErrorCode.NONE, now.fenced(), now.shuttingDown());
  }

  ControllerResponse died(BrokerDied request, Changes changes) {
    Broker broker = changes.image().brokers().get(request.brokerId());
    if (broker != null && !broker.fenced() && broker.incarnation().equals(request.incarnation())) {
      fence(Set.of(broker.id()), changes);
    }
    return new Done(ErrorCode.NONE);
  }

  void expire(Changes changes, long nowNanos) {
    Set<Integer> silent = sessions.expired(changes.image(), nowNanos);
    if (!silent.isEmpty()) {
      fence(silent, changes);
    }
  }

  private void fence(Set<Integer> brokers, Changes changes) {
    changes.fence(brokers, true);
    brokers.forEach(id -> sessions.statusChanged(id, changes.image().nextOffset()));
  }

  /**
   * A broker must have read what was decided about it last: its registration, so that it leads by
   * current metadata, or its fencing, so that a heartbeat that was under way when it died does not
   * bring it back.
   */
  private boolean mayUnfence(Broker broker, Heartbeat request) {
    return broker.fenced()
        && !broker.shuttingDown()
        && request.metadataOffset() >= sessions.statusOffset(broker.id())
        && request.metadataOffset() > broker.epoch();
  }
}
