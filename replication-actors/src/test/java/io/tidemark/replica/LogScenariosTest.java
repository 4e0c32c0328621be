package io.tidemark.replica;

import static io.tidemark.replica.ScenarioBatches.appended;
import static io.tidemark.replica.ScenarioBatches.batchOf;
import static io.tidemark.replica.ScenarioBatches.numbered;
import static io.tidemark.replica.ScenarioBatches.records;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.LogEvent.LogStartAdvanced;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.ProduceRequest;
import io.tidemark.protocol.ProduceRequest.Acks;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Scenarios 27, 32 to 35, 40, 42, 48 and 50: logs that end, start or were written elsewhere. */
class LogScenariosTest {
  private static final int A = 1;
  private static final int B = 2;
  private static final int C = 3;

  private final ReplicaScenario scenario = new ReplicaScenario(A, B, C);
  private final ScenarioReplica a = scenario.replica(A);
  private final ScenarioReplica b = scenario.replica(B);

  @Test
  void s27_a_leader_that_was_replaced_commits_nothing_and_cuts_its_suffix() {
    scenario.elect(A, 1, A, B, C);
    scenario.settle();
    scenario.produce(A, Acks.ALL, "committed");
    scenario.settle();
    scenario.isolate(A);
    long lost = scenario.produce(A, Acks.ALL, "lost");
    scenario.settle();

    scenario.elect(B, 2, B, C);
    scenario.settle();
    long kept = scenario.produce(B, Acks.ALL, "kept");
    scenario.settle();
    assertEquals(1, a.highWatermark());
    assertNull(scenario.answerTo(lost));
    assertEquals(ErrorCode.NONE, scenario.errorOf(kept));
    scenario.heal(A);
    scenario.settle();

    assertEquals(ErrorCode.NOT_LEADER_OR_FOLLOWER, scenario.errorOf(lost));
    assertEquals(List.of("0@1 committed", "1@2 kept"), a.log());
    assertEquals(List.of(B, C, A), scenario.state().isr());
  }

  @Test
  void s32_a_follower_with_an_empty_disk_starts_where_the_leader_does() {
    a.startingAt(100);
    a.upTo(110, 0).withHighWatermark(110);
    scenario.holdController();
    scenario.elect(A, 1, A);
    scenario.pump();
    assertEquals(100, b.start());
    scenario.settle();

    assertEquals(a.log(), b.log());
    assertTrue(scenario.proposals.peek().isr().contains(B));
  }

  @Test
  void s32_it_is_not_in_sync_before_it_has_caught_up() {
    a.startingAt(100);
    a.upTo(105, 0).upTo(110, 0).withHighWatermark(110);
    scenario.holdController();
    scenario.elect(A, 1, A);
    scenario.crash(B);
    scenario.crash(C);
    scenario.pump();

    scenario.fetchAs(B, A, 100, -1);
    scenario.fetchAs(B, A, 105, 0);
    assertTrue(scenario.proposals.isEmpty());
    scenario.fetchAs(B, A, 110, 0);

    assertEquals(List.of(A, B), scenario.proposals.peek().isr());
  }

  @Test
  void s33_an_empty_follower_takes_a_batch_that_holds_the_start() {
    a.upTo(3, 0).upTo(9, 0).withHighWatermark(9);
    a.with(new LogStartAdvanced(5));
    scenario.elect(A, 1, A);

    scenario.settle();

    assertEquals(5, b.start());
    assertEquals(9, b.end());
    assertEquals("0@5", b.epochs());
    assertEquals(a.log(), b.log());
  }

  @Test
  void s33_a_follower_whose_log_ends_inside_a_batch_that_holds_the_start_goes_on_behind_it() {
    a.upTo(3, 0).upTo(9, 0).withHighWatermark(9);
    a.with(new LogStartAdvanced(5));
    b.upTo(5, 0).withHighWatermark(3);
    scenario.elect(A, 1, A);

    scenario.settle();

    assertEquals(5, b.start());
    assertEquals(a.log(), b.log());
  }

