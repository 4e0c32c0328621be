package io.tidemark.log;

import io.tidemark.record.Compression;
import io.tidemark.record.RecordBatchBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Batches and a log in memory. */
final class LogFixtures {
  private LogFixtures() {}

  static ByteBuffer batch(int epoch, long baseOffset, int count) {
    return builder(baseOffset, count).build(baseOffset, epoch);
  }

  static ByteBuffer batch(int epoch, long baseOffset, int count, long producerId, int sequence) {
    return builder(baseOffset, count)
        .producer(producerId, (short) 0, sequence)
        .build(baseOffset, epoch);
  }

  static ByteBuffer largeBatch(int epoch, long baseOffset, int bytes) {
    RecordBatchBuilder builder = new RecordBatchBuilder(Compression.NONE, bytes);
    byte[] value = new byte[bytes];
    new Random(baseOffset).nextBytes(value);
    builder.append(0, null, ByteBuffer.wrap(value), List.of());
    return builder.build(baseOffset, epoch);
  }

  private static RecordBatchBuilder builder(long baseOffset, int count) {
    RecordBatchBuilder builder = new RecordBatchBuilder(Compression.NONE, 64);
    for (int i = 0; i < count; i++) {
      byte[] value = ("r" + (baseOffset + i)).getBytes(StandardCharsets.UTF_8);
      builder.append(1_700_000_000_000L, null, ByteBuffer.wrap(value), List.of());
    }
    return builder;
  }

  /** Its events as bytes, and the state that they fold into. */
  static final class Memory implements EntrySource {
    private final List<ByteBuffer> entries = new ArrayList<>();
    private LogState state = LogState.EMPTY;

    LogState state() {
      return state;
    }

    void add(LogEvent event) {
      ByteBuffer bytes = ByteBuffer.allocate(LogEventCodec.sizeOf(event));
      LogEventCodec.encode(event, bytes);
      ByteBuffer entry = bytes.flip().asReadOnlyBuffer();
      state = state.apply(LogEventCodec.decode(entry.duplicate()));
      entries.add(entry);
    }

    /** As a recovery does: the snapshot is read back from its bytes. */
    void restart() {
      ByteBuffer bytes = ByteBuffer.allocate(LogStateCodec.sizeOf(state));
      LogStateCodec.encode(state, bytes);
      state = LogStateCodec.decode(bytes.flip());
    }

    ByteBuffer read(long from, long limit, int maxBytes) {
      return read(state, from, limit, maxBytes);
    }

    /** Everything from an offset on, as it was then. */
    ByteBuffer readUnder(LogState then, long from) {
      return read(then, from, Long.MAX_VALUE, Integer.MAX_VALUE);
    }

    private ByteBuffer read(LogState log, long from, long limit, int maxBytes) {
      try {
        return new BatchReader(this, "log").read(log, from, limit, maxBytes);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void read(String persistenceId, long fromSequenceNr, Visitor visitor) {
      for (int i = (int) fromSequenceNr; i <= entries.size(); i++) {
        if (!visitor.entry(i, entries.get(i - 1).duplicate())) {
          return;
        }
      }
    }
  }
}
