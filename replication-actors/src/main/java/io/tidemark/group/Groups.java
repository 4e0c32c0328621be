package io.tidemark.group;

import io.tidemark.group.GroupRecord.GroupChanged;
import io.tidemark.group.GroupRecord.GroupExpired;
import io.tidemark.group.GroupRecord.GroupIdle;
import io.tidemark.group.GroupRecord.OffsetsCommitted;
import io.tidemark.protocol.CommittedOffset;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.GroupRequest;
import io.tidemark.protocol.GroupRequest.CommitOffsets;
import io.tidemark.protocol.GroupRequest.FetchOffsets;
import io.tidemark.protocol.GroupRequest.Heartbeat;
import io.tidemark.protocol.GroupRequest.Leave;
import io.tidemark.protocol.GroupResponse;
import io.tidemark.protocol.GroupResponse.Assigned;
import io.tidemark.protocol.GroupResponse.Done;
import io.tidemark.protocol.GroupResponse.Failed;
import io.tidemark.protocol.GroupResponse.OffsetsFetched;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The groups of one coordinator. What changes is handed out to be written; whoever answers has to
 * wait for that.
 */
final class Groups {
  private static final int MAX_ID_LENGTH = 249;

  private final int epoch;
  private final GroupSettings settings;
  private final Consumer<Supplier<GroupRecord>> log;
  private final Map<String, Group> groups = new TreeMap<>();
  private final Set<String> queued = new HashSet<>();
  private Map<String, TopicPartitions> topics = Map.of();
  private long lastVersion;

  /** All versions that this coordinator gives are above it. */
  private long versionsFrom;

  /**
   * @param log takes what is to be written; it is made when its turn comes
   */
  Groups(int epoch, GroupSettings settings, Consumer<Supplier<GroupRecord>> log) {
    this.epoch = epoch;
    this.settings = settings;
    this.log = log;
  }

  void load(GroupChanged record) {
    Group group = groups.computeIfAbsent(record.groupId(), Group::new);
    group.restore(record);
  }

  void load(OffsetsCommitted record) {
    Group group = groups.computeIfAbsent(record.groupId(), Group::new);
    put(group, record.offsets());
  }

  void load(GroupIdle record) {
    Group group = groups.computeIfAbsent(record.groupId(), Group::new);
    // Its members may have come before this was written.
    group.idleSinceMs = group.members.isEmpty() ? record.sinceMs() : -1;
  }

  void load(GroupExpired record) {
    groups.remove(record.groupId());
  }

  private static void put(Group group, List<CommittedOffset> offsets) {
    offsets.forEach(offset -> group.offsets.put(offset.partition(), offset));
    group.idleSinceMs = -1;
  }

  /** Members have their whole session from now on: nobody knows when they were heard last. */
  void loaded(long newVersionsFrom, long now) {
    versionsFrom = newVersionsFrom;
    lastVersion = newVersionsFrom;
    for (Group group : groups.values()) {
      group.members.values().forEach(member -> member.heard(now));
      plan(group);
    }
  }

  Set<String> ids() {
    return groups.keySet();
  }

  GroupResponse on(GroupRequest request, long now) {
    String id = request.groupId();
    if (id == null || id.isEmpty() || id.length() > MAX_ID_LENGTH) {
      return new Failed(
          ErrorCode.INVALID_GROUP_ID,
          "group id '%s'; allowed: 1 to %d characters".formatted(id, MAX_ID_LENGTH));
    }
    Group group = groups.getOrDefault(id, new Group(id));
    if (request instanceof Heartbeat heartbeat) {
      return heartbeat(group, heartbeat, now);
    }
    if (request instanceof CommitOffsets commit) {
      return commit(group, commit, now);
    }
    if (request instanceof Leave leave) {
      return leave(group, leave);
    }
    FetchOffsets fetch = (FetchOffsets) request;
    List<CommittedOffset> offsets = new ArrayList<>();
    groups.getOrDefault(fetch.groupId(), group).offsets.values().forEach(offsets::add);
    return new OffsetsFetched(ErrorCode.NONE, offsets);
  }

