package io.tidemark.replica;

import static io.tidemark.replica.ScenarioBatches.stored;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.LeaderEpochs;
import io.tidemark.log.LogState;
import io.tidemark.protocol.EpochEndResponse;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.protocol.ReplicaOffline;
import io.tidemark.replica.ReplicaInput.EpochEndAnswered;
import io.tidemark.replica.ReplicaInput.FetchAnswered;
import io.tidemark.replica.ReplicaInput.FetchArrived;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Scenario 51, and what disks and leaders that are not as they should be do to a replica. */
class FailureScenariosTest {
  private static final int CHECKSUM = 17;
  private static final int A = 1;
  private static final int B = 2;
  private static final int C = 3;

  private final ReplicaScenario scenario = new ReplicaScenario(A, B, C);
  private final ScenarioReplica a = scenario.replica(A);
  private final ScenarioReplica b = scenario.replica(B);

  private static void assertEpochsWithin(LogState log) {
    for (LeaderEpochs.Entry entry : log.epochs().entries()) {
      assertTrue(entry.startOffset() >= log.startOffset(), log::toString);
      assertTrue(entry.startOffset() <= log.endOffset(), log::toString);
    }
  }

  @Test
  void s51_a_truncation_that_a_power_loss_took_back_is_found_out_again() {
    a.upTo(4, 0).upTo(6, 2);
    b.upTo(4, 0).upTo(8, 1);
    scenario.elect(A, 2, A);
    scenario.persisted(A);
    scenario.deliver(scenario.intercept(p -> p.from() == B));
    scenario.deliver(scenario.intercept(p -> p.to() == B));
    scenario.persisted(B);
    assertEquals("0@0", b.epochs());

    scenario.crash(B);
    b.disk.lose(1);
    assertEquals("0@0 1@4", b.epochs());
    assertEpochsWithin(b.disk.state());
    scenario.restart(B);
    scenario.settle();

    assertEquals("0@0 2@4", b.epochs());
    assertEquals(a.log(), b.log());
  }

  @Test
  void s51_a_truncation_that_survived_without_what_followed_has_no_epoch_behind_its_end() {
    a.upTo(4, 0).upTo(6, 2);
    b.upTo(4, 0).upTo(8, 1);
    scenario.elect(A, 2, A);
    scenario.settle();
    assertEquals(a.log(), b.log());

    scenario.crash(B);
    while (b.end() > 4) {
      b.disk.lose(1);
    }
    assertEquals("0@0", b.epochs());
    assertEpochsWithin(b.disk.state());
    scenario.restart(B);
    scenario.settle();

    assertEquals(a.log(), b.log());
  }

  @Test
  void a_follower_whose_disk_failed_leaves_the_in_sync_replicas_at_once_and_writes_go_on() {
    scenario.elect(A, 0, A, B, C);
    scenario.settle();
    scenario.crash(B);
    long write = scenario.produce(A, Acks.ALL, "m");
    scenario.settle();
    assertEquals(List.of(A, B, C), scenario.state().isr());

    ReplicaOffline offline = new ReplicaOffline(ReplicaScenario.PARTITION, B, b.brokerEpoch, 0);
    scenario.input(A, new ReplicaInput.PeerOffline(offline));
    scenario.settle();

    assertEquals(List.of(A, C), scenario.state().isr());
    assertEquals(ErrorCode.NONE, scenario.errorOf(write));
  }

  @Test
  void a_disk_that_failed_in_an_older_incarnation_or_epoch_says_nothing_of_now() {
    scenario.elect(A, 1, A, B, C);
    scenario.settle();

    for (ReplicaOffline old :
        List.of(
            new ReplicaOffline(ReplicaScenario.PARTITION, B, b.brokerEpoch - 1, 1),
            new ReplicaOffline(ReplicaScenario.PARTITION, B, b.brokerEpoch, 0))) {
      scenario.input(A, new ReplicaInput.PeerOffline(old));
      scenario.settle();
    }

    assertEquals(List.of(A, B, C), scenario.state().isr());
  }

  @Test
  void a_leader_that_ends_inside_a_batch_of_this_log_has_it_cut_before_that_batch() {
    a.upTo(8, 0);
    b.upTo(6, 0).upTo(12, 1);
    scenario.elect(A, 2, A);
    scenario.persisted(A);
    scenario.deliver(scenario.intercept(p -> p.input() instanceof FetchArrived && p.from() == B));
    FetchAnswered answer =
        (FetchAnswered)
            scenario.intercept(p -> p.input() instanceof FetchAnswered && p.to() == B).input();
    FetchResponse outOfRange = FetchResponse.failed(ErrorCode.OFFSET_OUT_OF_RANGE, A, 2);
    scenario.input(B, new FetchAnswered(answer.requestId(), outOfRange));

    EpochEndResponse leader = new EpochEndResponse(ErrorCode.NONE, 0, 8, 0, 8);
    scenario.input(B, new EpochEndAnswered(answer.requestId() + 1, leader));
    scenario.persisted(B);

    assertEquals(6, b.end());
  }

  @Test
  void refused_batches_are_counted_over_all_roles() {
    b.upTo(5, 0);
    a.upTo(6, 0);
    scenario.elect(A, 0, A, B);
    scenario.persisted(A);
    scenario.deliver(scenario.intercept(p -> p.input() instanceof FetchArrived && p.from() == B));
    FetchAnswered answer =
        (FetchAnswered)
            scenario.intercept(p -> p.input() instanceof FetchAnswered && p.to() == B).input();
    ByteBuffer damaged = stored(0, 5, "m5");
    damaged.putInt(CHECKSUM, 1);
    scenario.input(
        B,
        new FetchAnswered(answer.requestId(), FetchResponse.of(5, 0, A, 0).withRecords(damaged)));
    assertEquals(1, b.core.refusedBatches());

    scenario.elect(B, 1, A, B);

    assertEquals(1, b.core.refusedBatches());
  }
}
