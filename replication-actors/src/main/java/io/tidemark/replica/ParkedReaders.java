package io.tidemark.replica;

import io.tidemark.log.LogState;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.replica.ParkedFetches.Parked;
import io.tidemark.replica.ReplicaEffect.AnswerFetch;
import io.tidemark.replica.ReplicaEffect.ReadAndAnswer;
import java.util.List;

/** Readers of a follower: they see what it knows to be committed, and wait for more (KIP-392). */
final class ParkedReaders {
  private final ParkedFetches parked = new ParkedFetches();

  void fetch(
      long token,
      FetchRequest request,
      FetchResponse head,
      long highWatermark,
      LogState log,
      long now,
      List<ReplicaEffect> out) {
    long offset = request.fetchOffset();
    if (offset < log.startOffset() || offset > log.endOffset()) {
      out.add(new AnswerFetch(token, outOfRange(head)));
      return;
    }
    long deadline = now + request.maxWaitMs() * ReplicaSettings.NANOS_PER_MS;
    Parked fetch = new Parked(token, request, deadline, log.bytes());
    if (offset < highWatermark || request.maxWaitMs() <= 0 || !parked.park(fetch)) {
      answer(fetch, head, highWatermark, log, out);
    }
  }

  void answer(
      FetchResponse head, long highWatermark, LogState log, long now, List<ReplicaEffect> out) {
    for (Parked fetch :
        parked.take(p -> p.request().fetchOffset() < highWatermark || p.deadlineNanos() <= now)) {
      answer(fetch, head, highWatermark, log, out);
    }
  }

  private static void answer(
      Parked fetch, FetchResponse head, long limit, LogState log, List<ReplicaEffect> out) {
    FetchRequest request = fetch.request();
    if (request.fetchOffset() < log.startOffset()) {
      // The leader has let go of it while the reader waited.
      out.add(new AnswerFetch(fetch.token(), outOfRange(head)));
      return;
    }
    out.add(
        request.fetchOffset() < limit
            ? new ReadAndAnswer(
                fetch.token(), head, request.fetchOffset(), limit, request.maxBytes(), log, false)
            : new AnswerFetch(fetch.token(), head));
  }

  private static FetchResponse outOfRange(FetchResponse head) {
    FetchResponse.CurrentLeader leader = head.currentLeader();
    return FetchResponse.failed(
        ErrorCode.OFFSET_OUT_OF_RANGE, leader.leaderId(), leader.leaderEpoch());
  }

  void end(FetchResponse failed, List<ReplicaEffect> out) {
    parked.take(p -> true).forEach(p -> out.add(new AnswerFetch(p.token(), failed)));
  }

  long nextDeadline() {
    return parked.nextDeadline();
  }
}
