package io.tidemark.group;

import static io.tidemark.group.CoordinatorFixture.GROUP;
import static io.tidemark.group.CoordinatorFixture.numbers;
import static io.tidemark.group.CoordinatorFixture.partition;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.group.GroupCoordinator.StoredRecord;
import io.tidemark.group.GroupRecord.GroupIdle;
import io.tidemark.group.GroupRecord.OffsetsCommitted;
import io.tidemark.protocol.CommittedOffset;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.GroupRequest.CommitOffsets;
import io.tidemark.protocol.GroupRequest.FetchOffsets;
import io.tidemark.protocol.GroupRequest.Heartbeat;
import io.tidemark.protocol.GroupRequest.Leave;
import io.tidemark.protocol.GroupResponse;
import io.tidemark.protocol.GroupResponse.Assigned;
import io.tidemark.protocol.GroupResponse.OffsetsFetched;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GroupCoordinatorTest {
  private final CoordinatorFixture coordinator = CoordinatorFixture.of(4);

  @Test
  void the_first_member_gets_everything_once_its_generation_is_committed() {
    coordinator.hold();
    long token =
        coordinator.send(
            new Heartbeat(GROUP, "a", Heartbeat.JOIN, 0, List.of(), List.of("orders"), 10_000));
    GroupResponse before = coordinator.replies.get(token);

    coordinator.commit();

    assertNull(before);
    Assigned assigned = (Assigned) coordinator.replies.get(token);
    assertEquals(1, assigned.generation());
    assertEquals(Set.of(0, 1, 2, 3), numbers(assigned));
  }

  @Test
  void what_moves_is_given_only_when_its_old_owner_has_given_it_up() {
    coordinator.join("a");
    Assigned joined = (Assigned) coordinator.join("b");
    assertEquals(Set.of(), numbers(joined), "nothing is free");

    assertEquals(ErrorCode.ILLEGAL_GENERATION, coordinator.beat("a", 0, 1, 2, 3).error());
    Set<Integer> kept = numbers(coordinator.last.get("a"));
    assertEquals(2, kept.size());
    coordinator.beat("a", 0, 1, 2, 3);
    assertNull(coordinator.beat("b").partitions(), "a still reads everything");

    coordinator.beat("a", kept.toArray(Integer[]::new));

    Set<Integer> moved = numbers(coordinator.beat("b"));
    assertEquals(2, moved.size());
    assertTrue(moved.stream().noneMatch(kept::contains), () -> kept + " and " + moved);
  }

  @Test
  void a_member_that_is_silent_loses_everything_and_is_told_so() {
    coordinator.join("a");
    coordinator.join("b");
    coordinator.pass(9_000);
    coordinator.beat("b");

    coordinator.pass(2_000);

    assertEquals(ErrorCode.ILLEGAL_GENERATION, coordinator.beat("b").error());
    assertEquals(Set.of(0, 1, 2, 3), numbers(coordinator.last.get("b")));
    assertEquals(
        ErrorCode.UNKNOWN_MEMBER_ID, coordinator.heartbeat("a", 1, 1L << 40, 0, 1, 2, 3).error());
    assertEquals(ErrorCode.UNKNOWN_MEMBER_ID, coordinator.commit("a", 1, 0, 7).error());
  }

  @Test
  void a_member_that_leaves_makes_way_at_once() {
    coordinator.join("a");
    coordinator.join("b");

    coordinator.ask(new Leave(GROUP, "a"));

    coordinator.beat("b");
    assertEquals(Set.of(0, 1, 2, 3), numbers(coordinator.last.get("b")));
  }

  @Test
  void commits_of_an_older_generation_and_of_what_is_not_held_are_fenced() {
    coordinator.join("a");
    coordinator.join("b");

    assertEquals(ErrorCode.ILLEGAL_GENERATION, coordinator.commit("a", 1, 0, 7).error());
    assertEquals(ErrorCode.ILLEGAL_GENERATION, coordinator.commit("b", 2, 0, 7).error());
    assertEquals(ErrorCode.NONE, coordinator.commit("a", 2, 0, 7).error());
    assertEquals(List.of(new CommittedOffset(partition(0), 7, 3)), offsets());
  }

  private List<CommittedOffset> offsets() {
    return ((OffsetsFetched) coordinator.ask(new FetchOffsets(GROUP))).offsets();
  }

  @Test
  void a_heartbeat_that_was_overtaken_gives_nothing_up() {
    coordinator.join("a");
    Assigned first = coordinator.last.get("a");
    coordinator.topic(6);
    coordinator.beat("a", 0, 1, 2, 3);
    coordinator.beat("a", 0, 1, 2, 3, 4, 5);

    coordinator.heartbeat("a", coordinator.last.get("a").generation(), first.version(), 0);

    assertEquals(Set.of(0, 1, 2, 3, 4, 5), numbers(coordinator.last.get("a")));
  }

  @Test
  void a_member_that_the_group_took_for_dead_does_not_come_back_by_an_old_request_to_join() {
    coordinator.join("a");
    Assigned old = coordinator.last.get("a");
    coordinator.join("b");
    coordinator.pass(9_000);
    coordinator.beat("b");
    coordinator.pass(2_000);

    coordinator.join("a");

    assertEquals(
        ErrorCode.UNKNOWN_MEMBER_ID,
        coordinator.heartbeat("a", old.generation(), old.version(), 0, 1, 2, 3).error());
  }

  @Test
  void nothing_is_answered_before_the_log_is_read() {
    CoordinatorFixture starting = new CoordinatorFixture();
    starting.hold();
    starting.lead(1, 4);

    assertEquals(ErrorCode.COORDINATOR_LOADING, starting.join("a").error());

    starting.commit();
    assertEquals(ErrorCode.ILLEGAL_GENERATION, expectGeneration(starting));
  }

  private static ErrorCode expectGeneration(CoordinatorFixture starting) {
    starting.hold();
    long token =
        starting.send(
            new Heartbeat(GROUP, "a", Heartbeat.JOIN, 0, List.of(), List.of("orders"), 10_000));
    starting.commit();
    assertEquals(ErrorCode.NONE, starting.replies.get(token).error());
    long second =
        starting.send(new Heartbeat(GROUP, "a", 9, 1L << 40, List.of(), List.of("orders"), 10_000));
    return starting.replies.get(second).error();
  }

  @Test
  void a_new_coordinator_knows_members_what_they_hold_and_offsets() {
    coordinator.join("a");
    coordinator.commit("a", 1, 2, 30);
    Assigned before = coordinator.last.get("a");

    coordinator.lead(2, 4);

    Assigned after = coordinator.beat("a", 0, 1, 2, 3);
    assertEquals(1, after.generation());
    assertTrue(after.version() > before.version());
    assertEquals(Set.of(0, 1, 2, 3), numbers(after));
    assertEquals(30, after.partitions().get(2).offset());
  }

  @Test
  void a_commit_from_before_a_fail_over_may_have_been_overtaken_and_is_refused() {
    coordinator.join("a");
    coordinator.lead(2, 4);

    assertEquals(ErrorCode.ILLEGAL_GENERATION, coordinator.commit("a", 1, 2, 30).error());
    coordinator.beat("a", 0, 1, 2, 3);

    assertEquals(ErrorCode.NONE, coordinator.commit("a", 1, 2, 30).error());
  }

  @Test
  void a_record_that_was_written_after_the_leadership_was_lost_does_not_count() {
    coordinator.join("a");
    GroupRecord late =
        new OffsetsCommitted(1, GROUP, List.of(new CommittedOffset(partition(0), 99, 3)));
    coordinator.log.add(new StoredRecord(coordinator.log.size(), 2, late));

    coordinator.lead(3, 4);

    assertEquals(List.of(), offsets());
  }

  @Test
  void who_waits_for_a_coordinator_that_stops_is_sent_elsewhere() {
    coordinator.hold();
    long token = coordinator.send(new Leave(GROUP, "nobody"));
    long waiting =
        coordinator.send(
            new Heartbeat(GROUP, "a", Heartbeat.JOIN, 0, List.of(), List.of("orders"), 10_000));

    coordinator.stop();

    assertEquals(ErrorCode.NONE, coordinator.replies.get(token).error());
    assertEquals(ErrorCode.NOT_COORDINATOR, coordinator.replies.get(waiting).error());
    assertEquals(ErrorCode.NOT_COORDINATOR, coordinator.join("b").error());
  }

  @Test
  void the_state_is_written_anew_before_the_older_log_goes() {
    CoordinatorFixture small =
        new CoordinatorFixture()
            .with(new GroupSettings(10, 10, 1 << 16, 100, 1 << 10, 2_000, 100, 60_000));
    small.lead(1, 4);
    small.join("a");
    for (int i = 1; i <= 100 && small.deletedBefore < 0; i++) {
      small.commit("a", 1, 0, i);
    }
    assertTrue(small.deletedBefore > 0);

    small.log.removeIf(record -> record.offset() < small.deletedBefore);

    assertTrue(small.log.stream().anyMatch(it -> it.record() instanceof GroupRecord.GroupChanged));
    assertTrue(small.log.stream().anyMatch(it -> it.record() instanceof OffsetsCommitted));
  }

  @Test
  void new_partitions_of_a_topic_make_a_new_generation() {
    coordinator.join("a");

    coordinator.topic(5);

    assertEquals(ErrorCode.ILLEGAL_GENERATION, coordinator.beat("a", 0, 1, 2, 3).error());
    assertEquals(2, coordinator.last.get("a").generation());
    assertEquals(Set.of(0, 1, 2, 3, 4), numbers(coordinator.last.get("a")));
  }

  @Test
  void a_consumer_without_a_group_commits_while_the_group_has_no_members() {
    assertEquals(ErrorCode.NONE, coordinator.commit("", 0, 1, 5).error());

    coordinator.join("a");

    assertEquals(ErrorCode.UNKNOWN_MEMBER_ID, coordinator.commit("", 0, 1, 6).error());
    assertEquals(5, offsets().get(0).offset());
  }

  private static final long RETENTION_MS = GroupSettings.DEFAULT.offsetsRetentionMs();

  /** Members that were there before a fail-over have a whole session from then on. */
  private static final long SESSION_MS = 10_000;

  @Test
  void offsets_of_a_group_without_members_expire() {
    coordinator.join("a");
    coordinator.commit("a", 1, 2, 30);
    coordinator.ask(new Leave(GROUP, "a"));
    coordinator.pass(1);

    coordinator.pass(RETENTION_MS - 1);
    assertEquals(30, offsets().get(0).offset());
    coordinator.pass(1);

    assertEquals(List.of(), offsets());
    coordinator.lead(2, 4);
    assertEquals(List.of(), offsets(), "the next coordinator reads it so");
  }

  @Test
  void fail_overs_do_not_prolong_the_life_of_offsets() {
    coordinator.join("a");
    coordinator.commit("a", 1, 2, 30);
    coordinator.ask(new Leave(GROUP, "a"));
    coordinator.pass(1);

    coordinator.pass(RETENTION_MS / 2);
    coordinator.lead(2, 4);
    coordinator.pass(RETENTION_MS / 2);

    assertEquals(List.of(), offsets());
  }

  @Test
  void offsets_stay_while_there_are_members_and_while_somebody_commits() {
    coordinator.commit("", 0, 1, 5);
    coordinator.pass(RETENTION_MS / 2);
    coordinator.commit("", 0, 1, 6);
    coordinator.pass(RETENTION_MS / 2);
    coordinator.pass(RETENTION_MS / 2 - 1);
    assertEquals(6, offsets().get(0).offset());

    coordinator.join("a");
    for (long passed = 0; passed < 2 * RETENTION_MS; passed += SESSION_MS * 9 / 10) {
      coordinator.pass(SESSION_MS * 9 / 10);
      coordinator.beat("a", 0, 1, 2, 3);
    }

    assertEquals(6, offsets().get(0).offset());
  }

  @Test
  void what_comes_after_the_end_of_a_group_is_of_another_one() {
    coordinator.join("a");
    coordinator.commit("a", 1, 2, 30);
    coordinator.ask(new Leave(GROUP, "a"));
    coordinator.pass(1);
    coordinator.pass(RETENTION_MS);
    coordinator.join("b");
    coordinator.commit("b", coordinator.last.get("b").generation(), 0, 4);

    coordinator.lead(2, 4);

    assertEquals(List.of(new CommittedOffset(partition(0), 4, 3)), offsets());
    assertEquals(Set.of(0, 1, 2, 3), numbers(coordinator.beat("b", 0, 1, 2, 3)));
  }

  @Test
  void since_when_a_group_is_idle_is_written_anew_too() {
    CoordinatorFixture small =
        new CoordinatorFixture()
            .with(new GroupSettings(10, 10, 1 << 16, 100, 1 << 10, 2_000, 100, 60_000));
    small.lead(1, 4);
    small.commit("", 0, 1, 5);
    small.pass(1);
    small.pass(30_000);
    List<CommittedOffset> some = List.of(new CommittedOffset(partition(0), 7, 3));
    for (int i = 1; i <= 100 && small.deletedBefore < 0; i++) {
      small.ask(new CommitOffsets("another", "", 0, 0, i, some));
    }
    assertTrue(small.deletedBefore > 0);

    small.log.removeIf(record -> record.offset() < small.deletedBefore);

    small.assertWritten(new GroupIdle(1, GROUP, CoordinatorFixture.EPOCH_MS + 1));
  }

  @Test
  void requests_that_make_no_sense_are_refused_with_what_is_allowed() {
    assertEquals(ErrorCode.INVALID_GROUP_ID, coordinator.ask(new FetchOffsets("")).error());
    assertEquals(
        ErrorCode.INVALID_REQUEST,
        coordinator.ask(new Heartbeat(GROUP, "a", 0, 0, List.of(), List.of("orders"), 10)).error());
    assertEquals(
        ErrorCode.INVALID_REQUEST,
        coordinator.ask(new Heartbeat(GROUP, "a", 0, 0, null, null, 10_000)).error());
    assertEquals(ErrorCode.INVALID_REQUEST, coordinator.commit("", 0, 1, -1).error());
  }

  @Test
  void a_group_takes_no_more_members_than_its_record_can_hold() {
    CoordinatorFixture small =
        new CoordinatorFixture()
            .with(new GroupSettings(1, 2, 1 << 16, 100, 1 << 10, 1 << 20, 100, 60_000));
    small.lead(1, 4);
    small.join("a");
    small.join("b");

    assertEquals(ErrorCode.GROUP_MAX_SIZE_REACHED, small.join("c").error());
    assertFalse(small.last.containsKey("c"));
  }
}
