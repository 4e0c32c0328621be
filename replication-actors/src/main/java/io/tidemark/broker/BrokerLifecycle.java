package io.tidemark.broker;

import io.tidemark.protocol.ControllerRequest;
import io.tidemark.protocol.ControllerRequest.Heartbeat;
import io.tidemark.protocol.ControllerRequest.RegisterBroker;
import io.tidemark.protocol.ControllerResponse;
import io.tidemark.protocol.ControllerResponse.BrokerRegistered;
import io.tidemark.protocol.ControllerResponse.HeartbeatAnswered;
import io.tidemark.protocol.ErrorCode;
import java.util.Optional;
import java.util.UUID;

/**
 * A broker's life as the controller sees it (KIP-631): registering → alive → leaving → gone. A pure
 * core: the broker's actor sends what it says.
 *
 * <p>Invariant: one request is outstanding at most; one that is not answered in time is given up.
 */
final class BrokerLifecycle {
  static final long HEARTBEAT_NANOS = 400_000_000;
  private static final long ANSWER_NANOS = 1_000_000_000;
  private static final long RETRY_NANOS = 100_000_000;

  enum Phase {
    REGISTERING,
    ALIVE,
    LEAVING,
    GONE
  }

  private RegisterBroker registration;
  private Phase phase = Phase.REGISTERING;
  private long brokerEpoch = -1;
  private boolean leaveWanted;
  private long requestId;
  private boolean outstanding;
  private long dueAt;

  BrokerLifecycle(RegisterBroker registration) {
    this.registration = registration;
  }

  /** A request with the id that its answer has to carry. */
  record Ask(long requestId, ControllerRequest request) {}

  /** What to send now, if anything. */
  Optional<Ask> due(long metadataOffset, long now) {
    if (phase == Phase.GONE || now < dueAt) {
      return Optional.empty();
    }
    requestId++;
    outstanding = true;
    dueAt = now + ANSWER_NANOS;
    return Optional.of(
        new Ask(
            requestId,
            phase == Phase.REGISTERING
                ? registration
                : new Heartbeat(
                    registration.brokerId(), brokerEpoch, metadataOffset, phase == Phase.LEAVING)));
  }

  /**
   * @param freshIncarnation used when the controller does not know this one any more
   */
  void answered(long answeredId, ControllerResponse response, UUID freshIncarnation, long now) {
    if (answeredId != requestId || !outstanding) {
      return;
    }
    outstanding = false;
    dueAt = now + (response.error() == ErrorCode.NONE ? HEARTBEAT_NANOS : RETRY_NANOS);
    if (response instanceof BrokerRegistered registered && registered.error() == ErrorCode.NONE) {
      brokerEpoch = registered.brokerEpoch();
      phase = leaveWanted ? Phase.LEAVING : Phase.ALIVE;
      dueAt = now;
    } else if (response instanceof HeartbeatAnswered heartbeat
        && heartbeat.error() == ErrorCode.NONE) {
      if (phase == Phase.LEAVING) {
        phase = heartbeat.mayShutdown() ? Phase.GONE : phase;
        dueAt = now + RETRY_NANOS;
      } else if (heartbeat.fenced()) {
        dueAt = now + RETRY_NANOS;
      }
    } else if (response.error() == ErrorCode.STALE_BROKER_EPOCH
        || response.error() == ErrorCode.BROKER_ID_NOT_REGISTERED) {
      restart(freshIncarnation, registration.clean(), now);
    }
  }

  /** What this broker led before is led by others, or by it in a newer epoch. */
  void restart(UUID freshIncarnation, boolean clean, long now) {
    registration =
        new RegisterBroker(
            registration.brokerId(),
            freshIncarnation,
            registration.directoryId(),
            registration.clusterId(),
            registration.address(),
            registration.livenessPort(),
            registration.rack(),
            registration.maxMessageBytes(),
            clean);
    phase = Phase.REGISTERING;
    brokerEpoch = -1;
    outstanding = false;
    dueAt = now;
  }

  /** Hand over the leaderships and go. */
  void leave(long now) {
    leaveWanted = true;
    if (phase == Phase.ALIVE) {
      phase = Phase.LEAVING;
      outstanding = false;
      dueAt = now;
    } else if (phase == Phase.REGISTERING) {
      phase = Phase.GONE;
    }
  }

  /** The controller moved: the answer may never come. */
  void askAgain(long now) {
    if (outstanding) {
      outstanding = false;
      dueAt = now;
    }
  }

  Phase phase() {
    return phase;
  }

  int brokerId() {
    return registration.brokerId();
  }

  UUID incarnation() {
    return registration.incarnation();
  }

  /** −1 while not registered. */
  long brokerEpoch() {
    return brokerEpoch;
  }
}
