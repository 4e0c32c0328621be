package io.tidemark.cli;

import java.util.Arrays;
import java.util.BitSet;
import java.util.zip.CRC32C;

/** What was sent, what was acknowledged, and how long each partition kept its writer waiting. */
final class DemoLedger {
  private final long[] hashes;
  private final int partitions;
  private final BitSet acked;
  private final long[] waiting;
  private final long[] progressAt;
  private int sent;
  private int ackedCount;
  private long failed;
  private long firstSendAt;
  private long lastAckAt;
  private long longestStallNanos;
  private long longestStallAt;
  private int longestStallPartition;
  private String firstFailure;

  DemoLedger(int records, int partitions) {
    this.hashes = new long[records];
    this.acked = new BitSet(records);
    this.partitions = partitions;
    this.waiting = new long[partitions];
    this.progressAt = new long[partitions];
  }

  int partitionOf(int record) {
    return record % partitions;
  }

  /** Returns the record's number: the order of sending. */
  synchronized int sending(byte[] value, long now) {
    int record = sent++;
    hashes[record] = hash(value);
    if (record == 0) {
      firstSendAt = now;
    }
    int partition = partitionOf(record);
    if (waiting[partition]++ == 0) {
      progressAt[partition] = now;
    }
    return record;
  }

  synchronized void acknowledged(int record, long now) {
    acked.set(record);
    ackedCount++;
    lastAckAt = now;
    settled(record, now);
  }

  synchronized void failed(int record, String reason, long now) {
    failed++;
    firstFailure = firstFailure == null ? reason : firstFailure;
    settled(record, now);
  }

  private void settled(int record, long now) {
    int partition = partitionOf(record);
    waiting[partition]--;
    long stall = now - progressAt[partition];
    if (stall > longestStallNanos) {
      longestStallNanos = stall;
      longestStallAt = progressAt[partition];
      longestStallPartition = partition;
    }
    progressAt[partition] = now;
  }

  static long hash(byte[] value) {
    CRC32C crc = new CRC32C();
    crc.update(value);
    return crc.getValue() << 32 | Arrays.hashCode(value) & 0xffffffffL;
  }

  /** Whether this is what was sent as that record. */
  synchronized boolean isRecord(long record, int partition, byte[] value) {
    return record >= 0
        && record < sent
        && partitionOf((int) record) == partition
        && hashes[(int) record] == hash(value);
  }

  synchronized BitSet acknowledgedOf(int partition) {
    BitSet own = new BitSet(sent);
    for (int i = acked.nextSetBit(0); i >= 0; i = acked.nextSetBit(i + 1)) {
      if (partitionOf(i) == partition) {
        own.set(i);
      }
    }
    return own;
  }

  synchronized int acked() {
    return ackedCount;
  }

  synchronized int sent() {
    return sent;
  }

  synchronized long failures() {
    return failed;
  }

  /** Null when none. */
  synchronized String firstFailure() {
    return firstFailure;
  }

  /** The longest time in which a partition had records waiting and acknowledged none. */
  synchronized long longestStallMillis() {
    return longestStallNanos / 1_000_000;
  }

  /** Which partition that was, and when it began. */
  synchronized String longestStall() {
    return "partition %d, %,d ms after the first record"
        .formatted(longestStallPartition, (longestStallAt - firstSendAt) / 1_000_000);
  }

  synchronized long recordsPerSecond() {
    double seconds = (lastAckAt - firstSendAt) / 1e9;
    return seconds <= 0 ? 0 : Math.round(acked() / seconds);
  }
}
