package io.tidemark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import org.junit.jupiter.api.Test;

class DemoLedgerTest {
  private static final long MILLI = 1_000_000;

  private final DemoLedger ledger = new DemoLedger(10, 2);

  @Test
  void records_are_dealt_out_over_the_partitions() {
    int first = ledger.sending(bytes(1), 0);
    int second = ledger.sending(bytes(2), 0);
    int third = ledger.sending(bytes(3), 0);

    assertEquals(0, ledger.partitionOf(first));
    assertEquals(1, ledger.partitionOf(second));
    assertEquals(0, ledger.partitionOf(third));
    assertEquals(3, ledger.sent());
  }

  @Test
  void only_what_was_sent_as_that_record_to_that_partition_is_that_record() {
    int record = ledger.sending(bytes(1), 0);

    assertTrue(ledger.isRecord(record, 0, bytes(1)));
    assertFalse(ledger.isRecord(record, 1, bytes(1)));
    assertFalse(ledger.isRecord(record, 0, bytes(2)));
    assertFalse(ledger.isRecord(-1, 1, bytes(1)));
    assertFalse(ledger.isRecord(1, 1, bytes(1)));
    assertFalse(ledger.isRecord(1L << 32, 0, bytes(1)));
  }

  @Test
  void acknowledged_records_are_known_by_partition() {
    for (int i = 0; i < 4; i++) {
      ledger.sending(bytes(i), 0);
    }
    ledger.acknowledged(0, 1);
    ledger.acknowledged(3, 1);
    ledger.failed(2, "refused", 1);

    assertEquals(bits(0), ledger.acknowledgedOf(0));
    assertEquals(bits(3), ledger.acknowledgedOf(1));
    assertEquals(2, ledger.acked());
  }

  @Test
  void the_first_failure_is_kept() {
    ledger.sending(bytes(1), 0);
    ledger.sending(bytes(2), 0);
    assertNull(ledger.firstFailure());

    ledger.failed(0, "first", 1);
    ledger.failed(1, "second", 2);

    assertEquals(2, ledger.failures());
    assertEquals("first", ledger.firstFailure());
  }

  @Test
  void the_longest_stall_is_that_of_a_partition_in_which_something_waited() {
    ledger.sending(bytes(0), 0);
    ledger.acknowledged(0, 5 * MILLI);
    ledger.sending(bytes(1), 1_000 * MILLI);
    ledger.sending(bytes(2), 1_000 * MILLI);
    ledger.acknowledged(1, 1_030 * MILLI);
    ledger.acknowledged(2, 1_010 * MILLI);

    assertEquals(30, ledger.longestStallMillis());
    assertEquals("partition 1, 1,000 ms after the first record", ledger.longestStall());
  }

  @Test
  void the_rate_counts_from_the_first_sending_to_the_last_acknowledgement() {
    assertEquals(0, ledger.recordsPerSecond());
    ledger.sending(bytes(0), 0);
    ledger.sending(bytes(1), 400 * MILLI);
    ledger.acknowledged(0, 300 * MILLI);
    ledger.acknowledged(1, 500 * MILLI);

    assertEquals(4, ledger.recordsPerSecond());
  }

  private static byte[] bytes(int value) {
    return new byte[] {(byte) value};
  }

  private static BitSet bits(int bit) {
    BitSet bits = new BitSet();
    bits.set(bit);
    return bits;
  }
}
