package io.tidemark.group;

import static io.tidemark.group.GroupSimulation.check;

import io.tidemark.group.GroupCoordinator.StoredRecord;
import io.tidemark.group.GroupRecord.GroupChanged;
import io.tidemark.group.GroupRecord.GroupExpired;
import io.tidemark.group.GroupRecord.OffsetsCommitted;
import io.tidemark.protocol.CommittedOffset;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.GroupRequest;
import io.tidemark.protocol.GroupRequest.CommitOffsets;
import io.tidemark.protocol.GroupRequest.Heartbeat;
import io.tidemark.protocol.GroupResponse;
import io.tidemark.protocol.GroupResponse.Assigned;
import io.tidemark.protocol.GroupResponse.AssignedPartition;
import io.tidemark.protocol.PartitionId;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** What is true, whoever knows it: the fold of what is committed, and what was consumed. */
final class GroupGhost {
  private static final int RECORDS = 40;

  /** The generation when a request came to a coordinator. */
  record Delivery(int generation) {}

  private final GroupSimulation sim;
  private final Map<PartitionId, BitSet> consumed = new HashMap<>();
  private final Map<PartitionId, Long> offsets = new HashMap<>();
  private final Map<PartitionId, String> holders = new HashMap<>();
  private final Set<String> members = new HashSet<>();
  private int generation;

  GroupGhost(GroupSimulation sim) {
    this.sim = sim;
  }

  int generation() {
    return generation;
  }

  /** Behind the last record of each partition. */
  static long end() {
    return RECORDS;
  }

  void consumed(PartitionId partition, long offset) {
    consumed.computeIfAbsent(partition, key -> new BitSet()).set((int) offset);
  }

  /**
   * Of the log, in its order; those of coordinators that had lost their leadership do not count.
   */
  void committed(StoredRecord stored) {
    if (stored.record().epoch() != stored.batchEpoch()) {
      sim.count("record-of-older-epoch");
      return;
    }
    if (stored.record() instanceof GroupChanged changed) {
      groupChanged(changed);
    } else if (stored.record() instanceof OffsetsCommitted commit) {
      commit.offsets().forEach(this::offsetCommitted);
    } else if (stored.record() instanceof GroupExpired) {
      sim.count("expired");
      check(members.isEmpty(), "the group was forgotten, and had %s", members);
      offsets.clear();
      generation = 0;
    }
  }

  private void groupChanged(GroupChanged changed) {
    boolean began = members.isEmpty() && offsets.isEmpty();
    check(
        began || changed.generation() >= generation,
        "generation %d after %d",
        changed.generation(),
        generation);
    if (changed.generation() > generation) {
      sim.count("generation");
    }
    generation = changed.generation();
    members.clear();
    holders.clear();
    for (GroupRecord.Member member : changed.members()) {
      members.add(member.id());
      for (PartitionId partition : member.held()) {
        String other = holders.put(partition, member.id());
        check(other == null, "%s is held by %s and %s", partition, other, member.id());
      }
    }
  }

  private void offsetCommitted(CommittedOffset offset) {
    int missing = consumed.getOrDefault(offset.partition(), new BitSet()).nextClearBit(0);
    check(
        offset.offset() <= missing,
        "%s is committed up to %d, and %d was not consumed",
        offset.partition(),
        offset.offset(),
        missing);
    long before = offsets.getOrDefault(offset.partition(), 0L);
    check(
        offset.offset() >= before,
        "%s goes back from %d to %d",
        offset.partition(),
        before,
        offset.offset());
    offsets.put(offset.partition(), offset.offset());
  }

  Delivery delivered() {
    return new Delivery(generation);
  }

  void answered(Delivery delivery, GroupRequest request, GroupResponse response) {
    if (request instanceof CommitOffsets commit && response.error() == ErrorCode.NONE) {
      check(
          commit.generation() >= delivery.generation(),
          "member %s has committed in generation %d, and %d was there before",
          commit.memberId(),
          commit.generation(),
          delivery.generation());
    }
    if (request instanceof Heartbeat heartbeat && response instanceof Assigned assigned) {
      if (heartbeat.generation() != Heartbeat.JOIN
          && heartbeat.generation() < delivery.generation()) {
        check(
            assigned.error() == ErrorCode.ILLEGAL_GENERATION
                || assigned.generation() < delivery.generation(),
            "a heartbeat of generation %d was taken, and %d was there before",
            heartbeat.generation(),
            delivery.generation());
      }
    }
  }

  Map<PartitionId, Long> offsets() {
    return Map.copyOf(offsets);
  }

  /**
   * Of the live generation nobody else reads it, and it begins where the group was.
   *
   * @param asked the offsets when the member asked
   */
  void started(SimulatedMember member, AssignedPartition partition, Map<PartitionId, Long> asked) {
    if (!members.contains(member.id)) {
      return;
    }
    // What had expired meanwhile is not known any more.
    long known =
        Math.min(
            asked.getOrDefault(partition.partition(), 0L),
            offsets.getOrDefault(partition.partition(), 0L));
    check(
        Math.max(0, partition.offset()) >= known,
        "%s starts %s at %d, and %s was committed",
        member.id,
        partition.partition(),
        partition.offset(),
        asked);
    for (SimulatedMember other : sim.members.values()) {
      check(
          other == member || !other.reads(partition.partition()) || !members.contains(other.id),
          "%s starts %s, and %s still reads it",
          member.id,
          partition.partition(),
          other.id);
    }
  }

  boolean isAtRest() {
    return missing().isEmpty();
  }

  /** What there is still to be done. */
  String missing() {
    StringBuilder missing = new StringBuilder();
    for (int i = 0; i < sim.partitions; i++) {
      PartitionId partition = new PartitionId(GroupSimulation.TOPIC_ID, i);
      long readers =
          sim.members.values().stream().filter(it -> !it.isGone() && it.reads(partition)).count();
      if (readers != 1) {
        missing.append(partition.partition()).append(" has ").append(readers).append(" readers; ");
      }
      long at = offsets.getOrDefault(partition, 0L);
      if (at < RECORDS) {
        missing.append(partition.partition()).append(" is at ").append(at).append("; ");
      }
    }
    return missing.toString();
  }
}
