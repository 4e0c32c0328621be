package io.tidemark.wire;

import io.tidemark.log.LogEvent.Voter;
import io.tidemark.protocol.EpochEndRequest;
import io.tidemark.protocol.EpochEndResponse;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.FetchResponse.AbortedTransaction;
import io.tidemark.protocol.FetchResponse.CurrentLeader;
import io.tidemark.protocol.FetchResponse.Diverging;
import io.tidemark.protocol.FetchSnapshotRequest;
import io.tidemark.protocol.FetchSnapshotResponse;
import io.tidemark.protocol.ListOffsetsRequest;
import io.tidemark.protocol.ListOffsetsRequest.Position;
import io.tidemark.protocol.ListOffsetsResponse;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.ProduceRequest;
import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.protocol.ProduceResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The bytes of the data path's requests and answers: fields in order, big-endian. Those that carry
 * records end in them; what is written here ends with their length, and the records follow as they
 * are.
 */
final class WireFormat {
  /** More than any request or answer takes without its records and text. */
  static final int FIXED_BYTES = 160;

  /** By their codes; {@code values()} would copy them for each message. */
  private static final ErrorCode[] ERRORS = ErrorCode.values();

  private WireFormat() {}

  static void put(ByteBuffer out, FetchRequest r) {
    out.putInt(r.replicaId()).putLong(r.brokerEpoch());
    out.put((byte) (r.directoryId() == null ? 0 : 1));
    if (r.directoryId() != null) {
      put(out, r.directoryId());
    }
    out.putInt(r.maxWaitMs()).putInt(r.minBytes());
    put(out, r.partition());
    out.putInt(r.leaderEpoch()).putLong(r.fetchOffset()).putLong(r.ackOffset());
    out.putInt(r.lastFetchedEpoch()).putLong(r.logStartOffset()).putInt(r.maxBytes());
    out.putLong(r.highWatermark());
    put(out, r.rack());
  }

  static FetchRequest fetchRequest(ByteBuffer in) {
    int replicaId = in.getInt();
    long brokerEpoch = in.getLong();
    UUID directoryId = in.get() == 0 ? null : uuid(in);
    return new FetchRequest(
        replicaId,
        brokerEpoch,
        directoryId,
        in.getInt(),
        in.getInt(),
        partition(in),
        in.getInt(),
        in.getLong(),
        in.getLong(),
        in.getInt(),
        in.getLong(),
        in.getInt(),
        in.getLong(),
        text(in));
  }

  static void put(ByteBuffer out, FetchResponse r) {
    put(out, r.error());
    out.putLong(r.highWatermark()).putLong(r.lastStableOffset()).putLong(r.logStartOffset());
    out.put((byte) (r.diverging() == null ? 0 : 1));
    if (r.diverging() != null) {
      out.putInt(r.diverging().epoch()).putLong(r.diverging().endOffset());
    }
    put(out, r.currentLeader());
    out.putInt(r.abortedTransactions().size());
    r.abortedTransactions().forEach(t -> out.putLong(t.producerId()).putLong(t.firstOffset()));
    out.putInt(r.preferredReadReplica());
    out.putInt(r.records().remaining());
  }

  static FetchResponse fetchResponse(ByteBuffer in) {
    return new FetchResponse(
        error(in),
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.get() == 0 ? null : new Diverging(in.getInt(), in.getLong()),
        leader(in),
        aborted(in),
        in.getInt(),
        bytes(in));
  }

  private static List<AbortedTransaction> aborted(ByteBuffer in) {
    List<AbortedTransaction> all = new ArrayList<>();
    for (int left = in.getInt(); left > 0; left--) {
      all.add(new AbortedTransaction(in.getLong(), in.getLong()));
    }
    return all;
  }

  static void put(ByteBuffer out, ProduceRequest r) {
    put(out, r.partition());
    out.put((byte) r.acks().ordinal());
    out.putInt(r.batches().remaining());
  }

  static ProduceRequest produceRequest(ByteBuffer in) {
    return new ProduceRequest(partition(in), Acks.values()[in.get()], bytes(in));
  }

  static void put(ByteBuffer out, ProduceResponse r) {
    put(out, r.error());
    out.putLong(r.baseOffset()).putLong(r.logStartOffset());
    put(out, r.currentLeader());
    put(out, r.message());
  }

  static ProduceResponse produceResponse(ByteBuffer in) {
    return new ProduceResponse(error(in), in.getLong(), in.getLong(), leader(in), text(in));
  }

  static void put(ByteBuffer out, EpochEndRequest r) {
    put(out, r.partition());
    out.putInt(r.leaderEpoch()).putInt(r.epoch());
  }

  static EpochEndRequest epochEndRequest(ByteBuffer in) {
    return new EpochEndRequest(partition(in), in.getInt(), in.getInt());
  }

