package io.tidemark.group;

import io.tidemark.group.GroupCoordinator.StoredRecord;
import io.tidemark.protocol.CommittedOffset;
import io.tidemark.protocol.GroupRequest;
import io.tidemark.protocol.GroupRequest.CommitOffsets;
import io.tidemark.protocol.GroupRequest.Heartbeat;
import io.tidemark.protocol.GroupResponse;
import io.tidemark.protocol.GroupResponse.Assigned;
import io.tidemark.protocol.GroupResponse.AssignedPartition;
import io.tidemark.protocol.PartitionId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * A group in virtual time: members, a coordinator that moves between brokers, a log that loses what
 * was not committed, and a network that drops, doubles, delays and reorders. The seed decides
 * everything.
 */
public final class GroupSimulation {
  static final long MS = 1_000_000;
  static final String GROUP = "billing";
  static final String TOPIC = "orders";
  static final UUID TOPIC_ID = new UUID(7, 7);
  private static final int SESSION_MS = 3_000;
  private static final int RETENTION_MS = 2_000;
  private static final int BROKERS = 3;

  /** A mistake that is built in, to see that it is found. */
  public enum Mutant {
    NONE,
    STALE_GENERATION_COMMIT,
    ASSIGN_BEFORE_REVOKE,
    COORDINATOR_ANSWERS_WHILE_LOADING
  }