  private GroupResponse heartbeat(Group group, Heartbeat heartbeat, long now) {
    String fault = GroupRequests.faultOf(heartbeat);
    if (fault != null) {
      return new Failed(ErrorCode.INVALID_REQUEST, fault);
    }
    Group.Member member = group.members.get(heartbeat.memberId());
    if (member == null && heartbeat.generation() != Heartbeat.JOIN) {
      return unknown(group.id, heartbeat.memberId());
    }
    if (member == null) {
      Failed refusal = refuseToTake(group, heartbeat);
      if (refusal != null) {
        return refusal;
      }
      groups.put(group.id, group);
      member =
          group.add(
              heartbeat.memberId(), lastVersion, wanted(heartbeat), heartbeat.sessionTimeoutMs());
      newGeneration(group);
    }
    boolean joins = heartbeat.generation() == Heartbeat.JOIN;
    if (!joins && heartbeat.version() <= member.joined) {
      return unknown(group.id, member.id);
    }
    member.heard(now);
    if (!joins && heartbeat.generation() != group.generation) {
      return assigned(ErrorCode.ILLEGAL_GENERATION, group, member, heartbeat.version());
    }
    if (!member.topics.equals(wanted(heartbeat))) {
      member.topics = wanted(heartbeat);
      newGeneration(group);
    } else if (heartbeat.version() == member.version && group.giveUp(member, heartbeat.held())) {
      settle(group);
      changed(group);
    }
    return assigned(ErrorCode.NONE, group, member, heartbeat.version());
  }

  private static List<String> wanted(Heartbeat heartbeat) {
    return List.copyOf(new TreeSet<>(heartbeat.topics()));
  }

  private static GroupResponse assigned(
      ErrorCode error, Group group, Group.Member member, long knownVersion) {
    return new Assigned(
        error,
        group.generation,
        member.version,
        knownVersion == member.version ? null : group.assignment(member),
        member.isSettled());
  }

  private Failed refuseToTake(Group group, Heartbeat heartbeat) {
    if (group.members.size() >= settings.maxMembers()) {
      return full("group '%s' has %d members".formatted(group.id, group.members.size()));
    }
    int bytes =
        group.membershipBytes()
            + GroupRecord.Member.sizeOf(heartbeat.memberId(), heartbeat.topics());
    if (bytes > settings.maxMembershipBytes()) {
      return full(
          "ids and topics of the members of group '%s' would take %d bytes; allowed: %d"
              .formatted(group.id, bytes, settings.maxMembershipBytes()));
    }
    return refuseToTake(group);
  }

  private Failed refuseToTake(Group group) {
    return groups.containsKey(group.id) || groups.size() < settings.maxGroups()
        ? null
        : full("the coordinator of group '%s' has %d groups".formatted(group.id, groups.size()));
  }

  private static Failed full(String what) {
    return new Failed(ErrorCode.GROUP_MAX_SIZE_REACHED, what + "; it takes no more");
  }

  private static Failed unknown(String groupId, String memberId) {
    if (memberId.isEmpty()) {
      return new Failed(
          ErrorCode.UNKNOWN_MEMBER_ID,
          "group '%s' has members, so only they commit; end them first, or use another group id"
              .formatted(groupId));
    }
    return new Failed(
        ErrorCode.UNKNOWN_MEMBER_ID,
        "group '%s' has no member '%s', or not any more; join anew".formatted(groupId, memberId));
  }

  private GroupResponse commit(Group group, CommitOffsets commit, long now) {
    String fault = GroupRequests.faultOf(commit);
    if (fault != null) {
      return new Failed(ErrorCode.INVALID_REQUEST, fault);
    }
    boolean alone = commit.memberId().isEmpty() && group.members.isEmpty();
    Group.Member member = group.members.get(commit.memberId());
    if (!alone && member == null) {
      return unknown(group.id, commit.memberId());
    }
    if (!alone) {
      member.heard(now);
      Failed refusal = refuseToCommit(group, member, commit);
      if (refusal != null) {
        return refusal;
      }
      if (commit.sequence() <= member.commitSequence) {
        return new Done(ErrorCode.NONE);
      }
      member.commitSequence = commit.sequence();
    } else {
      Failed refusal = refuseToTake(group);
      if (refusal != null) {
        return refusal;
      }
      groups.put(group.id, group);
    }
    if (group.offsets.size() + commit.offsets().size() > 2 * GroupRequests.MAX_PARTITIONS) {
      return full(
          "group '%s' has offsets of %d partitions".formatted(group.id, group.offsets.size()));
    }
    put(group, commit.offsets());
    OffsetsCommitted record = new OffsetsCommitted(epoch, group.id, commit.offsets());
    log.accept(() -> record);
    return new Done(ErrorCode.NONE);
  }

