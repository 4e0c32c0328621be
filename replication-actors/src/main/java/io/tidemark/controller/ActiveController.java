package io.tidemark.controller;

import static io.tidemark.controller.Refusal.refuse;

import io.tidemark.controller.ControllerEffect.Append;
import io.tidemark.controller.ControllerEffect.Reply;
import io.tidemark.controller.ControllerInput.Activated;
import io.tidemark.controller.ControllerInput.LogEndReported;
import io.tidemark.controller.ControllerInput.Requested;
import io.tidemark.protocol.ControllerRequest;
import io.tidemark.protocol.ControllerRequest.AlterPartition;
import io.tidemark.protocol.ControllerRequest.AlterPartitionReassignment;
import io.tidemark.protocol.ControllerRequest.BrokerDied;
import io.tidemark.protocol.ControllerRequest.CreateGroupsTopic;
import io.tidemark.protocol.ControllerRequest.CreateTopic;
import io.tidemark.protocol.ControllerRequest.Heartbeat;
import io.tidemark.protocol.ControllerRequest.RegisterBroker;
import io.tidemark.protocol.ControllerResponse;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.MetadataRecord.LeaderStarted;
import java.util.List;
import java.util.Map;

/**
 * The controller of one quorum epoch.
 *
 * <p>It decides by its latest image, committed or not, since it is the only writer; it tells only
 * what is committed, since another controller may never have seen the rest.
 */
final class ActiveController {
  private final int epoch;
  private final BrokerSessions sessions;
  private final BrokerRegistration registration;
  private final BrokerLiveness liveness;
  private final ProducerIdBlocks producerIds;
  private final PendingReplies pending;
  private final UncleanElections uncleanElections;
  private final LeaderBalance balance;
  private final Map<String, String> topicDefaults;
  private MetadataImage latest;
  private long highWatermark;

  ActiveController(Activated activated, ControllerSettings settings, long nowNanos) {
    if (activated.committed().nextOffset() != activated.nextOffset()) {
      throw new IllegalArgumentException(
          "the image ends at %d, the log at %d"
              .formatted(activated.committed().nextOffset(), activated.nextOffset()));
    }
    epoch = activated.epoch();
    latest = activated.committed();
    highWatermark = activated.nextOffset();
    sessions = new BrokerSessions(settings.sessionTimeout().toNanos());
    latest.brokers().keySet().forEach(id -> sessions.heard(id, nowNanos));
    registration = new BrokerRegistration(sessions);
    liveness = new BrokerLiveness(sessions);
    producerIds = new ProducerIdBlocks(latest.nextProducerId());
    pending = new PendingReplies(settings.maxPendingReplies());
    uncleanElections = new UncleanElections(latest);
    balance = new LeaderBalance(settings.leaderBalanceInterval().toNanos(), nowNanos);
    topicDefaults = settings.topicDefaults();
  }

  void requested(Requested requested, long nowNanos, List<ControllerEffect> effects) {
    if (pending.isFull()) {
      // The quorum is stuck, not the broker: it must not lose its session for that.
      if (requested.request() instanceof Heartbeat heartbeat) {
        heardWhileFull(heartbeat, nowNanos);
      }
      effects.add(new Reply(requested.token(), overloaded()));
      return;
    }
    Changes changes = new Changes(latest);
    ControllerResponse response = decide(requested, changes, nowNanos);
    append(changes, effects);
    Reply reply = new Reply(requested.token(), response);
    if (dependsOn(requested.request()) <= highWatermark) {
      effects.add(reply);
    } else {
      pending.add(latest.nextOffset(), reply);
    }
  }

  void committed(long offset, List<ControllerEffect> effects) {
    highWatermark = Math.max(highWatermark, offset);
    pending.release(highWatermark, effects);
  }

  void tick(long nowNanos, List<ControllerEffect> effects) {
    Changes changes = new Changes(latest);
    liveness.expire(changes, nowNanos);
    uncleanElections.decide(changes, nowNanos, effects);
    balance.step(changes, nowNanos);
    append(changes, effects);
  }

  void reported(LogEndReported report) {
    uncleanElections.reported(report);
  }

  /** It says nothing about the cluster, but takes an offset. */
  void controlRecordAppended(long offset) {
    latest = latest.apply(offset, new LeaderStarted(-1, epoch));
  }

  void deactivated(List<ControllerEffect> effects) {
    pending.failAll(
        refuse(
            ErrorCode.NOT_CONTROLLER,
            "the controller of epoch %d was replaced: whether this was done is unknown; ask the"
                + " new one",
            epoch),
        effects);
  }

  private ControllerResponse decide(Requested requested, Changes changes, long nowNanos) {
    ControllerRequest request = requested.request();
    if (request instanceof RegisterBroker r) {
      return registration.register(r, changes, nowNanos);
    }
    if (request instanceof Heartbeat r) {
      return liveness.heartbeat(r, changes, nowNanos);
    }
    if (request instanceof BrokerDied r) {
      return liveness.died(r, changes);
    }
    if (request instanceof CreateTopic r) {
      return TopicCreation.create(r, topicDefaults, changes);
    }
    if (request instanceof CreateGroupsTopic r) {
      return TopicCreation.createForGroups(r, changes);
    }
    if (request instanceof AlterPartition r) {
      return IsrAlteration.alter(r, changes);
    }
    if (request instanceof AlterPartitionReassignment r) {
      return Reassignment.alter(r, changes);
    }
    return producerIds.give(changes);
  }

  /** A heartbeat tells of its broker only; anything else may tell of all that came before it. */
  private long dependsOn(ControllerRequest request) {
    return request instanceof Heartbeat heartbeat
        ? sessions.statusOffset(heartbeat.brokerId())
        : latest.nextOffset();
  }

  private void append(Changes changes, List<ControllerEffect> effects) {
    if (!changes.isEmpty()) {
      effects.add(new Append(latest.nextOffset(), changes.records()));
      latest = changes.image();
      changes.records().forEach(uncleanElections::noticed);
    }
  }

  private void heardWhileFull(Heartbeat heartbeat, long nowNanos) {
    Broker broker = latest.brokers().get(heartbeat.brokerId());
    if (broker != null && broker.epoch() == heartbeat.brokerEpoch()) {
      sessions.heard(broker.id(), nowNanos);
    }
  }

  private static ControllerResponse overloaded() {
    return refuse(
        ErrorCode.REQUEST_TIMED_OUT,
        "too many requests wait for the controller quorum to commit; nothing was done, try again");
  }
}
