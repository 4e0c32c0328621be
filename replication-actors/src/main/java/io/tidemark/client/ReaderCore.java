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
 *
 * <p>A reader that tells its rack is sent by the leader to a closer replica, if one is in sync
 * (KIP-392). Whatever that one cannot do is asked of the leader: only the leader's word that an
 * offset is out of range counts.
 */
final class ReaderCore {
  private static final long LOOK_UP_NANOS = 200_000_000;
  private static final long BACK_OFF_NANOS = 50_000_000;
  private static final int MAX_WAIT_MS = 500;
  private static final long ANSWER_NANOS = 2_000_000_000;

  /** Longer than it takes a cluster to get over a failure. */
  private static final long COMPLAIN_NANOS = 5_000_000_000L;

  /** After this the leader is asked again which replica is in sync and close. */
  private static final long PREFERENCE_NANOS = 30_000_000_000L;

  /** For how long the leader serves by itself after a closer replica could not. */
  private static final long LEADER_ONLY_NANOS = 10_000_000_000L;

  sealed interface Effect {

    record SendFetch(long requestId, int broker, FetchRequest request) implements Effect {}

    record SendListOffsets(long requestId, int broker, ListOffsetsRequest request)
        implements Effect {}

    record SendDeleteRecords(long requestId, int broker, DeleteRecordsRequest request)
        implements Effect {}

    record AskTopic() implements Effect {}

    record ForgetReplica(int broker) implements Effect {}

    /** The answer to what was asked for: records, or none within the time that a fetch waits. */
    record Deliver(FetchResponse response, int broker) implements Effect {}

    record DeliverOffset(long offset) implements Effect {}

    /** The offset is not in the log (any more). */
    record OutOfRange(long offset) implements Effect {}

    /**
     * What was read last is not in the log any more: an unclean leader has other records from there
     * on (KIP-320).
     *
     * @param lastEpoch of the record before that, −1 when there is none
     */
    record Truncated(long offset, long divergesAt, int lastEpoch) implements Effect {}

    /** Asking again would not help. */
    record Refused(ErrorCode error) implements Effect {}

    /** It takes long, and goes on being tried: told once until there is an answer again. */
    record Complain(Trouble trouble) implements Effect {}
  }

  /** Why there is no answer yet. */
  record Trouble(ErrorCode error, String reason) {}

  private sealed interface Wanted {
    record Records(long offset, int lastEpoch, int maxBytes) implements Wanted {}

    record Offset(Position position, long timestamp) implements Wanted {}

    record Deletion(long offset) implements Wanted {}
  }

  private final int partition;
  private final int onlyBroker;
  private final String rack;
  private int closer = -1;
  private long closerUntil;
  private long leaderOnlyUntil;
  private Wanted wanted;
  private UUID topicId;
  private PartitionState state;
  private long requestId;
  private boolean outstanding;
  private int askedBroker;
  private long sendAt;
  private long lookUpAt;
  private long wantedSince;
  private boolean complained;

  /** Whether any broker has answered at all. */
  private boolean heard;

  /** Of the last answer. */
  private ErrorCode lastError = ErrorCode.NONE;

  /**
   * @param onlyBroker the replica to read, −1 for the leader
   * @param rack where the reader stands, empty to read from the leader
   */
  ReaderCore(int partition, int onlyBroker, String rack) {
    this.partition = partition;
    this.onlyBroker = onlyBroker;
    this.rack = rack;
  }

  /**
   * @param lastEpoch of the record before the offset, −1 when that is not known
   */
  List<Effect> read(long offset, int lastEpoch, int maxBytes, long now) {
    wanted = new Wanted.Records(offset, lastEpoch, maxBytes);
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
    wantedSince = now;
    lastError = ErrorCode.NONE;
    send(now, out);
    return out;
  }

  /** Nobody waits for the answer any more. */
  void giveUp() {
    wanted = null;
    outstanding = false;
  }

  private void settled() {
    wanted = null;
    complained = false;
  }

