package io.tidemark.replica;

import akka.actor.typed.javadsl.ActorContext;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.PartitionId;
import io.tidemark.wire.ReplicaMessage;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers fetches with records: from memory at once, from the disk when it has been read. */
public final class ReadAnswers {

  /** The disk was read; whoever gets this gives it to {@link #wasRead}. */
  public record WasRead(long token, FetchResponse response) implements ReplicaMessage.Local {}

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
      askers.answerFetch(read.token(), read.head().withRecords(cached));
      return;
    }
    context.pipeToSelf(
        log.read(read.log(), read.from(), read.limit(), read.maxBytes()),
        (records, failure) ->
            new WasRead(
                read.token(),
                failure == null ? read.head().withRecords(records) : unreadable(read, failure)));
  }

  public void wasRead(WasRead read) {
    askers.answerFetch(read.token(), read.response());
  }

  private FetchResponse unreadable(ReplicaEffect.ReadAndAnswer read, Throwable failure) {
    LOG.error("cannot read {} on broker {} at offset {}", partition, broker, read.from(), failure);
    FetchResponse.CurrentLeader leader = read.head().currentLeader();
    return FetchResponse.failed(ErrorCode.STORAGE_ERROR, leader.leaderId(), leader.leaderEpoch());
  }
}
