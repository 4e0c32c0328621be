package io.tidemark.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.LogEvent.LogStartAdvanced;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.FetchResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which replica a leader sends a reader to (KIP-392). */
class CloserReplicaProposalTest {
  private static final int A = 1;
  private static final int B = 2;
  private static final int C = 3;

  private final ReplicaScenario scenario = new ReplicaScenario(A, B, C);

  @BeforeEach
  void racks() {
    scenario.replica(A).rack = "east";
    scenario.replica(B).rack = "west";
    scenario.replica(C).rack = "west";
    scenario.replica(A).upTo(10, 0).withHighWatermark(10);
    scenario.holdController();
  }

  /** Followers fetch only by the test's hand. */
  private void leadAlone(Integer... isr) {
    scenario.elect(A, 1, isr);
    scenario.crash(B);
    scenario.crash(C);
    scenario.pump();
  }

  private FetchResponse read(long offset, String rack) {
    FetchRequest request = FetchRequest.reader(ReplicaScenario.PARTITION, 1, offset, 0, 1 << 20);
    return scenario.fetch(A, request.in(rack));
  }

  @Test
  void the_furthest_in_sync_replica_in_the_reader_s_rack_is_proposed_instead_of_records() {
    leadAlone(A, B, C);
    scenario.fetchAs(B, A, 8, 0);
    scenario.fetchAs(C, A, 9, 0);

    FetchResponse answer = read(5, "west");

    assertEquals(C, answer.preferredReadReplica());
    assertFalse(answer.records().hasRemaining());
  }

  @Test
  void a_reader_in_the_leader_s_rack_in_none_or_in_one_without_replicas_is_served_here() {
    leadAlone(A, B, C);
    scenario.fetchAs(B, A, 10, 0);

    for (String rack : new String[] {"east", "", "north"}) {
      FetchResponse answer = read(5, rack);
      assertEquals(-1, answer.preferredReadReplica());
      assertTrue(answer.records().hasRemaining());
    }
  }

  @Test
  void a_replica_that_is_not_in_sync_is_not_proposed() {
    leadAlone(A);
    scenario.fetchAs(B, A, 10, 0);

    assertEquals(-1, read(5, "west").preferredReadReplica());
  }

  @Test
  void a_replica_whose_broker_is_fenced_is_not_proposed() {
    scenario.replica(B).eligible = false;
    leadAlone(A, B);
    scenario.fetchAs(B, A, 10, 0);

    assertEquals(-1, read(5, "west").preferredReadReplica());
  }

  @Test
  void a_replica_whose_log_does_not_hold_the_offset_is_not_proposed() {
    leadAlone(A, B);
    assertEquals(-1, read(5, "west").preferredReadReplica());
    scenario.fetchAs(B, A, 4, 0);

    assertEquals(-1, read(5, "west").preferredReadReplica());
    assertEquals(B, read(4, "west").preferredReadReplica());
  }

  @Test
  void a_replica_whose_log_starts_behind_the_offset_is_not_proposed() {
    scenario.replica(B).upTo(10, 0).withHighWatermark(10);
    scenario.replica(B).with(new LogStartAdvanced(6));
    scenario.elect(A, 1, A, B);
    scenario.settle();

    assertEquals(-1, read(5, "west").preferredReadReplica());
    assertEquals(B, read(6, "west").preferredReadReplica());
  }
}
