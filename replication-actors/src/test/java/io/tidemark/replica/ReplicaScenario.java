package io.tidemark.replica;

import io.tidemark.protocol.ControllerRequest.AlterPartition;
import io.tidemark.protocol.ControllerRequest.IsrMember;
import io.tidemark.protocol.DeleteRecordsRequest;
import io.tidemark.protocol.DeleteRecordsResponse;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.ListOffsetsRequest;
import io.tidemark.protocol.ListOffsetsResponse;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import io.tidemark.protocol.ProduceRequest;
import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.protocol.ProduceResponse;
import io.tidemark.replica.PartitionView.Peer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * Replicas of one partition with disks, network, controller and clock in the test's hands. Nothing
 * happens by itself: {@link #settle} lets everything run that is not held back.
 */
final class ReplicaScenario {
  static final PartitionId PARTITION = new PartitionId(new UUID(7, 7), 0);
  static final long MS = ReplicaSettings.NANOS_PER_MS;
  private static final int SETTLE_MS = 250;
  private static final int MAX_STEPS = 10_000;

  /** A message between replicas. */
  record Packet(int from, int to, ReplicaInput input) {}

  /** An ISR that a leader wants. */
  record Proposal(int from, ReplicaEffect.ProposeIsr effect) {
    List<Integer> isr() {
      return effect.request().isr().stream().map(IsrMember::brokerId).toList();
    }
  }

  private record Asker(int replica, long requestId) {}

  final Deque<Packet> network = new ArrayDeque<>();
  final Deque<Proposal> proposals = new ArrayDeque<>();
  private final Map<Integer, ScenarioReplica> replicas = new LinkedHashMap<>();
  private final Map<Long, Asker> askers = new HashMap<>();
  private final Map<Long, FetchResponse> fetched = new HashMap<>();
  private final Map<Long, ProduceResponse> produced = new HashMap<>();
  private final Map<Long, ListOffsetsResponse> listed = new HashMap<>();
  private final Map<Long, DeleteRecordsResponse> deleted = new HashMap<>();
  private final ReplicaSettings settings;
  private PartitionState state;
  private TopicRules topic = TopicRules.keepingAll(1, 1 << 20);
  private boolean controllerHolds;
  private boolean disksHold;
  private long nextToken = 1;
  private long now = 1_000 * MS;

  ReplicaScenario(int... ids) {
    this(ReplicaSettings.DEFAULT, ids);
  }

  ReplicaScenario(ReplicaSettings settings, int... ids) {
    this.settings = settings;
    List<Integer> assignment = new ArrayList<>();
    for (int id : ids) {
      replicas.put(id, new ScenarioReplica(id));
      assignment.add(id);
    }
    state = new PartitionState(assignment, assignment, List.of(), -1, -1, 0, false);
  }

  ReplicaScenario minInsync(int replicasInSync) {
    topic = TopicRules.keepingAll(replicasInSync, 1 << 20);
    return this;
  }

  ReplicaScenario keeping(long bytes, long millis) {
    topic = new TopicRules(1, 1 << 20, bytes, millis);
    return this;
  }

  ScenarioReplica replica(int id) {
    return replicas.get(id);
  }

  PartitionState state() {
    return state;
  }

  long now() {
    return now;
  }

  /** The controller (re)writes the leader and the ISR; whoever is up and connected hears of it. */
  void elect(int leader, int leaderEpoch, Integer... isr) {
    decide(leader, leaderEpoch, isr);
    tellAll();
  }

  /** Like {@link #elect}, but nobody has heard of it yet. */
  void decide(int leader, int leaderEpoch, Integer... isr) {
    state =
        new PartitionState(
            state.replicas(),
            List.of(isr),
            List.of(),
            leader,
            leaderEpoch,
            state.partitionEpoch() + 1,
            false);
  }

  /** Its log is the partition's from now on, whatever it lacks. */
  void electUncleanly(int leader, int leaderEpoch) {
    state =
        new PartitionState(
            state.replicas(),
            List.of(leader),
            List.of(),
            leader,
            leaderEpoch,
            state.partitionEpoch() + 1,
            true);
    tellAll();
  }

  void tellAll() {
    replicas.values().stream().filter(r -> r.core == null).forEach(this::start);
    replicas.values().stream().filter(r -> r.up && !r.isolated).forEach(r -> tell(r.id));
  }

  void tell(int id) {
    input(id, new ReplicaInput.ViewChanged(view(id)));
  }

  private PartitionView view(int id) {
    Map<Integer, Peer> peers = new HashMap<>();
    ScenarioReplica self = replicas.get(id);
    for (ScenarioReplica peer : replicas.values()) {
      if (peer.id != id) {
        peers.put(peer.id, new Peer(peer.brokerEpoch, peer.eligible, peer.rack));
      }
    }
    return new PartitionView(PARTITION, state, self.brokerEpoch, self.rack, topic, peers);
  }

  private void start(ScenarioReplica replica) {
    replica.newCore(PARTITION, settings);
    input(replica.id, new ReplicaInput.LogRecovered(replica.disk.state()));
  }

  void crash(int id) {
    ScenarioReplica replica = replicas.get(id);
    replica.up = false;
    replica.disk.crash();
    network.removeIf(packet -> packet.to() == id || packet.from() == id);
  }

  /** A new incarnation on what the disk holds. */
  void restart(int id) {
    replicas.get(id).brokerEpoch++;
    start(replicas.get(id));
    tellAll();
  }

  void isolate(int id) {
    replicas.get(id).isolated = true;
  }

  void heal(int id) {
    replicas.get(id).isolated = false;
    tell(id);
  }

  void holdController() {
    controllerHolds = true;
  }

  void releaseController() {
    controllerHolds = false;
  }

  void holdDisks() {
    disksHold = true;
  }

  void releaseDisks() {
    disksHold = false;
  }

  void input(int id, ReplicaInput input) {
    ScenarioReplica replica = replicas.get(id);
    if (replica.up) {
      replica.core.on(input, now).forEach(effect -> perform(replica, effect));
    }
  }

  private void perform(ScenarioReplica replica, ReplicaEffect effect) {
    if (effect instanceof ReplicaEffect.Persist persist) {
      replica.disk.begin(persist.event());
    } else if (effect instanceof ReplicaEffect.SendFetch send) {
      long token = remember(replica.id, send.requestId());
      transmit(replica.id, send.leaderId(), new ReplicaInput.FetchArrived(token, send.request()));
    } else if (effect instanceof ReplicaEffect.SendEpochEnd send) {
      long token = remember(replica.id, send.requestId());
      ReplicaInput ask = new ReplicaInput.EpochEndArrived(token, send.request());
      transmit(replica.id, send.leaderId(), ask);
    } else if (effect instanceof ReplicaEffect.AnswerFetch answer) {
      fetchAnswered(replica.id, answer.token(), answer.response());
    } else if (effect instanceof ReplicaEffect.ReadAndAnswer read) {
      ByteBuffer records =
          replica.disk.read(read.log(), read.from(), read.limit(), read.maxBytes());
      fetchAnswered(replica.id, read.token(), read.head().withRecords(records));
      if (read.throttled()) {
        input(replica.id, new ReplicaInput.RecordsSent(records.remaining()));
      }
    } else if (effect instanceof ReplicaEffect.AnswerEpochEnd answer) {
      Asker asker = askers.remove(answer.token());
      ReplicaInput reply = new ReplicaInput.EpochEndAnswered(asker.requestId(), answer.response());
      transmit(replica.id, asker.replica(), reply);
    } else if (effect instanceof ReplicaEffect.AnswerProduce answer) {
      produced.put(answer.token(), answer.response());
    } else if (effect instanceof ReplicaEffect.AnswerListOffsets answer) {
      listed.put(answer.token(), answer.response());
    } else if (effect instanceof ReplicaEffect.FindAndAnswer find) {
      listed.put(find.token(), replica.disk.find(find));
    } else if (effect instanceof ReplicaEffect.AnswerDeleteRecords answer) {
      deleted.put(answer.token(), answer.response());
    } else if (effect instanceof ReplicaEffect.ProposeIsr propose) {
      proposals.add(new Proposal(replica.id, propose));
    } else if (effect instanceof ReplicaEffect.Report report) {
      if (report.warning()) {
        replica.warnings.add(report.message());
      }
    }
  }

  private long remember(int replica, long requestId) {
    askers.put(nextToken, new Asker(replica, requestId));
    return nextToken++;
  }

  private void fetchAnswered(int from, long token, FetchResponse response) {
    Asker asker = askers.remove(token);
    if (asker == null) {
      fetched.put(token, response);
    } else {
      ReplicaInput reply = new ReplicaInput.FetchAnswered(asker.requestId(), response);
      transmit(from, asker.replica(), reply);
    }
  }

  private void transmit(int from, int to, ReplicaInput input) {
    if (!replicas.get(from).isolated && !replicas.get(to).isolated) {
      network.add(new Packet(from, to, input));
    }
  }

  /** Takes a message off the network, without delivering it. */
  Packet intercept(Predicate<Packet> which) {
    Packet found = network.stream().filter(which).findFirst().orElseThrow();
    network.remove(found);
    return found;
  }

  void deliver(Packet packet) {
    input(packet.to(), packet.input());
  }

  /** Everything that can happen without time passing. */
  void pump() {
    boolean busy = true;
    for (int steps = 0; busy; steps++) {
      if (steps > MAX_STEPS) {
        throw new AssertionError("the replicas never come to rest: " + network);
      }
      busy = false;
      for (ScenarioReplica replica : replicas.values()) {
        if (replica.up && replica.disk.isWriting() && !disksHold) {
          persisted(replica.id);
          busy = true;
        }
      }
      if (!network.isEmpty()) {
        deliver(network.poll());
        busy = true;
      }
      if (!proposals.isEmpty() && !controllerHolds) {
        accept(proposals.poll());
        busy = true;
      }
    }
  }

  void persisted(int id) {
    replicas.get(id).disk.persist();
    input(id, new ReplicaInput.LogPersisted(replicas.get(id).disk.state()));
  }

  /** A controller's decision by the rules that matter here. */
  void accept(Proposal proposal) {
    AlterPartition request = proposal.effect().request();
    if (replicas.get(proposal.from()).isolated) {
      return;
    }
    if (request.leaderEpoch() != state.leaderEpoch()) {
      answer(proposal, ErrorCode.FENCED_LEADER_EPOCH);
    } else if (request.partitionEpoch() != state.partitionEpoch()) {
      answer(proposal, ErrorCode.INVALID_UPDATE_VERSION);
    } else if (!request.isr().stream().allMatch(this::isCurrent)) {
      answer(proposal, ErrorCode.INELIGIBLE_REPLICA);
    } else {
      decide(state.leader(), state.leaderEpoch(), proposal.isr().toArray(new Integer[0]));
      answer(proposal, ErrorCode.NONE);
    }
  }

  private boolean isCurrent(IsrMember member) {
    ScenarioReplica replica = replicas.get(member.brokerId());
    return replica.eligible && replica.brokerEpoch == member.brokerEpoch();
  }

  void answer(Proposal proposal, ErrorCode error) {
    PartitionState accepted = error == ErrorCode.NONE ? state : null;
    input(
        proposal.from(),
        new ReplicaInput.IsrAnswered(proposal.effect().requestId(), error, accepted));
  }

  void pass(long millis) {
    now += millis * MS;
    replicas.keySet().forEach(id -> input(id, new ReplicaInput.TimePassed()));
  }

  /** Runs until nothing that was asked for is still on its way. */
  void settle() {
    for (int waited = 0; waited < SETTLE_MS; waited += 5) {
      pump();
      pass(5);
    }
    pump();
  }

  long produce(int leader, Acks acks, String... values) {
    return produce(leader, acks, ScenarioBatches.batch(values));
  }

  long produce(int leader, Acks acks, ByteBuffer batch) {
    long token = nextToken++;
    ProduceRequest request = new ProduceRequest(PARTITION, acks, batch);
    input(leader, new ReplicaInput.ProduceArrived(token, request));
    return token;
  }

  /** Null while there is no answer. */
  ProduceResponse answerTo(long token) {
    return produced.get(token);
  }

  ErrorCode errorOf(long token) {
    return produced.get(token).error();
  }

  /** A follower's fetch that does not wait, answered at once. */
  FetchResponse fetchAs(int follower, int leader, long offset, int lastEpoch) {
    return fetch(leader, request(follower, offset, lastEpoch, 0));
  }

  FetchRequest request(int follower, long offset, int lastEpoch, int maxWaitMs) {
    long brokerEpoch = replicas.get(follower).brokerEpoch;
    return new FetchRequest(
        follower,
        brokerEpoch,
        null,
        maxWaitMs,
        1,
        PARTITION,
        state.leaderEpoch(),
        offset,
        offset,
        lastEpoch,
        0,
        1 << 20,
        Long.MAX_VALUE,
        "");
  }

  FetchResponse fetch(int leader, FetchRequest request) {
    return fetchedBy(ask(leader, request));
  }

  /** A fetch that may wait; {@link #fetchedBy} tells the answer. */
  long ask(int leader, FetchRequest request) {
    long token = nextToken++;
    input(leader, new ReplicaInput.FetchArrived(token, request));
    return token;
  }

  FetchResponse fetchedBy(long token) {
    return fetched.get(token);
  }

  long read(int replica, long offset, int maxWaitMs) {
    return ask(replica, FetchRequest.reader(PARTITION, -1, offset, maxWaitMs, 1 << 20));
  }

  long deleteBefore(int leader, long offset) {
    long token = nextToken++;
    DeleteRecordsRequest request = new DeleteRecordsRequest(PARTITION, -1, offset);
    input(leader, new ReplicaInput.DeleteRecordsArrived(token, request));
    return token;
  }

  /** Null while there is no answer. */
  DeleteRecordsResponse deletion(long token) {
    return deleted.get(token);
  }

  ListOffsetsResponse latest(int leader) {
    return list(leader, ListOffsetsRequest.Position.LATEST, -1);
  }

  ListOffsetsResponse list(int leader, ListOffsetsRequest.Position position, long timestamp) {
    long token = nextToken++;
    ListOffsetsRequest request = new ListOffsetsRequest(PARTITION, -1, position, timestamp);
    input(leader, new ReplicaInput.ListOffsetsArrived(token, request));
    return listed.get(token);
  }
}
