package io.tidemark.replica;

import io.tidemark.log.LogEvent;
import io.tidemark.log.LogState;
import io.tidemark.protocol.ControllerRequest.AlterPartition;
import io.tidemark.protocol.DeleteRecordsResponse;
import io.tidemark.protocol.EpochEndRequest;
import io.tidemark.protocol.EpochEndResponse;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.ListOffsetsResponse;
import io.tidemark.protocol.ProduceResponse;
import io.tidemark.protocol.ReplicaOffline;

/** What a replica's core wants done. The shell does it in order and decides nothing. */
public sealed interface ReplicaEffect {

  /** Write the event; the result comes back as an input. At most one is outstanding. */
  record Persist(LogEvent event) implements ReplicaEffect {}

  /** {@code token} is the one that the request came with; so in all answers. */
  record AnswerFetch(long token, FetchResponse response) implements ReplicaEffect {}

  /**
   * Read [{@code from}, {@code limit}) under {@code log}, put it into {@code head} and answer. All
   * offsets in the head were read before the records are.
   *
   * @param throttled whether {@link ReplicaInput.RecordsSent} is to tell how much was read
   */
  record ReadAndAnswer(
      long token,
      FetchResponse head,
      long from,
      long limit,
      int maxBytes,
      LogState log,
      boolean throttled)
      implements ReplicaEffect {}

  record AnswerProduce(long token, ProduceResponse response) implements ReplicaEffect {}

  record AnswerEpochEnd(long token, EpochEndResponse response) implements ReplicaEffect {}

  record AnswerListOffsets(long token, ListOffsetsResponse response) implements ReplicaEffect {}

  /**
   * Find the first record below {@code limit} that is at least as new as {@code timestamp} (ms
   * since the epoch) and answer with it, or with {@code notFound}.
   */
  record FindAndAnswer(
      long token, ListOffsetsResponse notFound, long timestamp, long limit, LogState log)
      implements ReplicaEffect {}

  record AnswerDeleteRecords(long token, DeleteRecordsResponse response) implements ReplicaEffect {}

  /** {@code requestId} comes back with the answer; so in all requests. */
  record SendFetch(long requestId, int leaderId, FetchRequest request) implements ReplicaEffect {}

  record SendEpochEnd(long requestId, int leaderId, EpochEndRequest request)
      implements ReplicaEffect {}

  /** The log is lost: tell the leader, as far as it can be reached. */
  record TellOffline(int leaderId, ReplicaOffline message) implements ReplicaEffect {}

  record ProposeIsr(long requestId, AlterPartition request) implements ReplicaEffect {}

  /** Something that an operator may want to know. */
  record Report(boolean warning, String message) implements ReplicaEffect {}
}
