package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogEvent.LogTruncated;
import io.tidemark.log.LogEvent.QuorumVote;
import io.tidemark.log.LogEvent.SnapshotInstalled;
import io.tidemark.log.LogEvent.SnapshotTaken;
import io.tidemark.log.LogEvent.VoteRecorded;
import io.tidemark.log.LogEvent.Voter;
import io.tidemark.log.LogEvent.VotersRecorded;
import io.tidemark.record.RecordBatches;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Voters and snapshots of a quorum's log (KIP-853, KIP-630). */
class QuorumPartTest {
  private static final List<Voter> ONE = voters(1);
  private static final List<Voter> TWO = voters(1, 2);
  private static final List<Voter> THREE = voters(1, 2, 3);

  private LogState log = LogState.EMPTY.apply(new VotersRecorded(ONE));

  private static List<Voter> voters(int... ids) {
    return java.util.Arrays.stream(ids)
        .mapToObj(id -> new Voter(id, new UUID(0, id), "host" + id + ":1"))
        .toList();
  }

  private void append(List<Voter> voters, long highWatermark) {
    ByteBuffer batch = RecordBatches.stamp(VotersRecord.batch(voters), log.endOffset(), 1);
    log = log.apply(new BatchesAppended(batch, highWatermark));
  }

  private void records(int count, long highWatermark) {
    ByteBuffer batch = LogFixtures.batch(1, log.endOffset(), count);
    log = log.apply(new BatchesAppended(batch, highWatermark));
  }

  @Test
  void voters_count_from_their_record_on_and_until_it_is_cut() {
    records(3, 0);
    append(TWO, 0);
    assertEquals(TWO, log.voters());
    assertEquals(3, log.quorum().voterSets().latestOffset());
    assertEquals(ONE, log.quorum().voterSets().below(3));

    log = log.apply(new LogTruncated(3));

    assertEquals(ONE, log.voters());
  }

  @Test
  void of_committed_sets_only_the_latest_is_kept() {
    append(TWO, 0);
    append(THREE, 1);
    records(1, 2);

    assertEquals(THREE, log.voters());
    assertEquals(1, log.quorum().voterSets().entries().size());
  }

  @Test
  void a_snapshot_and_the_logs_new_start_are_one_event() {
    records(10, 10);
    LogSnapshot snapshot = new LogSnapshot(8, 1, ONE, ByteBuffer.wrap(new byte[] {1}));

    log = log.apply(new SnapshotTaken(snapshot, 5));

    assertEquals(5, log.startOffset());
    assertEquals(10, log.endOffset());
    assertEquals(snapshot, log.snapshot());
    assertEquals(1, log.lastEpoch());
  }

  @Test
  void no_record_goes_that_the_snapshot_does_not_stand_for() {
    records(10, 10);
    LogSnapshot snapshot = new LogSnapshot(8, 1, ONE, ByteBuffer.allocate(0));

    assertThrows(IllegalStateException.class, () -> log.apply(new SnapshotTaken(snapshot, 9)));
    assertThrows(
        IllegalStateException.class,
        () -> log.apply(new SnapshotTaken(new LogSnapshot(11, 1, ONE, ByteBuffer.allocate(0)), 5)));
  }

  @Test
  void a_log_starts_anew_at_the_end_of_an_installed_snapshot_and_keeps_its_vote() {
    QuorumVote vote = new QuorumVote(4, 2, -1, null);
    records(3, 0);
    append(TWO, 0);
    log = log.apply(new VoteRecorded(vote));
    LogSnapshot snapshot = new LogSnapshot(100, 3, THREE, ByteBuffer.wrap(new byte[] {1}));

    log = log.apply(new SnapshotInstalled(snapshot));

    assertEquals(100, log.startOffset());
    assertEquals(100, log.endOffset());
    assertEquals(100, log.highWatermark());
    assertEquals(3, log.lastEpoch());
    assertEquals(THREE, log.voters());
    assertEquals(vote, log.vote());
  }
}
