package io.tidemark.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.group.GroupRecord.CoordinatorStarted;
import io.tidemark.group.GroupRecord.GroupChanged;
import io.tidemark.group.GroupRecord.Member;
import io.tidemark.group.GroupRecord.OffsetsCommitted;
import io.tidemark.protocol.CommittedOffset;
import io.tidemark.protocol.PartitionId;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class GroupRecordCodecTest {
  private static final PartitionId PARTITION = new PartitionId(new UUID(1, 2), 3);
  private static final List<GroupRecord> RECORDS =
      List.of(
          new CoordinatorStarted(7),
          new GroupChanged(
              7,
              "billing",
              4,
              List.of(new Member("m1", 9, List.of("orders"), 10_000, List.of(PARTITION)))),
          new OffsetsCommitted(7, "billing", List.of(new CommittedOffset(PARTITION, 42, 5))),
          new GroupRecord.GroupIdle(7, "billing", 1_700_000_000_000L),
          new GroupRecord.GroupExpired(7, "billing"));

  @Test
  void a_record_comes_back_as_it_was_and_is_no_larger_than_estimated() {
    for (GroupRecord record : RECORDS) {
      byte[] bytes = GroupRecordCodec.encode(record);
      assertEquals(record, GroupRecordCodec.decode(bytes));
      assertTrue(bytes.length <= record.estimatedBytes(), () -> record + ": " + bytes.length);
    }
  }

  @Test
  void the_bytes_of_version_1_stay_readable() {
    List<String> frozen =
        List.of(
            "01bf646b696e6473636f6f7264696e61746f722d737461727465646565706f636807ff",
            "01bf646b696e646d67726f75702d6368616e6765646565706f6368076767726f757049646762"
                + "696c6c696e676a67656e65726174696f6e04676d656d6265727381bf626964626d31666a6f69"
                + "6e65640966746f7069637381666f72646572737073657373696f6e54696d656f75744d731927"
                + "106468656c64819f500000000000000001000000000000000203ffffff",
            "01bf646b696e64716f6666736574732d636f6d6d69747465646565706f6368076767726f7570"
                + "49646762696c6c696e67676f666673657473819f9f5000000000000000010000000000000002"
                + "03ff182a05ffff",
            "01bf646b696e646a67726f75702d69646c656565706f6368076767726f757049646762696c6c"
                + "696e676773696e63654d731b0000018bcfe56800ff",
            "01bf646b696e646d67726f75702d657870697265646565706f6368076767726f757049646762"
                + "696c6c696e67ff");

    assertEquals(
        RECORDS,
        frozen.stream()
            .map(each -> GroupRecordCodec.decode(HexFormat.of().parseHex(each)))
            .toList());
  }

  @Test
  void what_is_no_record_is_refused_with_a_reason() {
    assertTrue(message(new byte[0]).contains("empty"));
    assertTrue(message(new byte[] {9, 1}).contains("version 9"));
    assertTrue(message(new byte[] {1, 1}).contains("not a group record"));
  }

  private static String message(byte[] bytes) {
    return assertThrows(IllegalArgumentException.class, () -> GroupRecordCodec.decode(bytes))
        .getMessage();
  }
}
