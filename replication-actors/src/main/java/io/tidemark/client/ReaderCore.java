package io.tidemark.client;

import io.tidemark.protocol.DeleteRecordsRequest;
import io.tidemark.protocol.DeleteRecordsResponse;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.ListOffsetsRequest;
import io.tidemark.protocol.ListOffsetsRequest.Position;
import io.tidemark.protocol.ListOffsetsResponse;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Reads one partition from one offset on, through any change of leader, as a pure core. One answer
 * at a time: whoever reads asks for the next when done with the last.
 */
final class ReaderCore {
  private static final long LOOK_UP_NANOS = 200_000_000;
  private static final long BACK_OFF_NANOS = 50_000_000;
  private static final int MAX_WAIT_MS = 500;
  private static final long ANSWER_NANOS = 2_000_000_000;

  sealed interface Effect {

    record SendFetch(long requestId, int broker, FetchRequest request) implements Effect {}

    record SendListOffsets(long requestId, int broker, ListOffsetsRequest request)
        implements Effect {}

    record SendDeleteRecords(long requestId, int broker, DeleteRecordsRequest request)
        implements Effect {}

    record AskTopic() implements Effect {}

    record ForgetReplica(int broker) implements Effect {}

    /** The answer to what was asked for: records, or none within the time that a fetch waits. */
    record Deliver(FetchResponse response) implements Effect {}

    record DeliverOffset(long offset) implements Effect {}

    /** The offset is not in the log (any more). */
    record OutOfRange(long offset) implements Effect {}

    /** Asking again would not help. */
    record Refused(ErrorCode error) implements Effect {}
  }

  private sealed interface Wanted {
    record Records(long offset, int maxBytes) implements Wanted {}

    record Offset(Position position, long timestamp) implements Wanted {}

    record Deletion(long offset) implements Wanted {}
  }

  private final int partition;
  private final int onlyBroker;
  private Wanted wanted;
  private UUID topicId;
  private PartitionState state;
  private long requestId;
  private boolean outstanding;
  private int askedBroker;
  private long sendAt;
  private long lookUpAt;

  /**
   * @param onlyBroker the replica to read, −1 for the leader
   */
  ReaderCore(int partition, int onlyBroker) {
    this.partition = partition;
    this.onlyBroker = onlyBroker;
  }

  List<Effect> read(long offset, int maxBytes, long now) {
    wanted = new Wanted.Records(offset, maxBytes);
    return step(now);
  }

  /**
   * @param timestamp for {@link Position#AT_TIME}, in ms since the epoch
   */
  List<Effect> find(Position position, long timestamp, long now) {
    wanted = new Wanted.Offset(position, timestamp);
    return step(now);
  }

  /** Has the log start at the offset, or at the high watermark for −1. */
  List<Effect> deleteBefore(long offset, long now) {
    wanted = new Wanted.Deletion(offset);
    return step(now);
  }

  private List<Effect> step(long now) {
    List<Effect> out = new ArrayList<>();
    outstanding = false;
    sendAt = now;
    send(now, out);
    return out;
  }

  private void send(long now, List<Effect> out) {
    if (wanted == null || outstanding || now < sendAt) {
      return;
    }
    int broker = broker();
    if (broker < 0) {
      lookUp(now, out);
      return;
    }
    PartitionId id = new PartitionId(topicId, partition);
    requestId++;
    outstanding = true;
    askedBroker = broker;
    sendAt = now + ANSWER_NANOS + MAX_WAIT_MS * 1_000_000L;
    if (wanted instanceof Wanted.Records records) {
      out.add(
          new Effect.SendFetch(
              requestId,
              broker,
              FetchRequest.reader(
                  id, state.leaderEpoch(), records.offset(), MAX_WAIT_MS, records.maxBytes())));
    } else if (wanted instanceof Wanted.Offset offset) {
      out.add(
          new Effect.SendListOffsets(
              requestId,
              broker,
              new ListOffsetsRequest(
                  id, state.leaderEpoch(), offset.position(), offset.timestamp())));
    } else if (wanted instanceof Wanted.Deletion deletion) {
      out.add(
          new Effect.SendDeleteRecords(
              requestId,
              broker,
              new DeleteRecordsRequest(id, state.leaderEpoch(), deletion.offset())));
    }
  }

  private int broker() {
    if (state == null) {
      return -1;
    }
    return onlyBroker >= 0 ? onlyBroker : state.leader();
  }

  private void lookUp(long now, List<Effect> out) {
    if (now >= lookUpAt) {
      lookUpAt = now + LOOK_UP_NANOS;
      out.add(new Effect.AskTopic());
    }
  }

  /**
   * @param newState null when the topic or partition is not known where it was asked for
   */
  List<Effect> described(UUID id, PartitionState newState, long now) {
    List<Effect> out = new ArrayList<>();
    if (newState == null) {
      return out;
    }
    boolean moved =
        state == null || state.leaderEpoch() < newState.leaderEpoch() || !id.equals(topicId);
    topicId = id;
    if (moved) {
      state = newState;
      outstanding = false;
      sendAt = now;
    }
    send(now, out);
    return out;
  }

  List<Effect> fetched(long answeredId, FetchResponse response, long now) {
    List<Effect> out = new ArrayList<>();
    if (!isAnswer(answeredId) || !(wanted instanceof Wanted.Records records)) {
      return out;
    }
    outstanding = false;
    switch (response.error()) {
      case NONE -> {
        wanted = null;
        out.add(new Effect.Deliver(response));
      }
      case OFFSET_OUT_OF_RANGE -> {
        wanted = null;
        out.add(new Effect.OutOfRange(records.offset()));
      }
      default -> retryOrGiveUp(response.error(), now, out);
    }
    return out;
  }

  List<Effect> listed(long answeredId, ListOffsetsResponse response, long now) {
    List<Effect> out = new ArrayList<>();
    if (!isAnswer(answeredId) || !(wanted instanceof Wanted.Offset)) {
      return out;
    }
    outstanding = false;
    switch (response.error()) {
      case NONE -> {
        wanted = null;
        out.add(new Effect.DeliverOffset(response.offset()));
      }
      default -> retryOrGiveUp(response.error(), now, out);
    }
    return out;
  }

  List<Effect> deleted(long answeredId, DeleteRecordsResponse response, long now) {
    List<Effect> out = new ArrayList<>();
    if (!isAnswer(answeredId) || !(wanted instanceof Wanted.Deletion deletion)) {
      return out;
    }
    outstanding = false;
    switch (response.error()) {
      case NONE -> {
        wanted = null;
        out.add(new Effect.DeliverOffset(response.logStartOffset()));
      }
      case OFFSET_OUT_OF_RANGE -> {
        wanted = null;
        out.add(new Effect.OutOfRange(deletion.offset()));
      }
      default -> retryOrGiveUp(response.error(), now, out);
    }
    return out;
  }

  private boolean isAnswer(long answeredId) {
    return outstanding && answeredId == requestId;
  }

  private void retryOrGiveUp(ErrorCode error, long now, List<Effect> out) {
    if (!error.isRetriable()) {
      wanted = null;
      out.add(new Effect.Refused(error));
      return;
    }
    sendAt = now + BACK_OFF_NANOS;
    lookUp(now, out);
  }

  List<Effect> timePassed(long now) {
    List<Effect> out = new ArrayList<>();
    if (wanted == null) {
      return out;
    }
    if (outstanding && now >= sendAt) {
      outstanding = false;
      out.add(new Effect.ForgetReplica(askedBroker));
    }
    lookUp(now, out);
    send(now, out);
    return out;
  }

  boolean isIdle() {
    return wanted == null;
  }
}