  @Test
  void what_a_leader_has_let_go_of_is_not_served_by_a_follower_that_had_left_its_log_before() {
    a.upTo(3, 0).upTo(9, 1).withHighWatermark(9);
    a.with(new LogStartAdvanced(9));
    b.upTo(9, 0).withHighWatermark(3);
    scenario.elect(A, 2, A);
    scenario.produce(A, Acks.LEADER, "next");
    scenario.pump();

    assertEquals(9, b.start());
    assertEquals(a.log(), b.log());
  }

  @Test
  void a_reader_that_waits_at_a_follower_does_not_get_what_is_let_go_of_meanwhile() {
    a.upTo(3, 0).upTo(9, 1).withHighWatermark(9);
    a.with(new LogStartAdvanced(9));
    b.upTo(9, 0).withHighWatermark(3);
    scenario.elect(A, 2, A);
    long waiting = scenario.read(B, 3, 60_000);
    scenario.produce(A, Acks.LEADER, "next");
    scenario.settle();

    assertEquals(ErrorCode.OFFSET_OUT_OF_RANGE, scenario.fetchedBy(waiting).error());
  }

  @Test
  void a_follower_that_left_before_the_leaders_start_keeps_no_batch_that_reaches_behind_it() {
    a.upTo(2, 0).upTo(9, 1).withHighWatermark(9);
    a.with(new LogStartAdvanced(5));
    b.upTo(4, 0).upTo(9, 0).withHighWatermark(2);
    scenario.elect(A, 2, A);

    scenario.settle();

    assertEquals(5, b.start());
    assertEquals(a.log(), b.log());
  }

  @Test
  void s34_a_follower_whose_log_starts_later_keeps_its_start_and_serves_nothing_below_it() {
    a.upTo(10, 0).withHighWatermark(10);
    b.upTo(10, 0).withHighWatermark(10);
    b.with(new LogStartAdvanced(4));
    scenario.elect(A, 1, A, B);
    scenario.settle();
    assertEquals(4, b.start());

    scenario.elect(B, 2, B);
    scenario.settle();

    long below = scenario.read(B, 3, 0);
    assertEquals(ErrorCode.OFFSET_OUT_OF_RANGE, scenario.fetchedBy(below).error());
  }

  @Test
  void s35_a_follower_that_is_ahead_of_an_unclean_leader_cuts_warns_and_lives() {
    a.upTo(8, 0).withHighWatermark(8);
    b.upTo(8, 0).upTo(12, 0).withHighWatermark(12);
    scenario.elect(A, 1, A);

    scenario.settle();

    assertEquals(8, b.end());
    assertTrue(b.warnings.toString().contains("4 records below the high watermark are lost"));
    scenario.produce(A, Acks.LEADER, "goes on");
    scenario.settle();
    assertEquals(a.log(), b.log());
  }

  @Test
  void s35_a_follower_that_starts_behind_an_unclean_leaders_end_starts_anew_there() {
    a.upTo(8, 0).withHighWatermark(8);
    b.startingAt(20);
    b.upTo(25, 1).withHighWatermark(25);
    scenario.elect(A, 2, A);

    scenario.settle();

    assertEquals(8, b.end());
    scenario.produce(A, Acks.LEADER, "goes on");
    scenario.settle();
    assertEquals(List.of("8@2 goes on"), b.log());
  }

  @Test
  void s40_a_write_that_is_refused_changes_nothing() {
    scenario.elect(A, 0, A);
    scenario.pump();
    scenario.produce(A, Acks.LEADER, batchOf(9, 0, 0, "first"));
    scenario.pump();
    var before = a.disk.state();

    long gap = scenario.produce(A, Acks.LEADER, batchOf(9, 0, 5, "gap"));
    long large = scenario.produce(A, Acks.LEADER, "x".repeat(2 << 20));
    scenario.pump();

    assertEquals(ErrorCode.OUT_OF_ORDER_SEQUENCE, scenario.errorOf(gap));
    assertEquals(ErrorCode.RECORD_TOO_LARGE, scenario.errorOf(large));
    assertEquals(before, a.disk.state());
    long next = scenario.produce(A, Acks.LEADER, batchOf(9, 0, 1, "next"));
    scenario.pump();
    assertEquals(ErrorCode.NONE, scenario.errorOf(next));
  }

