package io.tidemark.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.group.MemberEffect.Committed;
import io.tidemark.group.MemberEffect.Left;
import io.tidemark.group.MemberEffect.Lost;
import io.tidemark.group.MemberEffect.Refused;
import io.tidemark.group.MemberEffect.Revoke;
import io.tidemark.group.MemberEffect.Send;
import io.tidemark.group.MemberEffect.Start;
import io.tidemark.protocol.CommittedOffset;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.GroupRequest;
import io.tidemark.protocol.GroupRequest.CommitOffsets;
import io.tidemark.protocol.GroupRequest.Heartbeat;
import io.tidemark.protocol.GroupRequest.Leave;
import io.tidemark.protocol.GroupResponse;
import io.tidemark.protocol.GroupResponse.Assigned;
import io.tidemark.protocol.GroupResponse.AssignedPartition;
import io.tidemark.protocol.GroupResponse.Done;
import io.tidemark.protocol.GroupResponse.Failed;
import io.tidemark.protocol.PartitionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class GroupMemberTest {
  private static final long MS = 1_000_000;
  private static final PartitionId P0 = new PartitionId(new UUID(7, 7), 0);
  private static final PartitionId P1 = new PartitionId(new UUID(7, 7), 1);

  private final GroupMember member =
      new GroupMember(
          new MemberSettings("billing", "a", List.of("orders"), 1_000, 10_000, 5_000, 60_000));
  private final List<MemberEffect> effects = new ArrayList<>();
  private long now;

  private void did(List<MemberEffect> more) {
    effects.addAll(more);
  }

  private void pass(long ms) {
    now += ms * MS;
    did(member.timePassed(now));
  }

  /** The last request of that kind that was sent. */
  private Send sent(Class<? extends GroupRequest> kind) {
    Send last = null;
    for (MemberEffect effect : effects) {
      last = effect instanceof Send send && kind.isInstance(send.request()) ? send : last;
    }
    return last;
  }

  private Heartbeat heartbeat() {
    return (Heartbeat) sent(Heartbeat.class).request();
  }

  private void answerHeartbeat(GroupResponse response) {
    did(member.answered(sent(Heartbeat.class).requestId(), response, now));
  }

  private void answerCommit(GroupResponse response) {
    did(member.answered(sent(CommitOffsets.class).requestId(), response, now));
  }

  private static Assigned assigned(int generation, long version, PartitionId... partitions) {
    List<AssignedPartition> all = new ArrayList<>();
    for (PartitionId partition : partitions) {
      all.add(new AssignedPartition(partition, "orders", 5, 2));
    }
    return new Assigned(ErrorCode.NONE, generation, version, all, true);
  }

  private void commit(long token, PartitionId partition, long offset) {
    did(member.commit(token, List.of(new CommittedOffset(partition, offset, 2)), now));
  }

  private void joined(PartitionId... partitions) {
    did(member.timePassed(now));
    did(member.coordinatorFound(1, 3, now));
    answerHeartbeat(assigned(1, 10, partitions));
  }

  @Test
  void it_finds_its_coordinator_joins_and_reads_what_it_is_given() {
    did(member.timePassed(now));
    assertEquals(List.of(new MemberEffect.FindCoordinator()), effects);

    did(member.coordinatorFound(2, 3, now));
    assertEquals(Heartbeat.JOIN, heartbeat().generation());
    assertEquals(2, sent(Heartbeat.class).broker());
    answerHeartbeat(assigned(4, 10, P0));

    assertTrue(effects.contains(new Start(new AssignedPartition(P0, "orders", 5, 2))));
    assertEquals(4, heartbeat().generation());
    assertEquals(10, heartbeat().version());
    assertEquals(List.of(P0), heartbeat().held());
  }

  @Test
  void what_it_is_to_give_up_it_holds_until_what_was_read_is_committed() {
    joined(P0, P1);
    answerHeartbeat(assigned(2, 11, P0));
    assertTrue(effects.contains(new Revoke(P1)));
    did(member.stopped(P1, 9, now));
    assertEquals(Set.of(P0, P1), Set.copyOf(heartbeat().held()));

    commit(1, P1, 9);
    answerHeartbeat(new Assigned(ErrorCode.NONE, 2, 11, null, false));
    answerCommit(new Done(ErrorCode.NONE));

    assertTrue(effects.contains(new Committed(1)));
    assertEquals(List.of(P0), heartbeat().held());
  }

  @Test
  void it_waits_for_commits_no_longer_than_the_drain_time_out() {
    joined(P0, P1);
    answerHeartbeat(assigned(2, 11, P0));
    did(member.stopped(P1, 9, now));
    answerHeartbeat(new Assigned(ErrorCode.NONE, 2, 11, null, false));

    pass(4_900);
    assertTrue(heartbeat().held().contains(P1));
    answerHeartbeat(new Assigned(ErrorCode.NONE, 2, 11, null, false));
    pass(200);

    assertEquals(List.of(P0), heartbeat().held());
  }

  @Test
  void it_gives_nothing_up_that_is_still_read_however_long_that_takes() {
    joined(P0, P1);
    answerHeartbeat(assigned(2, 11, P0));
    answerHeartbeat(new Assigned(ErrorCode.NONE, 2, 11, null, false));

    pass(20_000);

    assertTrue(heartbeat().held().contains(P1));
  }

  @Test
  void a_member_that_is_unknown_loses_everything_and_joins_anew() {
    joined(P0);
    commit(1, P0, 8);

    answerHeartbeat(new Failed(ErrorCode.UNKNOWN_MEMBER_ID, "who?"));

    assertTrue(effects.contains(new Lost(P0)));
    assertTrue(effects.contains(new Committed(1)), "the next owner reads it again");
    assertEquals(Heartbeat.JOIN, heartbeat().generation());
    assertEquals(List.of(), heartbeat().held());
  }

  @Test
  void a_fenced_commit_is_sent_again_in_the_new_generation() {
    joined(P0);
    commit(1, P0, 8);
    answerHeartbeat(new Assigned(ErrorCode.NONE, 1, 10, null, true));

    answerCommit(new Failed(ErrorCode.ILLEGAL_GENERATION, "old"));
    answerHeartbeat(new Assigned(ErrorCode.ILLEGAL_GENERATION, 2, 10, null, true));
    pass(150);

    CommitOffsets again = (CommitOffsets) sent(CommitOffsets.class).request();
    assertEquals(2, again.generation());
    assertEquals(List.of(new CommittedOffset(P0, 8, 2)), again.offsets());
    answerCommit(new Done(ErrorCode.NONE));
    assertTrue(effects.contains(new Committed(1)));
  }

  @Test
  void a_commit_under_way_is_not_sent_again_when_its_partition_was_elsewhere_meanwhile() {
    joined(P0);
    commit(1, P0, 8);
    answerHeartbeat(assigned(2, 11));
    did(member.stopped(P0, 9, now));
    answerHeartbeat(new Assigned(ErrorCode.NONE, 2, 11, null, false));
    pass(1_900);
    for (int i = 0; i < 4; i++) {
      pass(1_000);
      answerHeartbeat(new Assigned(ErrorCode.NONE, 2, 11, null, false));
    }
    assertEquals(List.of(), heartbeat().held());
    int before = effects.size();

    pass(1_000);
    answerHeartbeat(assigned(3, 12, P0));
    did(member.coordinatorFound(2, 9, now));

    assertEquals(Set.of(P0), member.reading());
    assertFalse(
        effects.subList(before, effects.size()).stream()
            .anyMatch(it -> it instanceof Send send && send.request() instanceof CommitOffsets),
        effects::toString);
  }

  @Test
  void what_was_read_before_a_partition_was_elsewhere_does_not_take_the_group_back() {
    joined(P0);
    answerHeartbeat(new Failed(ErrorCode.UNKNOWN_MEMBER_ID, "who?"));
    List<AssignedPartition> further = List.of(new AssignedPartition(P0, "orders", 20, 2));
    answerHeartbeat(new Assigned(ErrorCode.NONE, 3, 20, further, true));

    commit(1, P0, 8);

    assertTrue(effects.contains(new Committed(1)));
    assertEquals(null, sent(CommitOffsets.class));
    commit(2, P0, 21);
    CommitOffsets sent = (CommitOffsets) sent(CommitOffsets.class).request();
    assertEquals(List.of(new CommittedOffset(P0, 21, 2)), sent.offsets());
  }

  @Test
  void commits_that_come_while_one_is_under_way_go_together() {
    joined(P0, P1);
    commit(1, P0, 6);
    Send first = sent(CommitOffsets.class);
    commit(2, P0, 7);
    commit(3, P1, 9);
    commit(4, P0, 8);
    assertEquals(first, sent(CommitOffsets.class));

    answerCommit(new Done(ErrorCode.NONE));

    CommitOffsets next = (CommitOffsets) sent(CommitOffsets.class).request();
    assertEquals(
        Set.of(new CommittedOffset(P0, 8, 2), new CommittedOffset(P1, 9, 2)),
        Set.copyOf(next.offsets()));
  }

  @Test
  void a_commit_goes_to_the_new_coordinator_when_the_old_one_does_not_answer() {
    joined(P0);
    commit(1, P0, 8);

    did(member.coordinatorFound(3, 4, now));

    assertEquals(3, sent(CommitOffsets.class).broker());
    did(member.coordinatorFound(1, 3, now));
    assertEquals(3, sent(CommitOffsets.class).broker(), "old news");
  }

  @Test
  void a_commit_that_nobody_takes_fails_in_the_end() {
    joined(P0);
    commit(1, P0, 8);

    pass(59_000);
    assertFalse(effects.stream().anyMatch(MemberEffect.CommitFailed.class::isInstance));
    pass(1_000);

    assertTrue(effects.stream().anyMatch(MemberEffect.CommitFailed.class::isInstance));
  }

  @Test
  void a_coordinator_that_has_been_replaced_is_not_believed() {
    joined(P0);
    answerHeartbeat(assigned(5, 20, P0, P1));

    answerHeartbeat(assigned(4, 19, P1));

    assertEquals(5, member.generation());
    assertFalse(effects.contains(new Revoke(P0)));
  }

  @Test
  void it_leaves_when_all_that_it_read_is_committed() {
    joined(P0);
    did(member.leave(now));
    assertTrue(effects.contains(new Revoke(P0)));
    did(member.stopped(P0, 9, now));
    commit(1, P0, 9);
    assertEquals(null, sent(Leave.class));

    answerCommit(new Done(ErrorCode.NONE));
    did(member.answered(sent(Leave.class).requestId(), new Done(ErrorCode.NONE), now));

    assertEquals(new Left(), effects.get(effects.size() - 1));
  }

  @Test
  void it_ends_when_the_group_does_not_take_it() {
    did(member.coordinatorFound(1, 3, now));

    answerHeartbeat(new Failed(ErrorCode.GROUP_MAX_SIZE_REACHED, "full"));

    assertTrue(effects.contains(new Refused(ErrorCode.GROUP_MAX_SIZE_REACHED, "full")));
    assertEquals(new Left(), effects.get(effects.size() - 1));
  }

  @Test
  void a_consumer_outside_the_group_is_told_why_it_may_not_commit() {
    GroupMember alone =
        new GroupMember(new MemberSettings("billing", "", List.of(), 1_000, 10_000, 5_000, 60_000));
    did(alone.coordinatorFound(1, 3, now));
    did(alone.commit(7, List.of(new CommittedOffset(P0, 5, 2)), now));

    did(
        alone.answered(
            sent(CommitOffsets.class).requestId(),
            new Failed(ErrorCode.UNKNOWN_MEMBER_ID, "it has members"),
            now));

    assertTrue(
        effects.contains(
            new MemberEffect.CommitFailed(7, ErrorCode.UNKNOWN_MEMBER_ID, "it has members")));
    effects.clear();
    did(alone.timePassed(now + 1_000 * MS));
    assertEquals(List.of(), effects);
  }

  @Test
  void a_commit_that_is_not_taken_in_time_tells_what_the_coordinator_said() {
    joined(P0);
    commit(1, P0, 9);
    answerCommit(new Failed(ErrorCode.COORDINATOR_LOADING, "it reads its log"));

    pass(60_001);

    assertEquals(
        "the group's coordinator did not take it within 60000 ms: broker 1 says it reads its log",
        effects.stream()
            .filter(MemberEffect.CommitFailed.class::isInstance)
            .map(it -> ((MemberEffect.CommitFailed) it).reason())
            .findFirst()
            .orElseThrow());
  }
}
