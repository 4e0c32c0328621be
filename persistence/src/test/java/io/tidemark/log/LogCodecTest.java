package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogEvent.HighWatermarkCheckpointed;
import io.tidemark.log.LogEvent.LeaderEpochStarted;
import io.tidemark.log.LogEvent.LogRestarted;
import io.tidemark.log.LogEvent.LogStartAdvanced;
import io.tidemark.log.LogEvent.LogTruncated;
import io.tidemark.log.LogEvent.QuorumVote;
import io.tidemark.log.LogEvent.SnapshotInstalled;
import io.tidemark.log.LogEvent.SnapshotTaken;
import io.tidemark.log.LogEvent.VoteRecorded;
import io.tidemark.log.LogEvent.Voter;
import io.tidemark.log.LogEvent.VotersRecorded;
import io.tidemark.log.LogFixtures.Memory;
import io.tidemark.record.Checksums;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The bytes of events and states. The ones written out here are on disks: they never change. */
class LogCodecTest {
  private static final UUID DIRECTORY = new UUID(0x0102030405060708L, 0x090a0b0c0d0e0f10L);

  static Stream<Arguments> frozen() {
    return Stream.of(
        Arguments.of(
            new BatchesAppended(LogFixtures.batch(3, 5, 1), 4),
            "01"
                + "01"
                + "0000000000000004"
                + "0000000000000005"
                + "0000003a"
                + "00000003"
                + "02"
                + "af1cc5b6"
                + "0000"
                + "00000000"
                + "0000018bcfe56800"
                + "0000018bcfe56800"
                + "ffffffffffffffff"
                + "ffff"
                + "ffffffff"
                + "00000001"
                + "100000000104723500"),
        Arguments.of(new LeaderEpochStarted(7, 12), "01" + "02" + "00000007" + "000000000000000c"),
        Arguments.of(new LogTruncated(12), "01" + "03" + "000000000000000c"),
        Arguments.of(new LogRestarted(12), "01" + "04" + "000000000000000c"),
        Arguments.of(new HighWatermarkCheckpointed(12), "01" + "05" + "000000000000000c"),
        Arguments.of(new LogStartAdvanced(12), "01" + "06" + "000000000000000c"),
        Arguments.of(
            new VoteRecorded(new QuorumVote(9, 1, 2, DIRECTORY)),
            "01"
                + "07"
                + "00000009"
                + "00000001"
                + "00000002"
                + "01"
                + "0102030405060708090a0b0c0d0e0f10"),
        Arguments.of(
            new VoteRecorded(new QuorumVote(9, -1, -1, null)),
            "01" + "07" + "00000009" + "ffffffff" + "ffffffff" + "00"),
        Arguments.of(
            new VotersRecorded(List.of(new Voter(1, DIRECTORY, "a:1"))),
            "01"
                + "08"
                + "00000001"
                + "00000001"
                + "0102030405060708090a0b0c0d0e0f10"
                + "00000003"
                + "613a31"),
        Arguments.of(
            new SnapshotTaken(snapshot(), 8), "01" + "09" + "0000000000000008" + SNAPSHOT_BYTES),
        Arguments.of(new SnapshotInstalled(snapshot()), "01" + "0a" + SNAPSHOT_BYTES));
  }

  private static final String SNAPSHOT_BYTES =
      "000000000000000c"
          + "00000007"
          + "00000001"
          + "00000001"
          + "0102030405060708090a0b0c0d0e0f10"
          + "00000003"
          + "613a31"
          + "00000002"
          + "2a2b";

  private static LogSnapshot snapshot() {
    return new LogSnapshot(
        12, 7, List.of(new Voter(1, DIRECTORY, "a:1")), ByteBuffer.wrap(new byte[] {0x2a, 0x2b}));
  }

  private static ByteBuffer encoded(LogEvent event) {
    ByteBuffer out = ByteBuffer.allocate(LogEventCodec.sizeOf(event));
    LogEventCodec.encode(event, out);
    return out.flip();
  }

  private static String hex(ByteBuffer bytes) {
    byte[] all = new byte[bytes.remaining()];
    bytes.duplicate().get(all);
    return HexFormat.of().formatHex(all);
  }

  @ParameterizedTest
  @MethodSource("frozen")
  void events_have_these_bytes_for_ever(LogEvent event, String bytes) {
    assertEquals(bytes, hex(encoded(event)));
    assertEquals(event, LogEventCodec.decode(ByteBuffer.wrap(HexFormat.of().parseHex(bytes))));
  }

  @Test
  void a_newer_version_is_named_and_not_guessed_at() {
    ByteBuffer newer = ByteBuffer.wrap(new byte[] {2, 3, 0, 0});

    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> LogEventCodec.decode(newer));

