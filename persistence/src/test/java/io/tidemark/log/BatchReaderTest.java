package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogEvent.LogRestarted;
import io.tidemark.log.LogEvent.LogTruncated;
import io.tidemark.log.LogFixtures.Memory;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatches;
import java.util.List;
import org.junit.jupiter.api.Test;

class BatchReaderTest {
  private final Memory log = new Memory();

  private List<Integer> epochsFrom(long offset) {
    return RecordBatches.list(log.read(offset, log.state().endOffset(), 1 << 20)).stream()
        .map(RecordBatch::leaderEpoch)
        .toList();
  }

  @Test
  void a_batch_across_the_start_is_gone_when_all_behind_the_start_was_cut() {
    log.add(new LogRestarted(5));
    log.add(new BatchesAppended(LogFixtures.batch(1, 3, 6), 5));
    log.add(new LogTruncated(5));
    log.add(new BatchesAppended(LogFixtures.batch(2, 3, 5), 5));

    assertEquals(List.of(2), epochsFrom(5));
    assertEquals(8, log.state().endOffset());
  }

  @Test
  void what_was_appended_after_the_state_was_taken_is_not_read() {
    log.add(new BatchesAppended(LogFixtures.batch(1, 0, 2), 0));
    LogState before = log.state();
    log.add(new BatchesAppended(LogFixtures.batch(1, 2, 2), 0));

    assertEquals(1, RecordBatches.list(log.readUnder(before, 0)).size());
  }
}
