package io.tidemark.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tidemark.controller.ControllerEffect.Append;
import io.tidemark.controller.ControllerEffect.AskLogEnd;
import io.tidemark.controller.ControllerEffect.Reply;
import io.tidemark.controller.ControllerEffect.Warn;
import io.tidemark.controller.ControllerInput.Activated;
import io.tidemark.controller.ControllerInput.Committed;
import io.tidemark.controller.ControllerInput.LogEndReported;
import io.tidemark.controller.ControllerInput.Requested;
import io.tidemark.controller.ControllerInput.Tick;
import io.tidemark.protocol.ControllerRequest;
import io.tidemark.protocol.ControllerRequest.AlterPartition;
import io.tidemark.protocol.ControllerRequest.BrokerDied;
import io.tidemark.protocol.ControllerRequest.CreateTopic;
import io.tidemark.protocol.ControllerRequest.Heartbeat;
import io.tidemark.protocol.ControllerRequest.IsrMember;
import io.tidemark.protocol.ControllerRequest.RegisterBroker;
import io.tidemark.protocol.ControllerResponse;
import io.tidemark.protocol.ControllerResponse.BrokerRegistered;
import io.tidemark.protocol.ControllerResponse.Failed;
import io.tidemark.protocol.ControllerResponse.HeartbeatAnswered;
import io.tidemark.protocol.ControllerResponse.TopicCreated;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.MetadataRecord;
import io.tidemark.protocol.MetadataRecord.LeaderStarted;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** A controller with its log; everything commits at once unless {@link #holdCommits} was called. */
final class ControllerFixture {
  static final long SECOND = Duration.ofSeconds(1).toNanos();

  final Map<Long, ControllerResponse> replies = new HashMap<>();
  final List<List<MetadataRecord>> batches = new ArrayList<>();
  final List<AskLogEnd> asked = new ArrayList<>();
  final List<String> warnings = new ArrayList<>();
  private final Map<Integer, LogEndReported> logEnds = new HashMap<>();
  final ControllerCore core;
  private long topics;
  MetadataImage image = MetadataImage.EMPTY.apply(0, new LeaderStarted(1, 1));
  long now = 100 * SECOND;
  private final Map<Integer, Long> epochs = new HashMap<>();
  private boolean commits = true;
  private long token;

  ControllerFixture() {
    this(ControllerSettings.DEFAULT);
  }

  ControllerFixture(ControllerSettings settings) {
    core = new ControllerCore(settings);
    send(new Activated(1, image, image.nextOffset()));
  }

  /** Registered and unfenced brokers with these ids. */
  static ControllerFixture withBrokers(int... ids) {
    ControllerFixture fixture = new ControllerFixture();
    for (int id : ids) {
      fixture.start(id);
    }
    return fixture;
  }

  void holdCommits() {
    commits = false;
  }

  void commitAll() {
    commits = true;
    send(new Committed(image.nextOffset()));
  }

  void send(ControllerInput input) {
    for (ControllerEffect effect : core.on(input, now)) {
      if (effect instanceof Append append) {
        assertEquals(image.nextOffset(), append.baseOffset());
        batches.add(append.records());
        append.records().forEach(r -> image = image.apply(image.nextOffset(), r));
      } else if (effect instanceof Reply reply) {
        assertEquals(null, replies.put(reply.token(), reply.response()), "answered twice");
      } else if (effect instanceof AskLogEnd ask) {
        asked.add(ask);
        answer(ask);
      } else if (effect instanceof Warn warning) {
        warnings.add(warning.message());
      }
    }
    if (commits && !(input instanceof Committed)) {
      send(new Committed(image.nextOffset()));
    }
  }

  private void answer(AskLogEnd ask) {
    LogEndReported end = logEnds.get(ask.broker().id());
    if (end != null) {
      core.on(
          new LogEndReported(
              ask.partition(),
              ask.broker().id(),
              ask.broker().epoch(),
              end.lastEpoch(),
              end.endOffset()),
          now);
    }
  }

  /** What that broker's replicas answer from now on; those of others are silent. */
  void logEnds(int broker, int lastEpoch, long endOffset) {
    logEnds.put(broker, new LogEndReported(null, broker, -1, lastEpoch, endOffset));
  }

  /** Two ticks: the answers to what the first one asks are there at the second. */
  void tick() {
    send(new Tick());
    send(new Tick());
  }

  long post(ControllerRequest request) {
    long sent = ++token;
    send(new Requested(sent, request));
    return sent;
  }

  ControllerResponse ask(ControllerRequest request) {
    return replies.get(post(request));
  }

  ErrorCode error(ControllerRequest request) {
    return ask(request).error();
  }

  String message(ControllerRequest request) {
    return ((Failed) ask(request)).message();
  }

  void tickAt(long nanos) {
    now = nanos;
    send(new Tick());
  }

  /** Registers an incarnation; the same number is the same incarnation. */
  ControllerResponse register(int id, int incarnation, boolean clean) {
    return register(id, incarnation, clean, id);
  }

  ControllerResponse register(int id, int incarnation, boolean clean, int directory) {
    ControllerResponse response = ask(registration(id, incarnation, clean, directory));
    if (response instanceof BrokerRegistered registered) {
      epochs.put(id, registered.brokerEpoch());
    }
    return response;
  }

  static RegisterBroker registration(int id, int incarnation, boolean clean, int directory) {
    return registration(id, incarnation, clean, directory, null);
  }

  static RegisterBroker registration(
      int id, int incarnation, boolean clean, int directory, UUID clusterId) {
    return new RegisterBroker(
        id,
        new UUID(id, incarnation),
        new UUID(directory, 0),
        clusterId,
        "host" + id + ":1",
        0,
        "",
        1 << 20,
        clean);
  }

  void start(int id) {
    restart(id, 1, true);
  }

  void restart(int id, int incarnation, boolean clean) {
    register(id, incarnation, clean);
    beat(id);
  }

  long epoch(int id) {
    return epochs.getOrDefault(id, -1L);
  }

  HeartbeatAnswered beat(int id) {
    return (HeartbeatAnswered) ask(new Heartbeat(id, epoch(id), image.nextOffset(), false));
  }

  HeartbeatAnswered leave(int id) {
    return (HeartbeatAnswered) ask(new Heartbeat(id, epoch(id), image.nextOffset(), true));
  }

  void die(int id) {
    ask(new BrokerDied(id, image.brokers().get(id).incarnation()));
  }

  PartitionId create(String name, int replicationFactor, Map<String, String> configs) {
    TopicCreated created =
        (TopicCreated) ask(new CreateTopic(topicId(), name, 1, replicationFactor, configs));
    return new PartitionId(created.topicId(), 0);
  }

  /** Another one each time. */
  UUID topicId() {
    topics++;
    return new UUID(topics, topics);
  }

  PartitionState state(PartitionId partition) {
    return image.partition(partition);
  }

  /** What the leader would propose now. */
  AlterPartition proposal(PartitionId partition, List<Integer> isr) {
    PartitionState state = state(partition);
    return new AlterPartition(
        partition,
        state.leader(),
        epoch(state.leader()),
        state.leaderEpoch(),
        state.partitionEpoch(),
        isr.stream().map(id -> new IsrMember(id, epoch(id))).toList(),
        false);
  }

  ErrorCode propose(PartitionId partition, List<Integer> isr) {
    return error(proposal(partition, isr));
  }
}