  static void put(ByteBuffer out, EpochEndResponse r) {
    put(out, r.error());
    out.putInt(r.epoch()).putLong(r.endOffset());
    out.putLong(r.logStartOffset()).putLong(r.logEndOffset());
  }

  static EpochEndResponse epochEndResponse(ByteBuffer in) {
    return new EpochEndResponse(error(in), in.getInt(), in.getLong(), in.getLong(), in.getLong());
  }

  static void put(ByteBuffer out, FetchSnapshotRequest r) {
    out.putInt(r.replicaId());
    put(out, r.directoryId());
    out.putInt(r.leaderEpoch()).putLong(r.snapshotEnd()).putInt(r.snapshotEpoch());
    out.putLong(r.position()).putInt(r.maxBytes());
  }

  static FetchSnapshotRequest fetchSnapshotRequest(ByteBuffer in) {
    return new FetchSnapshotRequest(
        in.getInt(), uuid(in), in.getInt(), in.getLong(), in.getInt(), in.getLong(), in.getInt());
  }

  static void put(ByteBuffer out, FetchSnapshotResponse r) {
    put(out, r.error());
    put(out, r.currentLeader());
    out.putLong(r.snapshotEnd()).putInt(r.snapshotEpoch());
    out.putInt(r.voters().size());
    for (Voter voter : r.voters()) {
      put(out.putInt(voter.id()), voter.directoryId());
      put(out, voter.address());
    }
    out.putLong(r.size()).putLong(r.position());
    out.putInt(r.bytes().remaining());
  }

  static FetchSnapshotResponse fetchSnapshotResponse(ByteBuffer in) {
    ErrorCode error = error(in);
    CurrentLeader leader = leader(in);
    long end = in.getLong();
    int epoch = in.getInt();
    List<Voter> voters = new ArrayList<>();
    for (int left = in.getInt(); left > 0; left--) {
      voters.add(new Voter(in.getInt(), uuid(in), text(in)));
    }
    return new FetchSnapshotResponse(
        error, leader, end, epoch, voters, in.getLong(), in.getLong(), bytes(in));
  }

  static void put(ByteBuffer out, ListOffsetsRequest r) {
    put(out, r.partition());
    out.putInt(r.leaderEpoch()).put((byte) r.position().ordinal()).putLong(r.timestamp());
  }

  static ListOffsetsRequest listOffsetsRequest(ByteBuffer in) {
    return new ListOffsetsRequest(
        partition(in), in.getInt(), Position.values()[in.get()], in.getLong());
  }

  static void put(ByteBuffer out, ListOffsetsResponse r) {
    put(out, r.error());
    out.putLong(r.offset()).putLong(r.timestamp());
    put(out, r.currentLeader());
  }

  static ListOffsetsResponse listOffsetsResponse(ByteBuffer in) {
    return new ListOffsetsResponse(error(in), in.getLong(), in.getLong(), leader(in));
  }

  static void put(ByteBuffer out, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.putInt(bytes.length).put(bytes);
  }

  static String text(ByteBuffer in) {
    byte[] bytes = new byte[length(in)];
    in.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** Shares the message's bytes, which are this message's own. */
  private static ByteBuffer bytes(ByteBuffer in) {
    int length = length(in);
    ByteBuffer slice = in.slice(in.position(), length);
    in.position(in.position() + length);
    return slice;
  }

  private static int length(ByteBuffer in) {
    int length = in.getInt();
    if (length < 0 || length > in.remaining()) {
      throw new IllegalArgumentException(
          "a field of " + length + " bytes in a message with " + in.remaining() + " left");
    }
    return length;
  }

  private static void put(ByteBuffer out, PartitionId id) {
    put(out, id.topicId());
    out.putInt(id.partition());
  }

  private static PartitionId partition(ByteBuffer in) {
    return new PartitionId(uuid(in), in.getInt());
  }

  private static void put(ByteBuffer out, UUID id) {
    out.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
  }

  private static UUID uuid(ByteBuffer in) {
    return new UUID(in.getLong(), in.getLong());
  }

  private static void put(ByteBuffer out, CurrentLeader leader) {
    out.putInt(leader.leaderId()).putInt(leader.leaderEpoch());
  }

  private static CurrentLeader leader(ByteBuffer in) {
    return new CurrentLeader(in.getInt(), in.getInt());
  }

  private static void put(ByteBuffer out, ErrorCode error) {
    out.putShort((short) error.ordinal());
  }

  private static ErrorCode error(ByteBuffer in) {
    short code = in.getShort();
    if (code < 0 || code >= ERRORS.length) {
      throw new IllegalArgumentException("unknown error code " + code);
    }
    return ERRORS[code];
  }
}