  private void send(long now, List<Effect> out) {
    if (wanted == null || outstanding || now < sendAt) {
      return;
    }
    int broker = broker(now);
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
                      id, state.leaderEpoch(), records.offset(), MAX_WAIT_MS, records.maxBytes())
                  .after(broker == state.leader() ? records.lastEpoch() : -1)
                  .in(now >= leaderOnlyUntil && broker == state.leader() ? rack : "")));
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

  private int broker(long now) {
    if (state == null) {
      return -1;
    }
    if (onlyBroker >= 0) {
      return state.replicas().contains(onlyBroker) ? onlyBroker : -1;
    }
    boolean isCloser = closer >= 0 && now < closerUntil && wanted instanceof Wanted.Records;
    return isCloser ? closer : state.leader();
  }

  private boolean askedCloser() {
    return closer >= 0 && askedBroker == closer;
  }

  private void dropCloser(long now) {
    closer = -1;
    leaderOnlyUntil = now + LEADER_ONLY_NANOS;
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
    heard = true;
    if (newState == null) {
      return out;
    }
    boolean moved =
        state == null || state.leaderEpoch() < newState.leaderEpoch() || !id.equals(topicId);
    topicId = id;
    if (moved) {
      closer = -1;
      outstanding = false;
      sendAt = now;
    }
    if (moved || state.partitionEpoch() < newState.partitionEpoch()) {
      state = newState;
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
    if (response.error() != ErrorCode.NONE && askedCloser()) {
      dropCloser(now);
      sendAt = now;
      if (response.error() != ErrorCode.OFFSET_OUT_OF_RANGE) {
        lookUp(now, out);
      }
      send(now, out);
      return out;
    }
    switch (response.error()) {
      case NONE -> {
        if (response.diverging() != null) {
          settled();
          out.add(
              new Effect.Truncated(
                  records.offset(),
                  response.diverging().endOffset(),
                  response.diverging().epoch()));
        } else if (response.preferredReadReplica() >= 0 && !response.records().hasRemaining()) {
          closer = response.preferredReadReplica();
          closerUntil = now + PREFERENCE_NANOS;
          sendAt = now;
          send(now, out);
        } else {
          settled();
          out.add(new Effect.Deliver(response, askedBroker));
        }
      }
      case OFFSET_OUT_OF_RANGE -> {
        settled();
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
        settled();
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
        settled();
        out.add(new Effect.DeliverOffset(response.logStartOffset()));
      }
      case OFFSET_OUT_OF_RANGE -> {
        settled();
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
      settled();
      out.add(new Effect.Refused(error));
      return;
    }
    lastError = error;
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
      if (askedCloser()) {
        dropCloser(now);
      }
    }
    if (!complained && now - wantedSince >= COMPLAIN_NANOS) {
      complained = true;
      out.add(new Effect.Complain(trouble()));
    }
    lookUp(now, out);
    send(now, out);
    return out;
  }

  Trouble trouble() {
    if (!heard) {
      return new Trouble(
          ErrorCode.REQUEST_TIMED_OUT,
          "no broker answers; check the brokers' addresses, and that they run");
    }
    if (state == null) {
      return new Trouble(
          ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
          "there is no such topic or partition; create it, or check the name");
    }
    if (onlyBroker >= 0 && !state.replicas().contains(onlyBroker)) {
      return new Trouble(
          ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
          "broker %d has no replica of it; brokers %s have"
              .formatted(onlyBroker, state.replicas()));
    }
    if (onlyBroker < 0 && state.leader() == PartitionState.NO_LEADER) {
      return new Trouble(
          ErrorCode.LEADER_NOT_AVAILABLE,
          "it has no leader; one of the brokers %s has to run".formatted(candidates()));
    }
    int broker = onlyBroker >= 0 ? onlyBroker : state.leader();
    return lastError != ErrorCode.NONE
        ? new Trouble(lastError, "broker %d answers so; its log says why".formatted(broker))
        : new Trouble(
            ErrorCode.REQUEST_TIMED_OUT,
            "broker %d does not answer; check that it runs and can be reached".formatted(broker));
  }

  /** Those that hold all that was committed. */
  private List<Integer> candidates() {
    List<Integer> all = new ArrayList<>(state.isr());
    all.addAll(state.elr());
    return all;
  }

  boolean isIdle() {
    return wanted == null;
  }
}
