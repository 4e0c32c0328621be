package io.tidemark.record;

import static io.tidemark.record.BatchLayout.MIN_RECORD_BYTES;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Walks the records of a batch. {@link #next} checks a whole record and only notes where its parts
 * lie, so checking a batch allocates nothing; {@link #record} makes the object.
 */
final class RecordReader {
  private static final int ABSENT = -1;

  private final RecordBatch batch;
  private final ByteBuffer payload;
  private final int end;
  private final long baseOffset;
  private final long baseTimestamp;
  private final boolean logAppendTime;
  private final int lastOffsetDelta;
  private final int count;

  private int position;
  private int read;

  /** Strictly increasing within the batch; −1 before the first record. */
  private int offsetDelta = -1;

  private long timestampDelta;
  private int keyAt;
  private int keyLength;
  private int valueAt;
  private int valueLength;
  private int headersAt;
  private int headerCount;

  RecordReader(RecordBatch batch, ByteBuffer payload, boolean logAppendTime) {
    this.batch = batch;
    this.payload = payload;
    this.end = payload.limit();
    this.baseOffset = batch.baseOffset();
    this.baseTimestamp = logAppendTime ? batch.maxTimestamp() : batch.baseTimestamp();
    this.logAppendTime = logAppendTime;
    this.lastOffsetDelta = batch.lastOffsetDelta();
    this.count = batch.recordCount();
    if (count > end / MIN_RECORD_BYTES) {
      throw batch.corrupt("%d records cannot fit into %d bytes".formatted(count, end));
    }
  }

  /** Moves to the next record; false after the last one, once nothing is left behind it. */
  boolean next() {
    if (read == count) {
      if (position != end) {
        throw batch.corrupt("%d bytes behind its last record".formatted(end - position));
      }
      return false;
    }
    int length = readVarint(end);
    if (length < 0 || length > end - position) {
      throw corrupt("length %d, %d bytes left".formatted(length, end - position));
    }
    int recordEnd = position + length;
    readByte(recordEnd); // attributes, of which none is defined
    timestampDelta = readVarlong(recordEnd);
    int delta = readVarint(recordEnd);
    if (delta <= offsetDelta || delta > lastOffsetDelta) {
      throw corrupt(
          "offset delta %d, must be above %d and at most %d"
              .formatted(delta, offsetDelta, lastOffsetDelta));
    }
    offsetDelta = delta;
    keyLength = readLength(recordEnd, "key", ABSENT);
    keyAt = skip(keyLength);
    valueLength = readLength(recordEnd, "value", ABSENT);
    valueAt = skip(valueLength);
    checkHeaders(recordEnd);
    if (position != recordEnd) {
      throw corrupt("%d bytes behind its headers".formatted(recordEnd - position));
    }
    read++;
    return true;
  }

  /** Of the current record, counted from the batch's base offset. */
  int offsetDelta() {
    return offsetDelta;
  }

  Record record() {
    long timestamp = logAppendTime ? baseTimestamp : baseTimestamp + timestampDelta;
    return new Record(
        baseOffset + offsetDelta,
        timestamp,
        view(keyAt, keyLength),
        view(valueAt, valueLength),
        headerCount == 0 ? List.of() : headers());
  }

  private void checkHeaders(int recordEnd) {
    headerCount = readVarint(recordEnd);
    // A header takes two bytes at least.
    if (headerCount < 0 || headerCount > (recordEnd - position) / 2) {
      throw corrupt("%d headers in %d bytes".formatted(headerCount, recordEnd - position));
    }
    headersAt = position;
    for (int i = 0; i < headerCount; i++) {
      skip(readLength(recordEnd, "header key", 0));
      skip(readLength(recordEnd, "header value", ABSENT));
    }
  }

  /** Reads again what {@link #checkHeaders} has found in order, up to the same position. */
  private List<Header> headers() {
    List<Header> headers = new ArrayList<>(headerCount);
    int after = position;
    position = headersAt;
    for (int i = 0; i < headerCount; i++) {
      byte[] key = new byte[readVarint(after)];
      payload.get(skip(key.length), key);
      int length = readVarint(after);
      ByteBuffer value = view(position, length);
      skip(length);
      headers.add(new Header(new String(key, StandardCharsets.UTF_8), value));
    }
    return Collections.unmodifiableList(headers);
  }

  private ByteBuffer view(int at, int length) {
    return length == ABSENT ? null : payload.slice(at, length);
  }

  private int readLength(int limit, String what, int least) {
    int length = readVarint(limit);
    if (length < least || length > limit - position) {
      throw corrupt("%s length %d, %d bytes left".formatted(what, length, limit - position));
    }
    return length;
  }

  private int skip(int length) {
    int at = position;
    position += Math.max(length, 0);
    return at;
  }

  private byte readByte(int limit) {
    if (position >= limit) {
      throw corrupt("ends inside a field");
    }
    return payload.get(position++);
  }

  private int readVarint(int limit) {
    int raw = 0;
    for (int shift = 0; shift < Varint.MAX_INT_BYTES * 7; shift += 7) {
      byte b = readByte(limit);
      raw |= (b & 0x7f) << shift;
      if (b >= 0) {
        return Varint.unzigzag(raw);
      }
    }
    throw corrupt("a varint of more than %d bytes".formatted(Varint.MAX_INT_BYTES));
  }

  private long readVarlong(int limit) {
    long raw = 0;
    for (int shift = 0; shift < Varint.MAX_LONG_BYTES * 7; shift += 7) {
      byte b = readByte(limit);
      raw |= (b & 0x7fL) << shift;
      if (b >= 0) {
        return Varint.unzigzag(raw);
      }
    }
    throw corrupt("a varlong of more than %d bytes".formatted(Varint.MAX_LONG_BYTES));
  }

  private CorruptRecordException corrupt(String reason) {
    return batch.corrupt("record %d: %s".formatted(read, reason));
  }
}
