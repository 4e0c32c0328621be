package io.tidemark.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.LogEvent.LogStartAdvanced;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.ListOffsetsRequest.Position;
import io.tidemark.protocol.ListOffsetsResponse;
import io.tidemark.protocol.ProduceRequest.Acks;
import org.junit.jupiter.api.Test;

/** Where logs start: retention, deleted records, and offsets by time. */
class LogStartTest {
  private static final int A = 1;
  private static final int B = 2;
  private static final int C = 3;

  /** Of every record in these logs. */
  private static final long WRITTEN_AT = 1_700_000_000_000L;

  private static final int LARGE = 600_000;

  private final ReplicaScenario scenario = new ReplicaScenario(A, B, C);
  private final ScenarioReplica a = scenario.replica(A);
  private final ScenarioReplica b = scenario.replica(B);

  private void write(int records) {
    for (int i = 0; i < records; i++) {
      scenario.produce(A, Acks.ALL, "x".repeat(LARGE));
      scenario.settle();
    }
  }

  private void checkRetention(int replica, long wallClockMs) {
    scenario.input(replica, new ReplicaInput.CheckRetention(wallClockMs));
  }

  @Test
  void retention_by_size_keeps_at_least_as_much_as_it_says_and_followers_come_after() {
    scenario.keeping(2L * LARGE, TopicRules.UNLIMITED).elect(A, 0, A, B, C);
    scenario.settle();
    write(8);

    checkRetention(A, WRITTEN_AT);
    scenario.settle();
    write(1);

    assertEquals(6, a.start());
    assertEquals(6, b.start());
    assertEquals(a.log(), b.log());
  }

  @Test
  void retention_by_time_lets_everything_go_that_is_too_old() {
    scenario.keeping(TopicRules.UNLIMITED, 1_000).elect(A, 0, A, B, C);
    scenario.settle();
    write(3);

    checkRetention(A, WRITTEN_AT + 1_000);
    scenario.pump();
    assertEquals(0, a.start());
    checkRetention(A, WRITTEN_AT + 1_001);
    scenario.settle();
    write(1);

    assertEquals(3, a.start());
    assertEquals(3, b.start());
  }

  @Test
  void retention_never_goes_beyond_the_high_watermark() {
    scenario.holdController();
    scenario.keeping(1, 1).elect(A, 0, A, B, C);
    scenario.settle();
    write(2);
    scenario.isolate(B);
    scenario.produce(A, Acks.LEADER, "not committed");
    scenario.settle();

    checkRetention(A, Long.MAX_VALUE);
    scenario.settle();

    assertEquals(2, a.highWatermark());
    assertEquals(2, a.start());
  }

  @Test
  void without_retention_and_on_a_follower_nothing_goes() {
    scenario.keeping(TopicRules.UNLIMITED, TopicRules.UNLIMITED).elect(A, 0, A, B, C);
    scenario.settle();
    write(3);
    checkRetention(A, Long.MAX_VALUE);
    scenario.settle();
    assertEquals(0, a.start());

    scenario.keeping(1, 1).elect(A, 0, A, B, C);
    checkRetention(B, Long.MAX_VALUE);
    scenario.settle();

    assertEquals(0, b.start());
  }

  @Test
  void the_start_is_written_behind_an_append_under_way() {
    scenario.keeping(TopicRules.UNLIMITED, 1).elect(A, 0, A);
    scenario.settle();
    write(1);
    scenario.produce(A, Acks.LEADER, "in flight");

    checkRetention(A, Long.MAX_VALUE);
    scenario.produce(A, Acks.LEADER, "behind it");
    scenario.settle();

    assertEquals(1, a.start());
    assertEquals(3, a.end());
  }

  @Test
  void what_a_leader_has_given_up_is_committed_so_a_follower_gives_it_up_at_once() {
    a.upTo(10, 0).withHighWatermark(10).with(new LogStartAdvanced(8));
    b.upTo(10, 0).withHighWatermark(5);
    scenario.elect(A, 1, A, B);
    scenario.persisted(A);
    scenario.deliver(scenario.intercept(p -> p.from() == B));
    scenario.deliver(scenario.intercept(p -> p.to() == B));
    assertTrue(b.disk.isWriting());

    scenario.persisted(B);

    assertEquals(8, b.start());
    assertEquals(10, b.highWatermark());
  }

