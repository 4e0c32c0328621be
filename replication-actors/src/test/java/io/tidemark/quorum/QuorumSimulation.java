package io.tidemark.quorum;

import io.tidemark.log.LogEvent.Voter;
import io.tidemark.log.LogSnapshot;
import io.tidemark.log.LogState;
import io.tidemark.record.Compression;
import io.tidemark.record.RecordBatchBuilder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

/**
 * A whole quorum in virtual time, from one seed: members, their disks and the network between them.
 * After every step {@link QuorumInvariants} looks at it.
 */
final class QuorumSimulation {
  private static final long MS = 1_000_000;

  private record Event(long at, long order, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
    }
  }

  private record Cut(int from, int to) {}

  /** One process and its disk. */
  final class Node {
    final int id;
    QuorumMember member;
    SimulatedDisk disk;
    QuorumCore core;
    int incarnation;
    long timerAt = Long.MAX_VALUE;
    final List<QuorumEffect> effects = new ArrayList<>();

    /** What this member has made of the committed records: which ones they were. */
    final List<String> applied = new ArrayList<>();

    Node(int id) {
      this.id = id;
    }

    void apply(long highWatermark) {
      while (applied.size() < highWatermark) {
        applied.add(disk.identity(applied.size()));
      }
    }

    ByteBuffer content() {
      return ByteBuffer.wrap(String.join(" ", applied).getBytes(StandardCharsets.UTF_8));
    }

    void load(LogSnapshot snapshot) {
      applied.clear();
      String content = StandardCharsets.UTF_8.decode(snapshot.content().duplicate()).toString();
      applied.addAll(List.of(content.split(" ")));
    }

    Voter voter() {
      return new Voter(member.self(), member.directoryId(), member.address());
    }

    boolean isUp() {
      return core != null;
    }

    <E extends QuorumEffect> List<E> effects(Class<E> type) {
      return effects.stream().filter(type::isInstance).map(type::cast).toList();
    }
  }

  private final Random random;
  private final QuorumSettings settings;
  private final List<String> voterAddresses = new ArrayList<>();
  private final Map<Integer, Node> nodes = new HashMap<>();
  private final Map<UUID, SimulatedDisk> disks = new HashMap<>();
  private final Set<Cut> cuts = new HashSet<>();
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final SimulatedShell shell = new SimulatedShell(this);
  private final QuorumInvariants invariants = new QuorumInvariants(this);
  private long now;
  private long order;
  private int appended;
  private int changes;
  double dropped;
  double duplicated;

  /** How likely a member crashes just after it promised or told something. */
  double crashHazard;

  long maxDelayMs = 5;
  long maxFlushMs = 5;

  QuorumSimulation(long seed, int voters, int observers) {
    this(seed, voters, observers, QuorumSettings.DEFAULT);
  }

  QuorumSimulation(long seed, int voters, int observers, QuorumSettings settings) {
    this.random = new Random(seed);
    this.settings = settings;
    for (int id = 1; id <= voters; id++) {
      voterAddresses.add(address(id));
    }
    for (int id = 1; id <= voters + observers; id++) {
      Node node = new Node(id);
      nodes.put(id, node);
      replaceDisk(node);
      restart(id);
    }
  }

  private static String address(int id) {
    return "host" + id + ":1";
  }

  private void replaceDisk(Node node) {
    UUID directory = new UUID(node.id, random.nextLong());
    node.disk = new SimulatedDisk();
    disks.put(directory, node.disk);
    node.member = new QuorumMember(node.id, directory, address(node.id), voterAddresses);
  }

  Node node(int id) {
    return nodes.get(id);
  }

  Iterable<Node> nodes() {
    return nodes.values();
  }

  /** Also of a directory that was wiped: what it acknowledged, it had. */
  SimulatedDisk disk(UUID directory) {
    return disks.get(directory);
  }

  QuorumInvariants invariants() {
    return invariants;
  }

  long nowMs() {
    return now / MS;
  }

  void crash(int id) {
    Node node = nodes.get(id);
    node.disk.crash(random);
    node.core = null;
    node.incarnation++;
  }

  void restart(int id) {
    Node node = nodes.get(id);
    node.core = new QuorumCore(node.member, settings);
    node.timerAt = Long.MAX_VALUE;
    node.applied.clear();
    invariants.restarted(node);
    int incarnation = node.incarnation;
    LogState state = node.disk.state();
    after(1, () -> give(node, incarnation, new QuorumInput.LogRecovered(state)));
  }

  /** The disk of a member that is down is replaced by an empty one. */
  void wipe(int id) {
    replaceDisk(nodes.get(id));
  }

  void cut(int from, int to) {
    cuts.add(new Cut(from, to));
  }

  void isolate(int id) {
    for (int other : nodes.keySet()) {
      cut(id, other);
      cut(other, id);
    }
  }

  void heal() {
    cuts.clear();
    dropped = 0;
    duplicated = 0;
  }

  /** The leader of the newest epoch that thinks so itself; null when there is none. */
  Node leader() {
    Node found = null;
    for (Node node : nodes.values()) {
      if (node.isUp()
          && node.core.isLeader()
          && (found == null || node.core.epoch() > found.core.epoch())) {
        found = node;
      }
    }
    return found;
  }

  /** Lets that member append, as the controller that it thinks it is. */
  void append(Node node) {
    RecordBatchBuilder builder = new RecordBatchBuilder(Compression.NONE, 64);
    byte[] value = ("value " + appended++).getBytes(StandardCharsets.UTF_8);
    builder.append(0, null, ByteBuffer.wrap(value), List.of());
    ByteBuffer batch = builder.build(0, -1);
    give(node, new QuorumInput.AppendRequested(node.core.epoch(), batch));
  }

  /** Lets that member change the voters, as far as it may. */
  void change(Node node, VoterChange change) {
    give(node, new QuorumInput.VoterChangeRequested(changes++, change));
  }

  void give(Node node, QuorumInput input) {
    give(node, node.incarnation, input);
  }

  void run(long ms) {
    runUntil(ms, () -> false);
  }

  /** Returns whether it came true within that time. */
  boolean runUntil(long ms, BooleanSupplier condition) {
    long end = now + ms * MS;
    while (!condition.getAsBoolean()) {
      if (events.isEmpty() || events.peek().at() > end) {
        now = end;
        return condition.getAsBoolean();
      }
      Event event = events.poll();
      now = event.at();
      event.action().run();
    }
    return true;
  }

  void after(long nanos, Runnable action) {
    events.add(new Event(now + nanos, order++, action));
  }

  void give(Node node, int incarnation, QuorumInput input) {
    if (!node.isUp() || node.incarnation != incarnation) {
      return;
    }
    List<QuorumEffect> effects = node.core.on(input, now, random.nextLong());
    node.effects.addAll(effects);
    effects.forEach(effect -> shell.run(node, effect));
    invariants.check(node, effects);
    double hazard = effects.stream().mapToDouble(this::hazardAfter).max().orElse(0);
    if (random.nextDouble() < hazard) {
      after(1 + random.nextLong(10 * MS), () -> crashBriefly(node, incarnation));
    }
    long next = node.core.nextDeadline(now);
    if (next < node.timerAt || node.timerAt <= now) {
      node.timerAt = next;
      if (next != Long.MAX_VALUE) {
        after(
            Math.max(0, next - now),
            () -> {
              node.timerAt = Long.MAX_VALUE;
              give(node, incarnation, new QuorumInput.TimePassed());
            });
      }
    }
  }

  private double hazardAfter(QuorumEffect effect) {
    if (effect instanceof QuorumEffect.AnswerVote answer) {
      return answer.response().granted() && !answer.response().preVote() ? 10 * crashHazard : 0;
    }
    boolean tells =
        effect instanceof QuorumEffect.HighWatermarkMoved
            || effect instanceof QuorumEffect.SendBegin;
    return tells ? crashHazard : 0;
  }

  private void crashBriefly(Node node, int incarnation) {
    if (node.isUp() && node.incarnation == incarnation) {
      crash(node.id);
      after(
          1 + random.nextLong((random.nextBoolean() ? 20 : 400) * MS),
          () -> {
            if (!node.isUp()) {
              restart(node.id);
            }
          });
    }
  }

  void afterFlush(Runnable action) {
    after(1 + random.nextLong(maxFlushMs * MS), action);
  }

  void send(int from, int to, BiConsumer<Node, Integer> delivery) {
    Node target = nodes.get(to);
    int copies = random.nextDouble() < duplicated ? 2 : 1;
    for (int i = 0; i < copies; i++) {
      if (random.nextDouble() >= dropped) {
        after(
            1 + random.nextLong(maxDelayMs * MS),
            () -> {
              if (!cuts.contains(new Cut(from, to))) {
                delivery.accept(target, target.incarnation);
              }
            });
      }
    }
  }

  /** The voters as they were agreed at first. */
  List<Voter> agreedVoters() {
    return invariants.voters();
  }
}
