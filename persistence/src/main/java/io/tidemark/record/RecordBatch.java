package io.tidemark.record;

import static io.tidemark.record.BatchLayout.ATTRIBUTES;
import static io.tidemark.record.BatchLayout.BASE_OFFSET;
import static io.tidemark.record.BatchLayout.BASE_SEQUENCE;
import static io.tidemark.record.BatchLayout.BASE_TIMESTAMP;
import static io.tidemark.record.BatchLayout.CONTROL_BIT;
import static io.tidemark.record.BatchLayout.CRC;
import static io.tidemark.record.BatchLayout.LAST_OFFSET_DELTA;
import static io.tidemark.record.BatchLayout.LEADER_EPOCH;
import static io.tidemark.record.BatchLayout.LENGTH;
import static io.tidemark.record.BatchLayout.LENGTH_PREFIX;
import static io.tidemark.record.BatchLayout.LOG_APPEND_TIME_BIT;
import static io.tidemark.record.BatchLayout.MAGIC;
import static io.tidemark.record.BatchLayout.MAGIC_V2;
import static io.tidemark.record.BatchLayout.MAX_TIMESTAMP;
import static io.tidemark.record.BatchLayout.NO_PRODUCER_ID;
import static io.tidemark.record.BatchLayout.NO_SEQUENCE;
import static io.tidemark.record.BatchLayout.PRODUCER_EPOCH;
import static io.tidemark.record.BatchLayout.PRODUCER_ID;
import static io.tidemark.record.BatchLayout.RECORDS;
import static io.tidemark.record.BatchLayout.RECORD_COUNT;
import static io.tidemark.record.BatchLayout.TRANSACTIONAL_BIT;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * A read-only view of one v2 batch in a buffer; nothing is copied.
 *
 * <p>A view only promises that the header and the declared size fit the buffer. {@link #validate}
 * is what makes a batch trustworthy.
 */
public final class RecordBatch {
  public static final int HEADER_BYTES = RECORDS;

  /** Enough for any batch that a sane limit lets in, small enough that a bomb does no harm. */
  static final int DEFAULT_MAX_DECOMPRESSED_BYTES = 64 * 1024 * 1024;

  /** Exactly this batch, big-endian, position 0; only ever read with absolute indices. */
  private final ByteBuffer bytes;

  private RecordBatch(ByteBuffer bytes) {
    this.bytes = bytes;
  }

  /**
   * The batch that starts at an absolute position of a buffer, whose own position is left alone.
   *
   * @throws CorruptRecordException if no whole v2 batch can be there
   */
  public static RecordBatch at(ByteBuffer buffer, int position) {
    long remaining = (long) buffer.limit() - position;
    if (position < 0 || remaining < HEADER_BYTES) {
      throw new CorruptRecordException(
          "position %d: %d bytes left, a batch header needs %d"
              .formatted(position, remaining, HEADER_BYTES));
    }
    // A slice is big-endian, whatever the order of the buffer it comes from.
    ByteBuffer rest = buffer.slice(position, (int) remaining);
    long offset = rest.getLong(BASE_OFFSET);
    byte magic = rest.get(MAGIC);
    if (magic != MAGIC_V2) {
      throw new CorruptRecordException(
          "batch at offset %d: magic %d, only %d is supported".formatted(offset, magic, MAGIC_V2));
    }
    long size = (long) rest.getInt(LENGTH) + LENGTH_PREFIX;
    if (size < HEADER_BYTES || size > remaining) {
      throw new CorruptRecordException(
          "batch at offset %d: declared size %d, must be between %d and the %d bytes left"
              .formatted(offset, size, HEADER_BYTES, remaining));
    }
    return new RecordBatch(rest.slice(0, (int) size));
  }

  public long baseOffset() {
    return bytes.getLong(BASE_OFFSET);
  }

  public int sizeInBytes() {
    return bytes.capacity();
  }

  /** −1 until a leader has stamped it. */
  public int leaderEpoch() {
    return bytes.getInt(LEADER_EPOCH);
  }

  public byte magic() {
    return bytes.get(MAGIC);
  }

  public int crc() {
    return bytes.getInt(CRC);
  }

  /** How many of the last bytes of this batch its checksum covers. */
  public int coveredBytes() {
    return sizeInBytes() - ATTRIBUTES;
  }

  public short attributes() {
    return bytes.getShort(ATTRIBUTES);
  }

  public int lastOffsetDelta() {
    return bytes.getInt(LAST_OFFSET_DELTA);
  }

  public long lastOffset() {
    return baseOffset() + lastOffsetDelta();
  }

  public long nextOffset() {
    return lastOffset() + 1;
  }

  public long baseTimestamp() {
    return bytes.getLong(BASE_TIMESTAMP);
  }

  public long maxTimestamp() {
    return bytes.getLong(MAX_TIMESTAMP);
  }

  public long producerId() {
    return bytes.getLong(PRODUCER_ID);
  }

  public short producerEpoch() {
    return bytes.getShort(PRODUCER_EPOCH);
  }

  public int baseSequence() {
    return bytes.getInt(BASE_SEQUENCE);
  }

  /** Sequences wrap from 2³¹−1 to 0; −1 when the batch has none. */
  public int lastSequence() {
    int base = baseSequence();
    if (base == NO_SEQUENCE) {
      return NO_SEQUENCE;
    }
    // Dropping the sign bit is the remainder by 2³¹, for a sum that may have overflowed.
    return (base + lastOffsetDelta()) & Integer.MAX_VALUE;
  }

  public int recordCount() {
    return bytes.getInt(RECORD_COUNT);
  }

  /**
   * @throws CorruptRecordException if the codec is not one of ours
   */
  public Compression compression() {
    return Compression.of(attributes());
  }

  public boolean isControl() {
    return (attributes() & CONTROL_BIT) != 0;
  }

  public boolean isTransactional() {
    return (attributes() & TRANSACTIONAL_BIT) != 0;
  }

  public boolean hasProducerId() {
    return producerId() > NO_PRODUCER_ID;
  }

  public boolean checksumMatches() {
    return crc() == computedCrc();
  }

  /**
   * Checks the header's numbers and the checksum, not the records inside.
   *
   * @throws CorruptRecordException naming the offset and the reason
   */
  public void validate() {
    checkNumbers();
    int computed = computedCrc();
    if (crc() != computed) {
      throw corrupt("checksum is %08x, its bytes give %08x".formatted(crc(), computed));
    }
    compression();
  }

  /** Exactly this batch, read-only. */
  public ByteBuffer buffer() {
    return bytes.asReadOnlyBuffer();
  }

  /** Whether it begins in memory where the other one ends, as the batches of one event do. */
  public boolean isBehind(RecordBatch other) {
    return bytes.hasArray()
        && other.bytes.hasArray()
        && bytes.array() == other.bytes.array()
        && bytes.arrayOffset() == other.bytes.arrayOffset() + other.sizeInBytes();
  }

  /** This batch and as many bytes behind it that lie in the same array, read-only. */
  ByteBuffer bufferWith(int following) {
    return ByteBuffer.wrap(bytes.array(), bytes.arrayOffset(), sizeInBytes() + following)
        .slice()
        .asReadOnlyBuffer();
  }

  /** The records, decompressing at most 64 MiB. */
  public List<Record> records() {
    return records(DEFAULT_MAX_DECOMPRESSED_BYTES);
  }

  /**
   * The records of this batch. A batch that was not validated is read as safely, but what it holds
   * may be wrong.
   *
   * @param maxDecompressedBytes bounds the memory that a compressed batch can take
   * @throws CorruptRecordException if they cannot be read, or exceed the bound
   */
  public List<Record> records(int maxDecompressedBytes) {
    RecordReader reader = reader(maxDecompressedBytes);
    List<Record> records = new ArrayList<>(recordCount());
    while (reader.next()) {
      records.add(reader.record());
    }
    return Collections.unmodifiableList(records);
  }

  /** A reader whose record count has been checked against the bytes that are there. */
  RecordReader reader(int maxDecompressedBytes) {
    checkNumbers();
    ByteBuffer payload = bytes.slice(RECORDS, sizeInBytes() - RECORDS).asReadOnlyBuffer();
    // Cleaning a log can leave a batch without records, and without a compressed frame.
    if (payload.hasRemaining() || recordCount() > 0) {
      try {
        payload = compression().decompress(payload, maxDecompressedBytes);
      } catch (CorruptRecordException e) {
        throw corrupt(e.getMessage(), e);
      }
    }
    return new RecordReader(this, payload, (attributes() & LOG_APPEND_TIME_BIT) != 0);
  }

  CorruptRecordException corrupt(String reason) {
    return corrupt(reason, null);
  }

  private CorruptRecordException corrupt(String reason, Throwable cause) {
    return new CorruptRecordException(
        "batch at offset %d: %s".formatted(baseOffset(), reason), cause);
  }

  private void checkNumbers() {
    if (baseOffset() < 0) {
      throw corrupt("negative base offset");
    }
    checkDelta();
    if (baseOffset() > Long.MAX_VALUE - 1 - lastOffsetDelta()) {
      throw corrupt("last offset delta %d overflows".formatted(lastOffsetDelta()));
    }
    // Fewer records than offsets is fine: cleaning removes records and keeps the range.
    if (recordCount() < 0 || recordCount() > lastOffsetDelta() + 1L) {
      throw corrupt(
          "%d records for last offset delta %d".formatted(recordCount(), lastOffsetDelta()));
    }
  }

  /** The one number that stamping relies on. */
  void checkDelta() {
    if (lastOffsetDelta() < 0) {
      throw corrupt("negative last offset delta %d".formatted(lastOffsetDelta()));
    }
  }

  private int computedCrc() {
    CRC32C crc = new CRC32C();
    crc.update(bytes.slice(ATTRIBUTES, coveredBytes()));
    return (int) crc.getValue();
  }
}
