package io.tidemark.replica;

import akka.actor.typed.javadsl.ActorContext;
import io.tidemark.log.BatchReader;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.ListOffsetsResponse;
import io.tidemark.protocol.PartitionId;
import io.tidemark.record.RecordBatch;
import io.tidemark.wire.ReplicaMessage;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers fetches with records: from memory at once, from the disk when it has been read. */
public final class ReadAnswers {

  /** The disk was read; whoever gets this gives it to {@link #wasRead}. */
  public record WasRead(ReplicaEffect answer, boolean throttled) implements ReplicaMessage.Local {}

  /** So many bytes went to a throttled follower. */
  record Sent(int bytes) implements ReplicaMessage.Local {}

  private static final Logger LOG = LoggerFactory.getLogger(ReadAnswers.class);

  private final ActorContext<ReplicaMessage> context;
  private final PartitionId partition;
  private final int broker;
  private final LogAccess log;
  private final Askers askers;

  public ReadAnswers(
      ActorContext<ReplicaMessage> context,
      PartitionId partition,
      int broker,
      LogAccess log,
      Askers askers) {
    this.context = context;
    this.partition = partition;
    this.broker = broker;
    this.log = log;
    this.askers = askers;
  }

  public void answer(ReplicaEffect.ReadAndAnswer read) {
    ByteBuffer cached = log.cached(read.from(), read.limit(), read.maxBytes());
    if (cached != null) {
      answer(
          new ReplicaEffect.AnswerFetch(read.token(), read.head().withRecords(cached)),
          read.throttled());
      return;
    }
    context.pipeToSelf(
        log.read(read.log(), read.from(), read.limit(), read.maxBytes()),
        (records, failure) ->
            new WasRead(
                new ReplicaEffect.AnswerFetch(
                    read.token(), failure == null ? found(read, records) : lost(read, failure)),
                read.throttled()));
  }

  /** Looks on the disk for the first record of a time. */
  public void answer(ReplicaEffect.FindAndAnswer find) {
    context.pipeToSelf(
        log.find(find.log(), find.timestamp(), find.limit()),
        (found, failure) ->
            new WasRead(
                new ReplicaEffect.AnswerListOffsets(
                    find.token(), failure == null ? listed(find, found) : lost(find, failure)),
                false));
  }

  public void wasRead(WasRead read) {
    answer(read.answer(), read.throttled());
  }

  private void answer(ReplicaEffect answer, boolean throttled) {
    askers.answer(answer);
    if (throttled && answer instanceof ReplicaEffect.AnswerFetch fetch) {
      context.getSelf().tell(new Sent(fetch.response().records().remaining()));
    }
  }

  /** While the disk was being read the log's start may have moved, and its space been freed. */
  private static FetchResponse found(ReplicaEffect.ReadAndAnswer read, ByteBuffer records) {
    boolean hasGap =
        records.hasRemaining()
            && RecordBatch.at(records, records.position()).baseOffset() > read.from();
    return hasGap ? failed(read, ErrorCode.OFFSET_OUT_OF_RANGE) : read.head().withRecords(records);
  }

  private FetchResponse lost(ReplicaEffect.ReadAndAnswer read, Throwable failure) {
    LOG.error("cannot read {} on broker {} at offset {}", partition, broker, read.from(), failure);
    return failed(read, ErrorCode.STORAGE_ERROR);
  }

  private static FetchResponse failed(ReplicaEffect.ReadAndAnswer read, ErrorCode error) {
    FetchResponse.CurrentLeader leader = read.head().currentLeader();
    return FetchResponse.failed(error, leader.leaderId(), leader.leaderEpoch());
  }

  private static ListOffsetsResponse listed(
      ReplicaEffect.FindAndAnswer find, BatchReader.Found found) {
    return found == null
        ? find.notFound()
        : new ListOffsetsResponse(
            ErrorCode.NONE, found.offset(), found.timestamp(), find.notFound().currentLeader());
  }

  private ListOffsetsResponse lost(ReplicaEffect.FindAndAnswer find, Throwable failure) {
    LOG.error(
        "cannot search {} on broker {} for time {}", partition, broker, find.timestamp(), failure);
    return ListOffsetsResponse.failed(ErrorCode.STORAGE_ERROR, find.notFound().currentLeader());
  }
}
