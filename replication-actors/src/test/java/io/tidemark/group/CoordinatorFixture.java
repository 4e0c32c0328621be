package io.tidemark.group;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.group.GroupCoordinator.StoredRecord;
import io.tidemark.protocol.CommittedOffset;
import io.tidemark.protocol.GroupRequest;
import io.tidemark.protocol.GroupRequest.CommitOffsets;
import io.tidemark.protocol.GroupRequest.Heartbeat;
import io.tidemark.protocol.GroupResponse;
import io.tidemark.protocol.GroupResponse.Assigned;
import io.tidemark.protocol.GroupResponse.AssignedPartition;
import io.tidemark.protocol.PartitionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;

/** A coordinator over a log whose writes are committed at once, or when the test says so. */
final class CoordinatorFixture {
  static final long MS = 1_000_000;
  static final String GROUP = "billing";

  /** The time of day when the test begins. */
  static final long EPOCH_MS = 1_700_000_000_000L;

  static final UUID TOPIC = new UUID(7, 7);

  final List<StoredRecord> log = new ArrayList<>();
  final Map<Long, GroupResponse> replies = new HashMap<>();
  final Map<String, Assigned> last = new HashMap<>();
  GroupCoordinator core;
  long deletedBefore = -1;
  long now;
  private List<GroupRecord> held;
  private boolean holding;
  private long nextToken;
  private GroupSettings settings = GroupSettings.DEFAULT;

  static CoordinatorFixture of(int partitions) {
    CoordinatorFixture fixture = new CoordinatorFixture();
    fixture.lead(1, partitions);
    return fixture;
  }

  CoordinatorFixture with(GroupSettings newSettings) {
    settings = newSettings;
    return this;
  }

  static PartitionId partition(int number) {
    return new PartitionId(TOPIC, number);
  }

  static Set<Integer> numbers(Assigned assigned) {
    return assigned.partitions().stream()
        .map(AssignedPartition::partition)
        .map(PartitionId::partition)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  void lead(int epoch, int partitions) {
    core = new GroupCoordinator(epoch, settings);
    topic(partitions);
    perform(core.start());
  }

  void topic(int partitions) {
    perform(core.topicsChanged(Map.of("orders", new TopicPartitions(TOPIC, partitions))));
  }

  /** From now on what is written is not committed, until {@link #commit}. */
  void hold() {
    holding = true;
  }

  void commit() {
    List<GroupRecord> records = held;
    held = null;
    if (records != null) {
      write(records);
    }
  }

  private void write(List<GroupRecord> records) {
    long base = log.size();
    for (GroupRecord record : records) {
      log.add(new StoredRecord(log.size(), core.epoch(), record));
    }
    perform(core.appended(base, now));
  }

  private void perform(List<GroupEffect> effects) {
    for (GroupEffect effect : effects) {
      if (effect instanceof GroupEffect.Append append) {
        held = append.records();
        if (!holding) {
          commit();
        }
      } else if (effect instanceof GroupEffect.Read) {
        perform(core.read(List.copyOf(log), log.size(), now));
      } else if (effect instanceof GroupEffect.Reply reply) {
        replies.put(reply.token(), reply.response());
      } else if (effect instanceof GroupEffect.DeleteBefore delete) {
        deletedBefore = delete.offset();
      }
    }
  }

  long send(GroupRequest request) {
    long token = nextToken++;
    perform(core.on(token, request, now));
    return token;
  }

  GroupResponse ask(GroupRequest request) {
    return replies.get(send(request));
  }

  GroupResponse join(String member) {
    return heartbeat(member, Heartbeat.JOIN, 0);
  }

  /** With all that it was given: as a member that has taken over its last answer. */
  Assigned beat(String member, Integer... reads) {
    Assigned known = last.get(member);
    return (Assigned) heartbeat(member, known.generation(), known.version(), reads);
  }

  GroupResponse heartbeat(String member, int generation, long version, Integer... reads) {
    List<PartitionId> held = new ArrayList<>();
    for (int each : reads) {
      held.add(partition(each));
    }
    GroupResponse response =
        ask(new Heartbeat(GROUP, member, generation, version, held, List.of("orders"), 10_000));
    if (response instanceof Assigned assigned) {
      last.put(member, assigned);
    }
    return response;
  }

  GroupResponse commit(String member, int generation, int partition, long offset) {
    return ask(
        new CommitOffsets(
            GROUP,
            member,
            generation,
            last.containsKey(member) ? last.get(member).version() : 0,
            nextToken + 1,
            List.of(new CommittedOffset(partition(partition), offset, 3))));
  }

  void pass(long ms) {
    now += ms * MS;
    perform(core.timePassed(now, EPOCH_MS + now / MS));
  }

  void stop() {
    perform(core.stop());
  }

  void assertWritten(GroupRecord record) {
    assertTrue(log.stream().anyMatch(it -> it.record().equals(record)), log::toString);
  }
}
