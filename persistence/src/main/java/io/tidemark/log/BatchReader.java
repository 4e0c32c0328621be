package io.tidemark.log;

import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatches;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Reads record batches of one log from its journal, for offsets that no cache holds any more. */
public final class BatchReader {
  private final EntrySource source;
  private final String persistenceId;

  public BatchReader(EntrySource source, String persistenceId) {
    this.source = source;
    this.persistenceId = persistenceId;
  }

  /**
   * The batches that hold [{@code from}, {@code limit}), whole, at most {@code maxBytes} of them
   * but at least the first one. Empty when nothing lies there. Blocks on the disk.
   *
   * @param log the state to read under: what was appended after it is not seen
   * @throws IOException when the disk fails or an entry is damaged
   */
  public ByteBuffer read(LogState log, long from, long limit, int maxBytes) throws IOException {
    long start = log.layout().index().sequenceNrFor(from);
    if (start < 0 || from >= limit) {
      return ByteBuffer.allocate(0);
    }
    Collector collector = new Collector(log, from, limit, maxBytes);
    source.read(persistenceId, start, collector::entry);
    return concat(collector.found);
  }

  private static final class Collector {
    private final LogState log;
    private final long from;
    private final long limit;
    private final int maxBytes;
    private final List<ByteBuffer> found = new ArrayList<>();
    private int bytes;

    Collector(LogState log, long from, long limit, int maxBytes) {
      this.log = log;
      this.from = from;
      this.limit = limit;
      this.maxBytes = maxBytes;
    }

    boolean entry(long sequenceNr, ByteBuffer payload) {
      if (sequenceNr > log.sequenceNr()) {
        return false;
      }
      if (LogEventCodec.decode(payload) instanceof BatchesAppended appended) {
        for (RecordBatch batch : RecordBatches.list(appended.batches().duplicate())) {
          if (!log.layout().cuts().isLive(batch.baseOffset(), sequenceNr)
              || batch.nextOffset() <= from) {
            continue;
          }
          boolean full = bytes > 0 && bytes + batch.sizeInBytes() > maxBytes;
          if (batch.baseOffset() >= limit || full) {
            return false;
          }
          found.add(batch.buffer());
          bytes += batch.sizeInBytes();
        }
      }
      return sequenceNr < log.sequenceNr() && bytes < maxBytes;
    }
  }

  /** One buffer of all parts; a single part is not copied. */
  public static ByteBuffer concat(List<ByteBuffer> parts) {
    if (parts.size() == 1) {
      return parts.get(0).duplicate();
    }
    ByteBuffer all = ByteBuffer.allocate(parts.stream().mapToInt(ByteBuffer::remaining).sum());
    parts.forEach(part -> all.put(part.duplicate()));
    return all.flip();
  }
}
