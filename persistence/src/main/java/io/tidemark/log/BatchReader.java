package io.tidemark.log;

import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.record.Record;
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
    return RecordBatches.join(collector.found);
  }

  /**
   * A record that was looked for.
   *
   * @param timestamp ms since the epoch
   */
  public record Found(long offset, long timestamp) {}

  /**
   * The first record at least as new as a timestamp (KIP-79): the index tells the span to begin
   * with, the records tell the rest. Blocks on the disk.
   *
   * @param timestamp ms since the epoch
   * @param limit only records below this offset count
   * @return null when there is none
   * @throws IOException when the disk fails or an entry is damaged
   */
  public Found find(LogState log, long timestamp, long limit) throws IOException {
    long start = log.layout().sequenceNrForTimestamp(timestamp);
    if (start < 0) {
      return null;
    }
    Found[] found = {null};
    source.read(
        persistenceId,
        start,
        (sequenceNr, payload) -> {
          for (RecordBatch batch : liveBatches(log, sequenceNr, payload)) {
            if (batch.baseOffset() >= limit) {
              return false;
            }
            if (batch.maxTimestamp() >= timestamp) {
              found[0] = firstIn(batch, timestamp, log.startOffset(), limit);
            }
            if (found[0] != null) {
              return false;
            }
          }
          return sequenceNr < log.sequenceNr();
        });
    return found[0];
  }

  private static Found firstIn(RecordBatch batch, long timestamp, long from, long limit) {
    for (Record record : batch.records()) {
      boolean served = record.offset() >= from && record.offset() < limit;
      if (served && record.timestamp() >= timestamp) {
        return new Found(record.offset(), record.timestamp());
      }
    }
    return null;
  }

  private static List<RecordBatch> liveBatches(LogState log, long sequenceNr, ByteBuffer payload) {
    boolean known = sequenceNr <= log.sequenceNr();
    if (!known || !(LogEventCodec.decode(payload) instanceof BatchesAppended appended)) {
      return List.of();
    }
    return RecordBatches.list(appended.batches().duplicate()).stream()
        .filter(batch -> log.layout().cuts().isLive(batch.baseOffset(), sequenceNr))
        .toList();
  }

  private static final class Collector {
    private final LogState log;
    private final long from;
    private final long limit;
    private final int maxBytes;
    private final List<RecordBatch> found = new ArrayList<>();
    private int bytes;

    Collector(LogState log, long from, long limit, int maxBytes) {
      this.log = log;
      this.from = from;
      this.limit = limit;
      this.maxBytes = maxBytes;
    }

    boolean entry(long sequenceNr, ByteBuffer payload) {
      for (RecordBatch batch : liveBatches(log, sequenceNr, payload)) {
        if (batch.nextOffset() <= from) {
          continue;
        }
        boolean full = bytes > 0 && bytes + batch.sizeInBytes() > maxBytes;
        if (batch.baseOffset() >= limit || full) {
          return false;
        }
        found.add(batch);
        bytes += batch.sizeInBytes();
      }
      return sequenceNr < log.sequenceNr() && bytes < maxBytes;
    }
  }
}
