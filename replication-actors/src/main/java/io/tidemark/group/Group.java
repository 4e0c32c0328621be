package io.tidemark.group;

import io.tidemark.protocol.CommittedOffset;
import io.tidemark.protocol.GroupResponse.AssignedPartition;
import io.tidemark.protocol.PartitionId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/**
 * One group as its coordinator knows it. Invariant: a partition is held by one member at most, and
 * one that its holder is to lose goes to another only after the holder gave it up or was removed.
 */
final class Group {
  private static final long NANOS_PER_MS = 1_000_000;

  /** One life of a consumer in the group. */
  static final class Member {
    final String id;

    /** See {@link GroupRecord.Member#joined}. */
    final long joined;

    List<String> topics;
    int sessionTimeoutMs;

    /** What others may not have. */
    final Set<PartitionId> held = new HashSet<>();

    /** What it is to have in the end. */
    Set<PartitionId> target = Set.of();

    /** What it was last told to read, at {@link #version}; null before it was told anything. */
    private Set<PartitionId> told;

    long version;
    long commitSequence;
    long deadline;

    private Member(String id, long joined, List<String> topics, int sessionTimeoutMs) {
      this.id = id;
      this.joined = joined;
      this.topics = List.copyOf(topics);
      this.sessionTimeoutMs = sessionTimeoutMs;
    }

    void heard(long now) {
      deadline = now + sessionTimeoutMs * NANOS_PER_MS;
    }

    boolean isSettled() {
      return held.equals(target);
    }
  }

  final String id;
  int generation;

  /** See {@link GroupRecord.GroupIdle}; −1 while it has members, or nobody has looked. */
  long idleSinceMs = -1;

  final Map<String, Member> members = new TreeMap<>();
  final Map<PartitionId, CommittedOffset> offsets = new HashMap<>();
  private final Map<PartitionId, String> holders = new HashMap<>();
  private final Map<PartitionId, String> topicNames = new HashMap<>();

  Group(String id) {
    this.id = id;
  }

  Member add(String memberId, long joined, List<String> topics, int sessionTimeoutMs) {
    Member member = new Member(memberId, joined, topics, sessionTimeoutMs);
    members.put(memberId, member);
    idleSinceMs = -1;
    return member;
  }

  void remove(Member member) {
    members.remove(member.id);
    member.held.forEach(holders::remove);
  }

  /** As it was written down. */
  void restore(GroupRecord.GroupChanged record) {
    generation = record.generation();
    members.clear();
    holders.clear();
    for (GroupRecord.Member each : record.members()) {
      Member member = add(each.id(), each.joined(), each.topics(), each.sessionTimeoutMs());
      member.held.addAll(each.held());
      each.held().forEach(partition -> holders.put(partition, each.id()));
    }
  }

  GroupRecord.GroupChanged record(int epoch) {
    List<GroupRecord.Member> all = new ArrayList<>();
    for (Member member : members.values()) {
      all.add(
          new GroupRecord.Member(
              member.id,
              member.joined,
              member.topics,
              member.sessionTimeoutMs,
              List.copyOf(member.held)));
    }
    return new GroupRecord.GroupChanged(epoch, id, generation, all);
  }

  boolean isEmpty() {
    return members.isEmpty() && offsets.isEmpty();
  }

  /** Ids and topics of all members, in bytes. */
  int membershipBytes() {
    int bytes = 0;
    for (Member member : members.values()) {
      bytes += GroupRecord.Member.sizeOf(member.id, member.topics);
    }
    return bytes;
  }

  /** Makes a new plan of who is to have what; {@link #settle} carries it out as far as it goes. */
  void plan(Map<String, TopicPartitions> topics) {
    Map<String, List<String>> subscriptions = new HashMap<>();
    topicNames.clear();
    for (Member member : members.values()) {
      subscriptions.put(member.id, member.topics);
      for (String name : member.topics) {
        TopicPartitions topic = topics.get(name);
        for (int i = 0; topic != null && i < topic.count(); i++) {
          topicNames.put(new PartitionId(topic.id(), i), name);
        }
      }
    }
    Map<String, Set<PartitionId>> plan = PartitionAssignor.assign(subscriptions, topics, holders);
    members.values().forEach(member -> member.target = plan.get(member.id));
  }

  /** Takes from a member what it does not read any more. */
  boolean giveUp(Member member, List<PartitionId> stillHeld) {
    Set<PartitionId> gone = new HashSet<>(member.held);
    stillHeld.forEach(gone::remove);
    for (PartitionId partition : gone) {
      member.held.remove(partition);
      member.told.remove(partition);
      holders.remove(partition);
    }
    return !gone.isEmpty();
  }

  /**
   * Gives what is free to whom it is meant for, and has each member that is to read something else
   * from now on told so by a new version.
   *
   * @return whether anything was given
   */
  boolean settle(LongSupplier versions) {
    boolean given = false;
    for (Member member : members.values()) {
      for (PartitionId partition : member.target) {
        if (holders.putIfAbsent(partition, member.id) == null) {
          member.held.add(partition);
          given = true;
        }
      }
      Set<PartitionId> toRead = new HashSet<>(member.held);
      toRead.retainAll(member.target);
      if (!toRead.equals(member.told)) {
        member.told = toRead;
        member.version = versions.getAsLong();
      }
    }
    return given;
  }

  /** What a member may read, each with where the group is in it. */
  List<AssignedPartition> assignment(Member member) {
    List<AssignedPartition> all = new ArrayList<>();
    Set<PartitionId> inOrder =
        new TreeSet<>(
            Comparator.comparing(PartitionId::topicId).thenComparingInt(PartitionId::partition));
    inOrder.addAll(member.told);
    for (PartitionId partition : inOrder) {
      CommittedOffset at = offsets.getOrDefault(partition, new CommittedOffset(partition, -1, -1));
      all.add(
          new AssignedPartition(
              partition, topicNames.get(partition), at.offset(), at.leaderEpoch()));
    }
    return all;
  }
}
