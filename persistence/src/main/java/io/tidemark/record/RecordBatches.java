package io.tidemark.record;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Whole batches one after another, as they travel and as they are stored. */
public final class RecordBatches {
  private RecordBatches() {}

  /**
   * The batches between a buffer's position and its limit, which are left alone.
   *
   * @throws CorruptRecordException if anything there is not a whole batch
   */
  public static List<RecordBatch> list(ByteBuffer buffer) {
    List<RecordBatch> batches = new ArrayList<>();
    int position = buffer.position();
    while (position < buffer.limit()) {
      RecordBatch batch = RecordBatch.at(buffer, position);
      batches.add(batch);
      position += batch.sizeInBytes();
    }
    return batches;
  }

  /**
   * One buffer of all batches; not a copy when each {@link RecordBatch#isBehind} the one before.
   */
  public static ByteBuffer join(List<RecordBatch> batches) {
    if (batches.size() == 1) {
      return batches.get(0).buffer();
    }
    int bytes = 0;
    boolean adjoin = true;
    for (int i = 0; i < batches.size(); i++) {
      bytes += batches.get(i).sizeInBytes();
      adjoin &= i == 0 || batches.get(i).isBehind(batches.get(i - 1));
    }
    if (adjoin && bytes > 0) {
      return batches.get(0).bufferWith(bytes - batches.get(0).sizeInBytes());
    }
    ByteBuffer all = ByteBuffer.allocate(bytes);
    batches.forEach(batch -> all.put(batch.buffer()));
    return all.flip();
  }

  /**
   * What a leader checks before it appends a producer's input.
   *
   * @param maxRecordBatchBytes the largest batch that the topic takes
   * @throws RecordTooLargeException if a batch is larger
   * @throws CorruptRecordException if a batch is not what a producer may send
   */
  public static void validateProduced(ByteBuffer batches, int maxRecordBatchBytes) {
    List<RecordBatch> produced = list(batches);
    if (produced.isEmpty()) {
      throw new CorruptRecordException("no batch was sent");
    }
    for (RecordBatch batch : produced) {
      if (batch.sizeInBytes() > maxRecordBatchBytes) {
        throw new RecordTooLargeException(
            "a batch of %d bytes exceeds the limit of %d"
                .formatted(batch.sizeInBytes(), maxRecordBatchBytes));
      }
      batch.validate();
      checkProducedHeader(batch);
      checkProducedRecords(batch);
    }
  }

  /**
   * A copy with consecutive offsets and the leader's epoch. Neither is under the checksum, so a
   * leader stamps without computing it again.
   */
  public static ByteBuffer stamp(ByteBuffer batches, long baseOffset, int leaderEpoch) {
    ByteBuffer stamped = ByteBuffer.allocate(batches.remaining());
    stamp(batches, baseOffset, leaderEpoch, stamped);
    return stamped.flip();
  }

  /** The same, put into a heap buffer that has room for it. */
  public static void stamp(
      ByteBuffer batches, long baseOffset, int leaderEpoch, ByteBuffer stamped) {
    int position = stamped.position();
    stamped.put(batches.duplicate());
    long nextOffset = baseOffset;
    for (RecordBatch batch : list(stamped.duplicate().flip().position(position))) {
      batch.checkDelta();
      stamped.putLong(position + BatchLayout.BASE_OFFSET, nextOffset);
      stamped.putInt(position + BatchLayout.LEADER_EPOCH, leaderEpoch);
      nextOffset = Math.addExact(nextOffset, batch.lastOffsetDelta() + 1L);
      position += batch.sizeInBytes();
    }
  }

  private static void checkProducedHeader(RecordBatch batch) {
    if (batch.baseOffset() != 0) {
      throw batch.corrupt("a producer's base offset must be 0");
    }
    if (batch.recordCount() != batch.lastOffsetDelta() + 1L) {
      throw batch.corrupt(
          "%d records, but last offset delta %d"
              .formatted(batch.recordCount(), batch.lastOffsetDelta()));
    }
    if (batch.isControl()) {
      throw batch.corrupt("a producer must not write control records");
    }
    if (batch.hasProducerId() && (batch.producerEpoch() < 0 || batch.baseSequence() < 0)) {
      throw batch.corrupt(
          "producer %d with epoch %d and sequence %d"
              .formatted(batch.producerId(), batch.producerEpoch(), batch.baseSequence()));
    }
  }

  private static void checkProducedRecords(RecordBatch batch) {
    RecordReader reader = batch.reader(RecordBatch.DEFAULT_MAX_DECOMPRESSED_BYTES);
    for (int expected = 0; reader.next(); expected++) {
      if (reader.offsetDelta() != expected) {
        throw batch.corrupt(
            "record %d has offset delta %d".formatted(expected, reader.offsetDelta()));
      }
    }
  }
}
