package io.tidemark.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import akka.actor.ExtendedActorSystem;
import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.javadsl.Adapter;
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
import io.tidemark.protocol.ListOffsetsResponse;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.ProduceRequest;
import io.tidemark.protocol.ProduceResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class WireSerializerTest {
  private static final PartitionId ID = new PartitionId(new UUID(7, 8), 3);
  private static final CurrentLeader LEADER = new CurrentLeader(2, 9);
  private static ActorTestKit kit;
  private static WireSerializer serializer;

  @BeforeAll
  static void start() {
    kit = ActorTestKit.create();
    serializer = new WireSerializer((ExtendedActorSystem) Adapter.toClassic(kit.system()));
  }

  @AfterAll
  static void stop() {
    kit.shutdownTestKit();
  }

  static Stream<ReplicaMessage.Data> messages() {
    TestProbe<ReplicaMessage.Data> probe = kit.createTestProbe();
    ByteBuffer bytes = ByteBuffer.wrap(new byte[] {1, 2, 3});
    FetchRequest follower =
        new FetchRequest(1, 2, new UUID(3, 4), 5, 6, ID, 7, 8, 9, 10, 11, 12, 13, "rack-\u20ac");
    FetchResponse response =
        new FetchResponse(
            ErrorCode.NONE,
            1,
            2,
            3,
            new Diverging(4, 5),
            LEADER,
            List.of(new AbortedTransaction(6, 7)),
            8,
            bytes);
    FetchSnapshotRequest snapshot =
        new FetchSnapshotRequest(1, new UUID(3, 4), 5, FetchSnapshotRequest.LATEST, -1, 8, 9);
    FetchSnapshotResponse piece =
        new FetchSnapshotResponse(
            ErrorCode.NONE,
            LEADER,
            10,
            11,
            List.of(new Voter(1, new UUID(5, 6), "host-\u20ac:1")),
            12,
            13,
            bytes);
    return Stream.of(
        new ReplicaMessage.FetchSnapshot(20, snapshot, probe.ref().narrow()),
        new ReplicaMessage.FetchSnapshotReply(21, piece),
        new ReplicaMessage.Fetch(1, follower, probe.ref().narrow()),
        new ReplicaMessage.Fetch(2, FetchRequest.reader(ID, 1, 2, 3, 4), probe.ref().narrow()),
        new ReplicaMessage.FetchReply(3, response),
        new ReplicaMessage.FetchReply(4, FetchResponse.failed(ErrorCode.STORAGE_ERROR, 1, 2)),
        new ReplicaMessage.Produce(
            5, new ProduceRequest(ID, ProduceRequest.Acks.ALL, bytes), probe.ref().narrow()),
        new ReplicaMessage.ProduceReply(
            6, new ProduceResponse(ErrorCode.CORRUPT_RECORD, -1, -1, LEADER, "why, and \u20ac")),
        new ReplicaMessage.EpochEnd(7, new EpochEndRequest(ID, 1, 2), probe.ref().narrow()),
        new ReplicaMessage.EpochEndReply(8, new EpochEndResponse(ErrorCode.NONE, 1, 2, 3, 4)),
        new ReplicaMessage.ListOffsets(
            9,
            new ListOffsetsRequest(ID, 1, ListOffsetsRequest.Position.AT_TIME, 77),
            probe.ref().narrow()),
        new ReplicaMessage.ListOffsetsReply(
            10, new ListOffsetsResponse(ErrorCode.NONE, 11, 12, LEADER)));
  }

  @ParameterizedTest
  @MethodSource("messages")
  void a_message_comes_back_as_it_was(ReplicaMessage.Data message) {
    byte[] bytes = serializer.toBinary(message);

    assertEquals(message, serializer.fromBinary(bytes, serializer.manifest(message)));
  }

  @ParameterizedTest
  @MethodSource("messages")
  void a_lent_buffer_of_another_byte_order_holds_the_same_bytes(ReplicaMessage.Data message) {
    ByteBuffer lent = ByteBuffer.allocate(4_096).order(ByteOrder.LITTLE_ENDIAN);

    serializer.toBinary(message, lent);
    lent.flip();

    assertEquals(ByteOrder.LITTLE_ENDIAN, lent.order());
    assertEquals(ByteBuffer.wrap(serializer.toBinary(message)), lent.duplicate());
    assertEquals(message, serializer.fromBinary(lent, serializer.manifest(message)));
  }

  @ParameterizedTest
  @MethodSource("messages")
  void a_message_that_was_cut_short_is_refused(ReplicaMessage.Data message) {
    byte[] bytes = serializer.toBinary(message);

    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(bytes, length);
      assertThrows(
          RuntimeException.class, () -> serializer.fromBinary(cut, serializer.manifest(message)));
    }
  }

  @Test
  void a_newer_version_is_named() {
    ReplicaMessage.Data message =
        new ReplicaMessage.EpochEndReply(1, EpochEndResponse.failed(ErrorCode.NONE));
    byte[] bytes = serializer.toBinary(message);
    bytes[0] = 9;

    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> serializer.fromBinary(bytes, serializer.manifest(message)));

    assertEquals("message of version 9, this program reads 1", refused.getMessage());
  }
}