  private record Event(long at, long order, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
    }
  }

  /** A coordinator and the log's leader below it, as its broker believes. */
  final class Coordinator {
    final int broker;
    final GroupCoordinator core;
    private final Map<Long, Answer> asked = new HashMap<>();
    private long nextToken;
    boolean gone;

    Coordinator(int broker, int epoch) {
      this.broker = broker;
      this.core =
          new GroupCoordinator(
              epoch, new GroupSettings(10, 50, 1 << 16, 100, 1 << 10, 6_000, 100, RETENTION_MS));
      core.topicsChanged(topics());
      perform(core.start());
      tick();
    }

    private void tick() {
      after(
          50 * MS,
          () -> {
            if (!gone) {
              perform(core.timePassed(now, now / MS));
              tick();
            }
          });
    }

    void topicsChanged() {
      perform(core.topicsChanged(topics()));
    }

    void ask(GroupRequest request, Answer answer) {
      long token = nextToken++;
      asked.put(token, answer);
      perform(core.on(token, request, now));
    }

    void stop() {
      if (!gone) {
        perform(core.stop());
        gone = true;
      }
    }

    private void perform(List<GroupEffect> effects) {
      for (GroupEffect effect : effects) {
        if (effect instanceof GroupEffect.Append append) {
          log.append(this, append.records());
        } else if (effect instanceof GroupEffect.Read read) {
          after(random.nextInt(30) * MS, () -> read(read.offset()));
        } else if (effect instanceof GroupEffect.Reply reply) {
          asked.remove(reply.token()).accept(reply.response());
        } else if (effect instanceof GroupEffect.DeleteBefore delete) {
          log.deleteBefore(delete.offset());
          count("log-start-advanced");
        }
      }
    }

    private void read(long offset) {
      if (gone) {
        return;
      }
      if (mutant == Mutant.COORDINATOR_ANSWERS_WHILE_LOADING) {
        perform(core.read(List.of(), Long.MAX_VALUE, now));
        return;
      }
      List<StoredRecord> records = log.read(offset, 1 + random.nextInt(20));
      long next = records.isEmpty() ? offset : records.get(records.size() - 1).offset() + 1;
      count("loaded");
      perform(core.read(records, next, now));
    }

    void appended(long baseOffset) {
      if (!gone) {
        perform(core.appended(baseOffset, now));
      }
    }

    void refused() {
      core.appendRefused(now);
    }
  }

  interface Answer {
    void accept(GroupResponse response);
  }

  final SplittableRandom random;
  final Mutant mutant;
  final GroupGhost ghost = new GroupGhost(this);
  final GroupLog log = new GroupLog(this);
  final Map<String, Long> coverage;
  final Map<String, SimulatedMember> members = new TreeMap<>();
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final Map<Integer, Coordinator> coordinators = new HashMap<>();
  private long order;
  long now;
  int partitions;
  int leader = 1;
  int epoch;
  double dropped;
  double doubled;
  double late;
  private int nextMember = 1;
  private boolean healed;

  public GroupSimulation(long seed, Mutant mutant, Map<String, Long> coverage) {
    this.random = new SplittableRandom(seed);
    this.mutant = mutant;
    this.coverage = coverage;
    this.partitions = 1 + random.nextInt(5);
    this.dropped = random.nextInt(3) * 0.05;
    this.doubled = random.nextInt(3) * 0.1;
    this.late = random.nextInt(3) * 0.05;
  }

  void count(String name) {
    coverage.merge(name, 1L, Long::sum);
  }

  static void check(boolean holds, String what, Object... arguments) {
    if (!holds) {
      throw new AssertionError(what.formatted(arguments));
    }
  }

  void after(long delay, Runnable action) {
    events.add(new Event(now + delay, order++, action));
  }

  Map<String, TopicPartitions> topics() {
    return Map.of(TOPIC, new TopicPartitions(TOPIC_ID, partitions));
  }

  /** In order mostly, as a connection does. */
  void send(Runnable delivery) {
    if (random.nextDouble() < dropped) {
      count("message-dropped");
      return;
    }
    transmit(delivery);
    if (random.nextDouble() < doubled) {
      count("message-doubled");
      transmit(delivery);
    }
  }

  private void transmit(Runnable delivery) {
    long delay = MS + random.nextInt(20) * MS;
    if (random.nextDouble() < late) {
      count("message-late");
      delay += random.nextInt(random.nextBoolean() ? 400 : 5_000) * MS;
    }
    after(delay, delivery);
  }

  public void run(int steps) {
    failOver(1);
    addMember();
    addMember();
    plan();
    for (int i = 0; i < steps; i++) {
      step();
    }
    heal();
    long end = now + 60_000 * MS;
    while (!ghost.isAtRest()) {
      check(now < end, "not at rest after healing: %s", ghost.missing());
      step();
    }
  }

  private void step() {
    Event event = events.poll();
    now = event.at();
    event.action().run();
  }

  /** One piece of trouble after the other. */
  private void plan() {
    after(
        (50 + random.nextInt(800)) * MS,
        () -> {
          if (!healed) {
            trouble();
            plan();
          }
        });
  }

  private void trouble() {
    List<SimulatedMember> alive = members.values().stream().filter(it -> !it.isGone()).toList();
    SimulatedMember one = alive.isEmpty() ? null : alive.get(random.nextInt(alive.size()));
    switch (random.nextInt(10)) {
      case 0, 1 -> failOver(1 + random.nextInt(BROKERS));
      case 2, 3, 4 -> {
        if (alive.size() < 4) {
          addMember();
        }
      }
      case 5 -> {
        if (one != null) {
          count("member-crashed");
          one.crash();
        }
      }
      case 6 -> {
        if (one != null) {
          count("member-paused");
          one.pausedUntil = now + random.nextInt(2 * SESSION_MS) * MS;
        }
      }
      case 7 -> {
        if (one != null) {
          count("member-left");
          one.leave();
        }
      }
      case 8 -> {
        if (partitions < 8) {
          count("partition-added");
          partitions++;
          coordinators.values().forEach(Coordinator::topicsChanged);
        }
      }
      default -> log.refusing = now + random.nextInt(1_500) * MS;
    }
  }

  private void addMember() {
    String id = "m" + nextMember++;
    members.put(id, new SimulatedMember(this, id, SESSION_MS));
  }

  /** The old leader does not hear of it at once, if it lives. */
  private void failOver(int broker) {
    count("fail-over");
    Coordinator old = coordinators.get(leader);
    leader = broker;
    epoch++;
    log.failOver();
    int newEpoch = epoch;
    if (old != null && random.nextBoolean()) {
      old.gone = true;
    } else if (old != null) {
      after(random.nextInt(3_000) * MS, old::stop);
    }
    after(
        random.nextInt(200) * MS,
        () -> {
          if (newEpoch == epoch) {
            start(broker);
          }
        });
  }

  private void start(int broker) {
    Coordinator before = coordinators.get(broker);
    if (before != null) {
      before.stop();
    }
    coordinators.put(broker, new Coordinator(broker, epoch));
  }

  /** It is not known what became of its append; the same broker may go on in the same epoch. */
  void unknown(Coordinator coordinator) {
    coordinator.stop();
    if (coordinators.get(coordinator.broker) == coordinator && leader == coordinator.broker) {
      count("coordinator-anew");
      start(coordinator.broker);
    }
  }

  /** To whatever runs on the broker. */
  void ask(int broker, GroupRequest request, Answer answer) {
    send(
        () -> {
          Coordinator coordinator = coordinators.get(broker);
          if (coordinator == null || coordinator.gone) {
            return;
          }
          GroupGhost.Delivery delivery = ghost.delivered();
          coordinator.ask(
              mutated(request),
              response -> {
                count(request.getClass().getSimpleName() + "-" + response.error());
                ghost.answered(delivery, request, response);
                send(() -> answer.accept(response));
                if (mutant == Mutant.ASSIGN_BEFORE_REVOKE
                    && request instanceof Heartbeat heartbeat
                    && response instanceof Assigned assigned) {
                  after(1, () -> giveUpFor(coordinator, heartbeat, assigned));
                }
              });
        });
  }

  private GroupRequest mutated(GroupRequest request) {
    return mutant == Mutant.STALE_GENERATION_COMMIT && request instanceof CommitOffsets commit
        ? new CommitOffsets(
            GROUP,
            commit.memberId(),
            ghost.generation(),
            commit.version(),
            commit.sequence(),
            commit.offsets())
        : request;
  }

  /** As if the member had given up at once what it was told to give up. */
  private static void giveUpFor(Coordinator coordinator, Heartbeat asked, Assigned answer) {
    if (answer.partitions() == null || coordinator.gone) {
      return;
    }
    List<PartitionId> kept =
        answer.partitions().stream().map(AssignedPartition::partition).collect(Collectors.toList());
    coordinator.ask(
        new Heartbeat(
            GROUP,
            asked.memberId(),
            answer.generation(),
            answer.version(),
            kept,
            asked.topics(),
            asked.sessionTimeoutMs()),
        response -> {});
  }

  private void heal() {
    healed = true;
    dropped = 0;
    doubled = 0;
    late = 0;
    log.refusing = 0;
    members.values().forEach(member -> member.pausedUntil = 0);
    addMember();
    failOver(leader);
  }

  static List<CommittedOffset> offset(PartitionId partition, long next) {
    return List.of(new CommittedOffset(partition, next, 0));
  }
}