    assertTrue(refused.getMessage().contains("version 2"), refused.getMessage());
  }

  @ParameterizedTest
  @MethodSource("frozen")
  void an_event_that_ends_too_early_is_refused(LogEvent event, String bytes) {
    if (event instanceof BatchesAppended) {
      return;
    }
    ByteBuffer all = encoded(event);

    for (int length = 0; length < all.limit(); length++) {
      ByteBuffer part = all.slice(0, length);
      assertThrows(IllegalArgumentException.class, () -> LogEventCodec.decode(part));
    }
  }

  private static Memory written() {
    Memory log = new Memory();
    log.add(new VotersRecorded(List.of(new Voter(1, DIRECTORY, "host:1"))));
    log.add(new LeaderEpochStarted(1, 0));
    log.add(new BatchesAppended(LogFixtures.batch(1, 0, 3, 77, 0), 0));
    log.add(new BatchesAppended(LogFixtures.batch(1, 3, 2, 77, 3), 3));
    log.add(new LogTruncated(3));
    log.add(new BatchesAppended(LogFixtures.batch(2, 3, 4), 3));
    log.add(new VoteRecorded(new QuorumVote(9, 1, 2, DIRECTORY)));
    return log;
  }

  @Test
  void a_state_comes_back_from_its_bytes() {
    LogState state = written().state();
    ByteBuffer bytes = ByteBuffer.allocate(LogStateCodec.sizeOf(state));

    LogStateCodec.encode(state, bytes);

    assertEquals(0, bytes.remaining());
    assertEquals(state, LogStateCodec.decode(bytes.flip()));
  }

  @Test
  void a_state_has_these_bytes_for_ever() {
    LogState state = written().state();
    ByteBuffer bytes = ByteBuffer.allocate(LogStateCodec.sizeOf(state));

    LogStateCodec.encode(state, bytes);

    assertEquals(
        "03"
            + "0000000000000007"
            + "0000000000000000"
            + "0000000000000007"
            + "0000000000000003"
            + "0000000000000108"
            + "00000002"
            + "00000001"
            + "0000000000000000"
            + "00000002"
            + "0000000000000003"
            + "00000001"
            + "000000000000004d"
            + "00000001"
            + "0000"
            + "00000000"
            + "00000002"
            + "0000000000000000"
            + "0000000000000002"
            + "00000009"
            + "00000001"
            + "00000002"
            + "01"
            + "0102030405060708090a0b0c0d0e0f10"
            + "00000001"
            + "ffffffffffffffff"
            + "00000001"
            + "00000001"
            + "0102030405060708090a0b0c0d0e0f10"
            + "00000006"
            + "686f73743a31"
            + "0000000000000000"
            + "ffffffff"
            + "00000000"
            + "00000000"
            + "ffffffff"
            + "00000002"
            + "0000000000000000"
            + "0000000000000003"
            + "0000000000000000"
            + "0000018bcfe56800"
            + "0000000000000003"
            + "0000000000000006"
            + "00000000000000a7"
            + "8000000000000000"
            + "00000001"
            + "0000000000000003"
            + "0000000000000005"
            + "0000000000000108"
            + "0000018bcfe56800",
        hex(bytes.flip()));
  }

  private static ByteBuffer together(ByteBuffer... batches) {
    ByteBuffer all = ByteBuffer.allocate(1 << 20);
    Stream.of(batches).forEach(all::put);
    return all.flip();
  }

  static Stream<ByteBuffer> mixtures() {
    ByteBuffer small = LogFixtures.batch(1, 0, 3);
    ByteBuffer large = LogFixtures.largeBatch(1, 3, 40_000);
    ByteBuffer larger = LogFixtures.largeBatch(1, 4, 300_001);
    return Stream.of(
        small,
        large,
        together(small.duplicate(), large.duplicate(), larger.duplicate(), small.duplicate()),
        together(large.duplicate(), small.duplicate(), small.duplicate()));
  }

  @ParameterizedTest
  @MethodSource("mixtures")
  void the_sum_of_an_event_is_that_of_its_bytes(ByteBuffer batches) {
    BatchesAppended event = new BatchesAppended(batches, 0);
    ByteBuffer bytes = ByteBuffer.allocate(LogEventCodec.sizeOf(event) + 7).position(7);
    LogEventCodec.encode(event, bytes);

    int sum = new LogSerializer(null).checksum(event, bytes, 7, bytes.position());

    assertEquals(Checksums.of(bytes, 7, bytes.position()), sum);
  }

  @Test
  void what_has_changed_since_a_batch_was_checked_does_not_get_a_sum_of_its_own() {
    BatchesAppended event = new BatchesAppended(LogFixtures.largeBatch(1, 0, 40_000), 0);
    ByteBuffer bytes = ByteBuffer.allocate(LogEventCodec.sizeOf(event));
    LogEventCodec.encode(event, bytes);
    int checked = Checksums.of(bytes, 0, bytes.position());
    bytes.put(20_000, (byte) ~bytes.get(20_000));

    assertEquals(checked, new LogSerializer(null).checksum(event, bytes, 0, bytes.position()));
  }
}
