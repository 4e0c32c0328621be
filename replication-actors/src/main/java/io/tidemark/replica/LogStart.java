package io.tidemark.replica;

import io.tidemark.log.LogEvent.LogStartAdvanced;
import io.tidemark.log.LogState;
import io.tidemark.protocol.DeleteRecordsRequest;
import io.tidemark.protocol.DeleteRecordsResponse;
import io.tidemark.protocol.ErrorCode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Where a leader's log starts: retention moves it, and whoever deletes records (KIP-107). Followers
 * come after with what they fetch.
 *
 * <p>Invariant: never above the high watermark, so nothing goes that is not committed.
 */
final class LogStart {
  private static final int MAX_WAITING = 1_000;

  private record Waiting(long token, long offset) {}

  private final LeaderCore leader;
  private final LogWriter writer;
  private final List<Waiting> waiting = new ArrayList<>();

  /** The highest start that is written or on its way into the log. */
  private long wanted;

  LogStart(LeaderCore leader, LogWriter writer) {
    this.leader = leader;
    this.writer = writer;
    this.wanted = writer.log().startOffset();
  }

  /**
   * @param wallClockMs ms since the epoch: a clock that runs ahead deletes early
   */
  void checkRetention(TopicRules topic, long wallClockMs, List<ReplicaEffect> out) {
    LogState log = writer.log();
    long oldest =
        topic.retentionMs() == TopicRules.UNLIMITED
            ? Long.MIN_VALUE
            : wallClockMs - topic.retentionMs();
    long start = log.startAfterRetention(topic.retentionBytes(), oldest, leader.highWatermark());
    if (start > wanted) {
      out.add(
          new ReplicaEffect.Report(
              false, "retention lets go of %d to %d".formatted(log.startOffset(), start - 1)));
    }
    advance(start, out);
  }

  void delete(long token, DeleteRecordsRequest request, List<ReplicaEffect> out) {
    long highWatermark = leader.highWatermark();
    long offset = request.offset() == -1 ? highWatermark : request.offset();
    ErrorCode error = leader.checkEpoch(request.leaderEpoch());
    if (error == ErrorCode.NONE && (offset < 0 || offset > highWatermark)) {
      error = ErrorCode.OFFSET_OUT_OF_RANGE;
    }
    if (error == ErrorCode.NONE && waiting.size() >= MAX_WAITING) {
      error = ErrorCode.REQUEST_TIMED_OUT;
    }
    if (error != ErrorCode.NONE) {
      fail(token, error, out);
      return;
    }
    waiting.add(new Waiting(token, offset));
    advance(offset, out);
    persisted(out);
  }

  private void advance(long start, List<ReplicaEffect> out) {
    if (start > wanted) {
      wanted = start;
      writer.write(new LogStartAdvanced(start), out);
    }
  }

  /** The log's start may have moved. */
  void persisted(List<ReplicaEffect> out) {
    long start = writer.log().startOffset();
    for (Iterator<Waiting> all = waiting.iterator(); all.hasNext(); ) {
      Waiting next = all.next();
      if (next.offset() <= start) {
        all.remove();
        out.add(
            new ReplicaEffect.AnswerDeleteRecords(
                next.token(),
                new DeleteRecordsResponse(ErrorCode.NONE, start, leader.currentLeader())));
      }
    }
  }

  void end(ErrorCode error, List<ReplicaEffect> out) {
    waiting.forEach(each -> fail(each.token(), error, out));
    waiting.clear();
  }

  private void fail(long token, ErrorCode error, List<ReplicaEffect> out) {
    out.add(
        new ReplicaEffect.AnswerDeleteRecords(
            token, DeleteRecordsResponse.failed(error, leader.currentLeader())));
  }
}
