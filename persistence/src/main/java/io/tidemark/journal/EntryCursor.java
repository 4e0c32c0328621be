package io.tidemark.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Steps through the entries of a segment, each checked against its checksum. */
final class EntryCursor {
  private static final int CHUNK = 128 * 1024;

  private final Segment segment;
  private final long limit;

  /** File bytes from {@link #chunkAt} on. */
  private ByteBuffer chunk;

  private long chunkAt;
  private long entryAt;
  private long position;

  /** A cursor in front of the entry at the position, which reads no byte at or behind the limit. */
  EntryCursor(Segment segment, long position, long limit) {
    this.segment = segment;
    this.position = position;
    this.limit = limit;
    long bytes = Math.min(CHUNK, Math.max(0, limit - position));
    this.chunk = ByteBuffer.allocate((int) bytes).limit(0);
  }

  /** Goes to the next entry; false, and no move, when there is no valid one. */
  boolean advance() throws IOException {
    long available = limit - position;
    if (available < EntryFormat.FIXED || !load(EntryFormat.FIXED)) {
      return false;
    }
    int at = (int) (position - chunkAt);
    if (!EntryFormat.isPlausible(chunk, at, available)) {
      return false;
    }
    int length = chunk.getInt(at + EntryFormat.LENGTH);
    if (!load(length)) {
      return false;
    }
    at = (int) (position - chunkAt);
    int crc = EntryFormat.crc(chunk, at, length, segment.header.salt());
    if (crc != chunk.getInt(at + EntryFormat.CRC)) {
      return false;
    }
    entryAt = position;
    position += length;
    return true;
  }

  /** Looks for the next valid entry at any multiple of 8 from here on. */
  boolean search() throws IOException {
    for (; limit - position >= EntryFormat.FIXED; position += 8) {
      if (load(EntryFormat.FIXED) && chunk.getInt((int) (position - chunkAt)) != 0 && advance()) {
        return true;
      }
    }
    return false;
  }

  /** What the chunk holds from the position on is kept: no byte is read twice. */
  private boolean load(int bytes) throws IOException {
    if (position >= chunkAt && position + bytes <= chunkAt + chunk.limit()) {
      return true;
    }
    int kept = (int) Math.max(0, chunkAt + chunk.limit() - position);
    if (position < chunkAt || kept > chunk.limit()) {
      kept = 0;
    }
    ByteBuffer next = bytes > chunk.capacity() ? ByteBuffer.allocate(bytes) : chunk;
    System.arraycopy(chunk.array(), chunk.limit() - kept, next.array(), 0, kept);
    next.clear().position(kept).limit((int) Math.min(next.capacity(), limit - position));
    chunk = next;
    chunkAt = position;
    segment.read(chunk, position + kept);
    chunk.flip();
    return chunk.limit() >= bytes;
  }

  /** Where the next entry begins, or would. */
  long position() {
    return position;
  }

  long entryAt() {
    return entryAt;
  }

  private int field(int offset) {
    return (int) (entryAt - chunkAt) + offset;
  }

  long sequenceNr() {
    return chunk.getLong(field(EntryFormat.SEQUENCE_NR));
  }

  long previousSequenceNr() {
    return chunk.getLong(field(EntryFormat.PREVIOUS));
  }

  long durableSequenceNr() {
    return chunk.getLong(field(EntryFormat.DURABLE));
  }

  boolean continues() {
    return (chunk.get(field(EntryFormat.FLAGS)) & EntryFormat.CONTINUES) != 0;
  }

  private int stringLength(int offset) {
    return Short.toUnsignedInt(chunk.getShort(field(offset)));
  }

  /** The payload in a buffer of its own. */
  ByteBuffer payload() {
    ByteBuffer view = payloadView();
    return ByteBuffer.allocate(view.remaining()).put(view).flip();
  }

  private ByteBuffer payloadView() {
    int at =
        field(EntryFormat.FIXED)
            + stringLength(EntryFormat.MANIFEST_LENGTH)
            + stringLength(EntryFormat.EVENT_MANIFEST_LENGTH)
            + stringLength(EntryFormat.WRITER_LENGTH);
    return chunk.slice(at, chunk.getInt(field(EntryFormat.PAYLOAD_LENGTH)));
  }

  /** The entry; its payload is only valid until the cursor moves. */
  StoredEntry entry() {
    int manifest = stringLength(EntryFormat.MANIFEST_LENGTH);
    int eventManifest = stringLength(EntryFormat.EVENT_MANIFEST_LENGTH);
    int writer = stringLength(EntryFormat.WRITER_LENGTH);
    int at = field(EntryFormat.FIXED);
    return new StoredEntry(
        sequenceNr(),
        chunk.getLong(field(EntryFormat.TIMESTAMP)),
        chunk.getInt(field(EntryFormat.SERIALIZER_ID)),
        utf8(at, manifest),
        utf8(at + manifest, eventManifest),
        utf8(at + manifest + eventManifest, writer),
        payloadView());
  }

  private String utf8(int at, int length) {
    return new String(chunk.array(), at, length, StandardCharsets.UTF_8);
  }
}
