package io.tidemark.broker;

import akka.actor.typed.ActorRef;
import io.tidemark.group.GroupCoordinator;
import io.tidemark.group.GroupCoordinator.StoredRecord;
import io.tidemark.group.GroupEffect;
import io.tidemark.group.GroupRecord;
import io.tidemark.group.GroupRecordCodec;
import io.tidemark.group.GroupSettings;
import io.tidemark.group.TopicPartitions;
import io.tidemark.protocol.DeleteRecordsRequest;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.ListOffsetsRequest;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.ProduceRequest;
import io.tidemark.protocol.ProduceResponse;
import io.tidemark.record.Compression;
import io.tidemark.record.Record;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatchBuilder;
import io.tidemark.record.RecordBatches;
import io.tidemark.wire.BrokerMessage.AskGroup;
import io.tidemark.wire.BrokerMessage.GroupAnswered;
import io.tidemark.wire.ReplicaMessage;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One {@link GroupCoordinator} and the replica that it writes to and reads from: the leader of its
 * partition, on the same node, so that no message between the two is lost.
 */
final class GroupReplica {
  private static final int FETCH_BYTES = 1 << 20;
  private static final long RETRY_NANOS = 100_000_000;

  /** Ids of requests differ between coordinators, so that each finds its own answers. */
  private static final AtomicLong REQUESTS = new AtomicLong();

  /** Where the replica's answers go. */
  record Answers(
      ActorRef<ReplicaMessage.ProduceReply> produced,
      ActorRef<ReplicaMessage.FetchReply> fetched,
      ActorRef<ReplicaMessage.ListOffsetsReply> listed,
      ActorRef<ReplicaMessage.DeleteRecordsReply> ignored) {}

  private final PartitionId id;
  private final Answers answers;
  private final GroupCoordinator core;
  private final Map<Long, AskGroup> asks = new HashMap<>();
  private ActorRef<ReplicaMessage> replica;
  private long nextToken;
  private long awaited = -1;
  private long readFrom;
  private long readAgainAt = Long.MAX_VALUE;
  private boolean failed;

  GroupReplica(PartitionId id, int epoch, GroupSettings settings, Answers answers) {
    this.id = id;
    this.answers = answers;
    this.core = new GroupCoordinator(epoch, settings);
  }

  PartitionId id() {
    return id;
  }

  int epoch() {
    return core.epoch();
  }

  /** Whether its replica has to be found. */
  boolean isLost() {
    return replica == null;
  }

  void found(ActorRef<ReplicaMessage> ref) {
    replica = ref;
    perform(core.start());
  }

  /** False when this coordinator is over. */
  boolean lost(ActorRef<Void> ref) {
    if (ref.equals(replica)) {
      stop();
    }
    return !failed;
  }

  void stop() {
    failed = true;
    perform(core.stop());
  }

  void topicsChanged(Map<String, TopicPartitions> topics) {
    perform(core.topicsChanged(topics));
  }

  void asked(AskGroup ask, long now) {
    long token = nextToken++;
    asks.put(token, ask);
    perform(core.on(token, ask.request(), now));
  }

  boolean timePassed(long now) {
    if (now >= readAgainAt) {
      readAgainAt = Long.MAX_VALUE;
      read(readFrom);
    }
    perform(core.timePassed(now, System.currentTimeMillis()));
    return !failed;
  }

  boolean produced(ReplicaMessage.ProduceReply reply, long now) {
    if (reply.requestId() == awaited) {
      awaited = -1;
      ProduceResponse response = reply.response();
      boolean sameEpoch = response.currentLeader().leaderEpoch() == core.epoch();
      if (response.error() == ErrorCode.NONE && sameEpoch) {
        perform(core.appended(response.baseOffset(), now));
      } else if (response.error() == ErrorCode.NOT_ENOUGH_REPLICAS || core.isStarting()) {
        // Nothing was written, or what may be written any number of times.
        core.appendRefused(now);
      } else {
        stop();
      }
    }
    return !failed;
  }

  boolean listed(ReplicaMessage.ListOffsetsReply reply, long now) {
    if (reply.requestId() == awaited) {
      awaited = -1;
      if (reply.response().error() == ErrorCode.NONE) {
        read(reply.response().offset());
      } else {
        readAgainAt = now + RETRY_NANOS;
      }
    }
    return !failed;
  }

  boolean fetched(ReplicaMessage.FetchReply reply, long now) {
    if (reply.requestId() == awaited) {
      awaited = -1;
      ErrorCode error = reply.response().error();
      if (error == ErrorCode.NONE) {
        taken(reply.response().records(), reply.response().highWatermark(), now);
      } else if (error.isRetriable()) {
        readAgainAt = now + RETRY_NANOS;
      } else {
        stop();
      }
    }
    return !failed;
  }

  private void taken(ByteBuffer batches, long highWatermark, long now) {
    List<StoredRecord> records = new ArrayList<>();
    long next = readFrom;
    for (RecordBatch batch : RecordBatches.list(batches.duplicate())) {
      batch.validate();
      if (batch.nextOffset() > highWatermark) {
        break;
      }
      for (Record record : batch.records()) {
        byte[] bytes = new byte[record.value().remaining()];
        record.value().duplicate().get(bytes);
        records.add(
            new StoredRecord(record.offset(), batch.leaderEpoch(), GroupRecordCodec.decode(bytes)));
      }
      next = batch.nextOffset();
    }
    perform(core.read(records, next, now));
  }

  private void perform(List<GroupEffect> effects) {
    for (GroupEffect effect : effects) {
      if (effect instanceof GroupEffect.Append append) {
        append(append.records());
      } else if (effect instanceof GroupEffect.Read read) {
        read(read.offset());
      } else if (effect instanceof GroupEffect.Reply reply) {
        AskGroup ask = asks.remove(reply.token());
        ask.replyTo().tell(new GroupAnswered(ask.requestId(), reply.response()));
      } else if (effect instanceof GroupEffect.DeleteBefore delete) {
        replica.tell(
            new ReplicaMessage.DeleteRecords(
                REQUESTS.incrementAndGet(),
                new DeleteRecordsRequest(id, core.epoch(), delete.offset()),
                answers.ignored()));
      }
    }
  }

  private void append(List<GroupRecord> records) {
    RecordBatchBuilder batch = new RecordBatchBuilder(Compression.NONE, 1_024);
    for (GroupRecord record : records) {
      batch.append(
          System.currentTimeMillis(),
          null,
          ByteBuffer.wrap(GroupRecordCodec.encode(record)),
          List.of());
    }
    awaited = REQUESTS.incrementAndGet();
    replica.tell(
        new ReplicaMessage.Produce(
            awaited,
            new ProduceRequest(id, ProduceRequest.Acks.ALL, batch.build(0, -1)),
            answers.produced()));
  }

  private void read(long offset) {
    readFrom = offset;
    awaited = REQUESTS.incrementAndGet();
    if (offset < 0) {
      replica.tell(
          new ReplicaMessage.ListOffsets(
              awaited,
              new ListOffsetsRequest(id, core.epoch(), ListOffsetsRequest.Position.EARLIEST, -1),
              answers.listed()));
    } else {
      replica.tell(
          new ReplicaMessage.Fetch(
              awaited,
              FetchRequest.reader(id, core.epoch(), offset, 0, FETCH_BYTES),
              answers.fetched()));
    }
  }
}