  @Test
  void s42_a_retry_after_a_fail_over_gets_the_original_offset() {
    scenario.elect(A, 0, A, B, C);
    scenario.settle();
    scenario.produce(A, Acks.ALL, batchOf(9, 0, 0, "once"));
    scenario.settle();
    scenario.crash(A);
    scenario.elect(B, 1, B, C);
    scenario.settle();

    long retry = scenario.produce(B, Acks.ALL, batchOf(9, 0, 0, "once"));
    scenario.settle();

    assertEquals(ErrorCode.NONE, scenario.errorOf(retry));
    assertEquals(0, scenario.answerTo(retry).baseOffset());
    assertEquals(List.of("0@0 once"), b.log());
  }

  @Test
  void s48_a_reader_of_a_follower_waits_between_its_high_watermark_and_its_end() {
    a.upTo(12, 0).withHighWatermark(10);
    b.upTo(10, 0).upTo(12, 0).withHighWatermark(10);
    scenario.elect(A, 0, A, B);
    scenario.crash(A);

    long waiting = scenario.read(B, 12, 500);
    long between = scenario.read(B, 10, 0);
    long beyond = scenario.read(B, 13, 500);

    assertNull(scenario.fetchedBy(waiting));
    assertEquals(ErrorCode.NONE, scenario.fetchedBy(between).error());
    assertFalse(scenario.fetchedBy(between).records().hasRemaining());
    assertEquals(ErrorCode.OFFSET_OUT_OF_RANGE, scenario.fetchedBy(beyond).error());
    scenario.pass(500);
    assertFalse(scenario.fetchedBy(waiting).records().hasRemaining());
  }

  @Test
  void s50_a_reader_at_the_high_watermark_gets_nothing_that_is_not_committed() {
    a.upTo(10, 0).withHighWatermark(10);
    scenario.elect(A, 0, A, B);
    scenario.crash(B);
    scenario.crash(C);
    scenario.pump();
    scenario.fetchAs(B, A, 10, 0);
    scenario.produce(A, Acks.LEADER, "r10", "r11", "r12");
    scenario.pump();

    long reader = scenario.read(A, 10, 0);

    assertEquals(10, a.highWatermark());
    assertFalse(scenario.fetchedBy(reader).records().hasRemaining());
  }

  @Test
  void a_request_for_another_creation_of_the_topic_is_refused() {
    PartitionId other = new PartitionId(new UUID(8, 8), 0);
    scenario.elect(A, 0, A);
    scenario.pump();

    long fetch = scenario.ask(A, FetchRequest.reader(other, 0, 0, 0, 1));
    ProduceRequest request = new ProduceRequest(other, Acks.LEADER, ScenarioBatches.batch("m"));
    scenario.input(A, new ReplicaInput.ProduceArrived(-1, request));
    scenario.pump();

    assertEquals(ErrorCode.UNKNOWN_TOPIC_ID, scenario.fetchedBy(fetch).error());
    assertEquals(ErrorCode.UNKNOWN_TOPIC_ID, scenario.errorOf(-1));
    assertEquals(0, a.end());
  }

  @Test
  void a_crash_loses_what_was_in_flight_and_a_power_loss_also_the_newest_events() {
    scenario.elect(A, 0, A, B, C);
    scenario.settle();
    scenario.produce(A, Acks.ALL, "kept");
    scenario.settle();
    scenario.crash(B);
    b.disk.lose(1);
    scenario.elect(A, 1, A, C);
    scenario.restart(B);

    scenario.settle();

    assertEquals(a.log(), b.log());
  }

  @Test
  void batches_that_lie_in_one_event_are_served_one_by_one() {
    a.with(appended(0, numbered(0, 0, 4), numbered(0, 4, 3)));
    scenario.elect(A, 1, A);
    scenario.settle();

    long reader = scenario.read(A, 4, 0);

    assertEquals(
        List.of("4@0 r4", "5@0 r5", "6@0 r6"), records(scenario.fetchedBy(reader).records()));
  }
}