  @Test
  void records_are_deleted_on_demand_and_it_is_answered_when_the_new_start_is_durable() {
    scenario.elect(A, 0, A, B, C);
    scenario.settle();
    write(4);
    scenario.holdDisks();

    long deletion = scenario.deleteBefore(A, 3);
    assertNull(scenario.deletion(deletion));
    scenario.releaseDisks();
    scenario.settle();

    assertEquals(3, scenario.deletion(deletion).logStartOffset());
    assertEquals(3, b.start());
    long below = scenario.read(A, 2, 0);
    assertEquals(ErrorCode.OFFSET_OUT_OF_RANGE, scenario.fetchedBy(below).error());
  }

  @Test
  void minus_one_deletes_all_that_is_committed_and_what_is_deleted_already_is_no_error() {
    scenario.elect(A, 0, A, B, C);
    scenario.settle();
    write(2);

    long all = scenario.deleteBefore(A, -1);
    scenario.settle();
    long again = scenario.deleteBefore(A, 1);

    assertEquals(2, scenario.deletion(all).logStartOffset());
    assertEquals(2, scenario.deletion(again).logStartOffset());
  }

  @Test
  void what_is_not_committed_cannot_be_deleted() {
    scenario.elect(A, 0, A, B, C);
    scenario.settle();
    write(1);

    long beyond = scenario.deleteBefore(A, 2);
    long elsewhere = scenario.deleteBefore(B, 1);

    assertEquals(ErrorCode.OFFSET_OUT_OF_RANGE, scenario.deletion(beyond).error());
    assertEquals(ErrorCode.NOT_LEADER_OR_FOLLOWER, scenario.deletion(elsewhere).error());
    assertEquals(0, a.start());
  }

  @Test
  void a_deletion_under_way_fails_when_leadership_ends() {
    scenario.elect(A, 0, A, B, C);
    scenario.settle();
    write(1);
    scenario.holdDisks();
    long deletion = scenario.deleteBefore(A, 1);

    scenario.elect(B, 1, A, B, C);

    assertEquals(ErrorCode.NOT_LEADER_OR_FOLLOWER, scenario.deletion(deletion).error());
  }

  @Test
  void the_earliest_offset_is_the_log_s_start() {
    a.upTo(10, 0).withHighWatermark(10).with(new LogStartAdvanced(4));
    scenario.elect(A, 1, A);
    scenario.settle();

    assertEquals(4, scenario.list(A, Position.EARLIEST, -1).offset());
  }

  @Test
  void the_first_record_of_a_time_is_found_below_the_high_watermark() {
    a.upTo(10, 0).withHighWatermark(10).with(new LogStartAdvanced(4));
    scenario.elect(A, 1, A);
    scenario.settle();

    ListOffsetsResponse found = scenario.list(A, Position.AT_TIME, WRITTEN_AT);
    assertEquals(4, found.offset());
    assertEquals(WRITTEN_AT, found.timestamp());
    ListOffsetsResponse none = scenario.list(A, Position.AT_TIME, WRITTEN_AT + 1);
    assertEquals(ErrorCode.NONE, none.error());
    assertEquals(-1, none.offset());
  }

  @Test
  void s19_a_new_leader_does_not_say_that_no_record_is_so_new_before_it_knows() {
    a.upTo(2, 0).upTo(5, 0).withHighWatermark(2);
    b.upTo(5, 0).withHighWatermark(5);
    scenario.elect(A, 1, A, B);
    scenario.persisted(A);

    assertEquals(0, scenario.list(A, Position.AT_TIME, WRITTEN_AT).offset());
    ListOffsetsResponse unknown = scenario.list(A, Position.AT_TIME, WRITTEN_AT + 1);
    assertEquals(ErrorCode.OFFSET_NOT_AVAILABLE, unknown.error());
    scenario.settle();

    assertEquals(ErrorCode.NONE, scenario.list(A, Position.AT_TIME, WRITTEN_AT + 1).error());
  }
}
