package io.tidemark.record;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Gathers records into one batch. They are written once, uncompressed, behind room for the batch's
 * header, into an array that grows; an uncompressed batch is that array. Building leaves the
 * builder empty, ready for the next batch. Buffers that are passed in are only read.
 */
public final class RecordBatchBuilder {
  private static final int ATTRIBUTE_BYTES = 1;

  private final Compression compression;
  private final GrowingBytes records;

  /** Made on first use, and never when nothing is compressed. */
  private GrowingBytes packed;

  private int count;
  private long baseTimestamp;
  private long maxTimestamp;
  private long producerId = BatchLayout.NO_PRODUCER_ID;
  private short producerEpoch = BatchLayout.NO_PRODUCER_EPOCH;
  private int baseSequence = BatchLayout.NO_SEQUENCE;

  /**
   * @param initialBytes room to begin with, the header's included
   */
  public RecordBatchBuilder(Compression compression, int initialBytes) {
    this.compression = compression;
    this.records = new GrowingBytes(initialBytes, RecordBatch.HEADER_BYTES);
  }

  /** Makes the next batch an idempotent producer's; without it, a batch has none. */
  public RecordBatchBuilder producer(long producerId, short producerEpoch, int baseSequence) {
    this.producerId = producerId;
    this.producerEpoch = producerEpoch;
    this.baseSequence = baseSequence;
    return this;
  }

  /** What the batch takes so far before compression, with its header. */
  public int estimatedBytes() {
    return records.size();
  }

  /** What the batch would take with this record too: never less than it turns out to be. */
  public int estimatedBytesWith(ByteBuffer key, ByteBuffer value, List<Header> headers) {
    long body = bodyBytes(Varint.MAX_LONG_BYTES, key, value, headers);
    return (int) Math.min(Integer.MAX_VALUE, estimatedBytes() + Varint.sizeOf(body) + body);
  }

  public int count() {
    return count;
  }

  /**
   * @param key null when absent
   * @param value null when absent
   * @param headers none is an empty list
   * @throws RecordTooLargeException if the batch would outgrow an array; nothing is appended then
   */
  public void append(long timestamp, ByteBuffer key, ByteBuffer value, List<Header> headers) {
    long delta = count == 0 ? 0 : timestamp - baseTimestamp;
    long body = bodyBytes(Varint.sizeOf(delta), key, value, headers);
    long total = estimatedBytes() + Varint.sizeOf(body) + body;
    if (total > GrowingBytes.MAX_BYTES) {
      throw new RecordTooLargeException(
          "a batch of %d bytes exceeds what an array can hold".formatted(total));
    }
    if (count == 0) {
      baseTimestamp = timestamp;
      maxTimestamp = timestamp;
    }
    maxTimestamp = Math.max(maxTimestamp, timestamp);
    records.writeVarint((int) body);
    records.write(0);
    records.writeVarlong(delta);
    records.writeVarint(count);
    writeSized(key);
    writeSized(value);
    records.writeVarint(headers.size());
    for (int i = 0; i < headers.size(); i++) {
      Header header = headers.get(i);
      byte[] name = header.key().getBytes(StandardCharsets.UTF_8);
      records.writeVarint(name.length);
      records.write(name, 0, name.length);
      writeSized(header.value());
    }
    count++;
  }

  /**
   * The batch of everything appended since the last one.
   *
   * @param baseOffset 0 for a producer, whose leader will stamp it
   * @param leaderEpoch −1 when not known
   */
  public ByteBuffer build(long baseOffset, int leaderEpoch) {
    return build(baseOffset, leaderEpoch, 0);
  }

  /** Like {@link #build}, marked as records of the log itself that no application sees. */
  public ByteBuffer buildControl(long baseOffset, int leaderEpoch) {
    return build(baseOffset, leaderEpoch, BatchLayout.CONTROL_BIT);
  }

  private ByteBuffer build(long baseOffset, int leaderEpoch, int attributeBits) {
    if (count == 0) {
      throw new IllegalStateException("a batch needs a record");
    }
    ByteBuffer batch = pack().giveAway();
    int size = batch.limit();
    batch
        .putLong(baseOffset)
        .putInt(size - BatchLayout.LENGTH_PREFIX)
        .putInt(leaderEpoch)
        .put(BatchLayout.MAGIC_V2)
        .putInt(0)
        .putShort((short) (compression.id() | attributeBits))
        .putInt(count - 1)
        .putLong(baseTimestamp)
        .putLong(maxTimestamp)
        .putLong(producerId)
        .putShort(producerEpoch)
        .putInt(baseSequence)
        .putInt(count)
        .rewind();
    CRC32C crc = new CRC32C();
    crc.update(
        batch.array(), batch.arrayOffset() + BatchLayout.ATTRIBUTES, size - BatchLayout.ATTRIBUTES);
    batch.putInt(BatchLayout.CRC, (int) crc.getValue());
    clear();
    return batch;
  }

  private GrowingBytes pack() {
    if (compression == Compression.NONE) {
      return records;
    }
    if (packed == null) {
      packed = new GrowingBytes(records.size() / 2, RecordBatch.HEADER_BYTES);
    }
    packed.clear();
    compression.compress(records, packed);
    return packed;
  }

  /** Producer fields go too: a sequence that is used twice would look like a repeat. */
  private void clear() {
    records.clear();
    count = 0;
    producer(BatchLayout.NO_PRODUCER_ID, BatchLayout.NO_PRODUCER_EPOCH, BatchLayout.NO_SEQUENCE);
  }

  private void writeSized(ByteBuffer bytes) {
    if (bytes == null) {
      records.writeVarint(-1);
    } else {
      records.writeVarint(bytes.remaining());
      records.write(bytes);
    }
  }

  /** The record without its length field; a long, because many headers can exceed an int. */
  private long bodyBytes(int deltaBytes, ByteBuffer key, ByteBuffer value, List<Header> headers) {
    long bytes = ATTRIBUTE_BYTES + deltaBytes + Varint.sizeOf(count);
    bytes += sizedBytes(key) + sizedBytes(value) + Varint.sizeOf(headers.size());
    for (int i = 0; i < headers.size(); i++) {
      int name = Utf8.length(headers.get(i).key());
      bytes += Varint.sizeOf(name) + (long) name + sizedBytes(headers.get(i).value());
    }
    return bytes;
  }

  private static long sizedBytes(ByteBuffer bytes) {
    return bytes == null ? 1 : Varint.sizeOf(bytes.remaining()) + (long) bytes.remaining();
  }
}
