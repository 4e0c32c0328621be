package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogEvent.LogRestarted;
import io.tidemark.log.LogEvent.LogStartAdvanced;
import io.tidemark.log.LogEvent.LogTruncated;
import io.tidemark.log.LogFixtures.Memory;
import io.tidemark.record.Compression;
import io.tidemark.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a log's index tells of size and age. Each batch is half a MiB, so a span holds two. */
class RetentionTest {
  private static final int HALF = (1 << 19) + 1_000;
  private static final long ALL = Long.MIN_VALUE;

  private final Memory log = new Memory();

  /** One record with this timestamp. */
  private void append(long timestamp) {
    append(timestamp, HALF);
  }

  private void append(long timestamp, int bytes) {
    RecordBatchBuilder builder = new RecordBatchBuilder(Compression.NONE, bytes);
    builder.append(timestamp, null, ByteBuffer.allocate(bytes), List.of());
    long end = log.state().endOffset();
    log.add(new BatchesAppended(builder.build(end, 1), end));
  }

  private void appendAll(long... timestamps) {
    for (long timestamp : timestamps) {
      append(timestamp);
    }
  }

  private long startAfter(long bytes, long oldest, long limit) {
    return log.state().startAfterRetention(bytes, oldest, limit);
  }

  private BatchReader.Found find(long timestamp, long limit) {
    try {
      return new BatchReader(log, "log").find(log.state(), timestamp, limit);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void without_limits_everything_stays() {
    appendAll(1, 2, 3, 4, 5, 6);

    assertEquals(0, startAfter(-1, ALL, 6));
  }

  @Test
  void as_much_stays_as_was_asked_for_and_no_more_than_a_span_beyond() {
    appendAll(1, 2, 3, 4, 5, 6, 7, 8);

    assertEquals(6, startAfter(1, ALL, 8));
    assertEquals(4, startAfter(2L * HALF + 200, ALL, 8));
    assertEquals(4, startAfter(4L * HALF, ALL, 8));
    assertEquals(0, startAfter(8L * HALF, ALL, 8));
  }

  @Test
  void what_is_too_old_goes_span_by_span() {
    appendAll(10, 20, 30, 40, 50, 60);

    assertEquals(0, startAfter(-1, 20, 6));
    assertEquals(2, startAfter(-1, 21, 6));
    assertEquals(4, startAfter(-1, 41, 6));
    assertEquals(6, startAfter(-1, 61, 6));
  }

  @Test
  void nothing_above_the_high_watermark_goes() {
    appendAll(10, 20, 30, 40);

    assertEquals(3, startAfter(-1, 99, 3));
    assertEquals(1, startAfter(1, ALL, 1));
  }

  @Test
  void one_new_record_among_old_ones_keeps_what_is_behind_it() {
    appendAll(10, 20, 99, 10, 20, 30);

    assertEquals(2, startAfter(-1, 50, 6));
  }

  @Test
  void a_record_without_a_timestamp_never_gets_too_old() {
    append(-1);

    assertEquals(0, startAfter(-1, Long.MAX_VALUE, 1));
  }

  @Test
  void size_and_age_are_as_before_after_a_recovery_and_an_advance_of_the_start() {
    appendAll(10, 20, 30, 40, 50, 60);
    log.add(new LogStartAdvanced(2));
    log.restart();

    assertEquals(4, startAfter(-1, 41, 6));
    assertEquals(4, startAfter(2L * HALF, ALL, 6));
    assertEquals(2, startAfter(5L * HALF, ALL, 6));
  }

  @Test
  void what_was_cut_counts_neither_for_size_nor_after_a_span_for_age() {
    appendAll(10, 20, 30, 99);
    log.add(new LogTruncated(2));
    appendAll(40, 50);

    assertEquals(0, startAfter(4L * HALF, ALL, 4));
    assertEquals(4, startAfter(-1, 51, 4));
  }

  @Test
  void what_is_dead_is_before_the_first_event_that_reads_need() {
    append(10);
    append(20);
    append(30);
    log.add(new LogStartAdvanced(1));
    assertEquals(1, log.state().firstLiveSequenceNr());

    log.add(new LogStartAdvanced(2));
    assertEquals(3, log.state().firstLiveSequenceNr());
    log.add(new LogRestarted(7));

    assertEquals(log.state().sequenceNr() + 1, log.state().firstLiveSequenceNr());
  }

  @Test
  void the_first_record_as_new_as_a_timestamp_is_found() {
    appendAll(10, 30, 20, 50, 40);

    assertEquals(new BatchReader.Found(0, 10), find(0, 5));
    assertEquals(new BatchReader.Found(1, 30), find(11, 5));
    assertEquals(new BatchReader.Found(3, 50), find(31, 5));
    assertNull(find(51, 5));
  }

  @Test
  void only_records_between_the_start_and_the_limit_are_found() {
    appendAll(10, 30, 20, 50, 40);
    log.add(new LogStartAdvanced(2));

    assertEquals(new BatchReader.Found(2, 20), find(0, 5));
    assertNull(find(31, 3));
  }

  @Test
  void what_was_cut_is_not_found() {
    appendAll(10, 90, 20);
    log.add(new LogTruncated(1));
    appendAll(30, 40);

    assertEquals(new BatchReader.Found(1, 30), find(11, 3));
    assertNull(find(90, 3));
  }

  @Test
  void a_long_log_s_thinned_index_still_knows_the_newest_of_each_span() {
    OffsetIndex index = OffsetIndex.EMPTY;
    for (int i = 0; i <= OffsetIndex.MAX_POINTS; i++) {
      index = index.add(i, i + 1, i, i == 8 ? 1_000 : i);
    }

    assertEquals(OffsetIndex.MAX_POINTS / 2 + 1, index.size());
    assertEquals(new OffsetIndex.Point(6, 7, 6, 1_000), index.point(3));
    assertEquals(
        OffsetIndex.MAX_POINTS, index.point(OffsetIndex.MAX_POINTS / 2 - 1).maxTimestamp());
  }
}