  private Failed refuseToCommit(Group group, Group.Member member, CommitOffsets commit) {
    if (commit.generation() != group.generation) {
      return new Failed(
          ErrorCode.ILLEGAL_GENERATION,
          "group '%s' has generation %d, the commit of member '%s' is of %d; nothing was committed"
              .formatted(group.id, group.generation, member.id, commit.generation()));
    }
    if (commit.version() <= versionsFrom) {
      return new Failed(
          ErrorCode.ILLEGAL_GENERATION,
          "member '%s' of group '%s' has not been heard since the coordinator moved here; nothing was committed"
              .formatted(member.id, group.id));
    }
    for (CommittedOffset offset : commit.offsets()) {
      if (!member.held.contains(offset.partition())) {
        return new Failed(
            ErrorCode.ILLEGAL_GENERATION,
            "member '%s' of group '%s' does not hold %s any more; nothing was committed"
                .formatted(member.id, group.id, offset.partition()));
      }
    }
    return null;
  }

  private GroupResponse leave(Group group, Leave leave) {
    Group.Member member = group.members.get(leave.memberId());
    if (member != null) {
      remove(group, List.of(member));
    }
    return new Done(ErrorCode.NONE);
  }

  private void remove(Group group, List<Group.Member> gone) {
    gone.forEach(group::remove);
    newGeneration(group);
  }

  /**
   * @param loaded whether the groups are all that there are
   */
  void topicsChanged(Map<String, TopicPartitions> newer, boolean loaded) {
    Map<String, TopicPartitions> before = topics;
    topics = newer;
    if (!loaded) {
      return;
    }
    for (Group group : groups.values()) {
      boolean concerned =
          group.members.values().stream()
              .flatMap(member -> member.topics.stream())
              .anyMatch(topic -> !Objects.equals(before.get(topic), newer.get(topic)));
      if (concerned) {
        newGeneration(group);
      }
    }
  }

  /**
   * @param timeMs milliseconds since the epoch
   */
  void timePassed(long now, long timeMs) {
    Map<Group, List<Group.Member>> silent = new HashMap<>();
    for (Group group : groups.values()) {
      for (Group.Member member : group.members.values()) {
        if (member.deadline <= now) {
          silent.computeIfAbsent(group, key -> new ArrayList<>()).add(member);
        }
      }
    }
    silent.forEach(this::remove);
    groups.values().removeIf(group -> group.members.isEmpty() && isExpired(group, timeMs));
  }

  /** Whoever finds a group idle first writes it down, so that a fail-over does not begin anew. */
  private boolean isExpired(Group group, long timeMs) {
    if (group.idleSinceMs < 0) {
      GroupIdle idle = new GroupIdle(epoch, group.id, timeMs);
      group.idleSinceMs = timeMs;
      log.accept(() -> idle);
    }
    // What is queued of the group would be read behind its end.
    boolean expired =
        timeMs - group.idleSinceMs >= settings.offsetsRetentionMs() && !queued.contains(group.id);
    if (expired) {
      log.accept(() -> new GroupExpired(epoch, group.id));
    }
    return expired;
  }

  private void newGeneration(Group group) {
    group.generation++;
    changed(group);
    plan(group);
  }

  private void plan(Group group) {
    group.plan(topics);
    settle(group);
  }

  private void settle(Group group) {
    if (group.settle(() -> ++lastVersion)) {
      changed(group);
    }
  }

  private void changed(Group group) {
    if (queued.add(group.id)) {
      log.accept(
          () -> {
            queued.remove(group.id);
            return groups.getOrDefault(group.id, group).record(epoch);
          });
    }
  }

  /** All that is known of a group, to be written anew; one that is empty is forgotten so. */
  List<GroupRecord> wholeState(String groupId) {
    Group group = groups.get(groupId);
    if (group == null) {
      return List.of();
    }
    if (group.isEmpty()) {
      groups.remove(groupId);
      return List.of();
    }
    List<GroupRecord> all = new ArrayList<>();
    if (group.generation > 0) {
      all.add(group.record(epoch));
    }
    if (!group.offsets.isEmpty()) {
      all.add(new OffsetsCommitted(epoch, groupId, List.copyOf(group.offsets.values())));
    }
    if (group.idleSinceMs >= 0) {
      all.add(new GroupIdle(epoch, groupId, group.idleSinceMs));
    }
    return all;
  }
}
