package io.tidemark.controller;

import static io.tidemark.controller.Refusal.refuse;

import io.tidemark.protocol.ControllerRequest.RegisterBroker;
import io.tidemark.protocol.ControllerResponse;
import io.tidemark.protocol.ControllerResponse.BrokerRegistered;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.MetadataRecord;
import java.util.Set;
import java.util.UUID;

/**
 * Registers the incarnations of brokers (KIP-631). A new incarnation never leads in an old epoch,
 * and one that may have lost acknowledged records is in neither ISR nor ELR: all of that is in the
 * batch that registers it (KIP-966).
 */
final class BrokerRegistration {
  static final int MAX_BROKERS = 1_000;

  private final BrokerSessions sessions;

  BrokerRegistration(BrokerSessions sessions) {
    this.sessions = sessions;
  }

  ControllerResponse register(RegisterBroker request, Changes changes, long nowNanos) {
    if (isMalformed(request)) {
      return refuse(ErrorCode.INVALID_REQUEST, "incomplete registration: %s", request);
    }
    int id = request.brokerId();
    UUID cluster = changes.image().clusterId();
    if (request.clusterId() != null && !request.clusterId().equals(cluster)) {
      return refuse(
          ErrorCode.INCONSISTENT_CLUSTER_ID,
          "the directory of broker %d holds the data of cluster %s, this is cluster %s; give the"
              + " broker an empty directory, or the voters of its own cluster",
          id,
          request.clusterId(),
          cluster == null ? "of nobody yet" : cluster);
    }
    Broker known = changes.image().brokers().get(id);
    if (known == null && changes.image().brokers().size() >= MAX_BROKERS) {
      return refuse(
          ErrorCode.INVALID_REQUEST, "there are %d brokers already, the most", MAX_BROKERS);
    }
    if (known != null && known.incarnation().equals(request.incarnation())) {
      sessions.heard(id, nowNanos);
      return new BrokerRegistered(ErrorCode.NONE, known.epoch());
    }
    boolean sameData = known == null || known.directoryId().equals(request.directoryId());
    if (!sameData && !known.fenced() && sessions.isValid(id, nowNanos)) {
      return refuse(
          ErrorCode.DUPLICATE_BROKER_REGISTRATION,
          "broker %d runs at %s with directory %s; give this one another id, or stop that one",
          id,
          known.address(),
          known.directoryId());
    }
    if (known != null) {
      changes.fence(Set.of(id), request.clean() && sameData);
    }
    long epoch = changes.image().nextOffset();
    changes.add(
        new MetadataRecord.BrokerRegistered(
            id,
            request.incarnation(),
            request.directoryId(),
            request.address(),
            request.livenessPort(),
            request.rack(),
            request.maxMessageBytes()));
    sessions.heard(id, nowNanos);
    sessions.statusChanged(id, changes.image().nextOffset());
    return new BrokerRegistered(ErrorCode.NONE, epoch);
  }

  private static boolean isMalformed(RegisterBroker request) {
    return request.brokerId() < 0
        || request.incarnation() == null
        || request.directoryId() == null
        || request.address() == null
        || request.livenessPort() < 0
        || request.livenessPort() > 65_535
        || request.maxMessageBytes() <= 0;
  }
}
