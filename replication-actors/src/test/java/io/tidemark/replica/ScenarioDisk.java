package io.tidemark.replica;

import io.tidemark.log.BatchReader;
import io.tidemark.log.EntrySource;
import io.tidemark.log.LogEvent;
import io.tidemark.log.LogEventCodec;
import io.tidemark.log.LogState;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.ListOffsetsResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A log in memory: what is durable, and the one event that is being written. */
final class ScenarioDisk implements EntrySource {
  private final List<ByteBuffer> entries = new ArrayList<>();
  private LogState state = LogState.EMPTY;
  private LogEvent writing;

  LogState state() {
    return state;
  }

  void begin(LogEvent event) {
    if (writing != null) {
      throw new IllegalStateException("two writes at once: " + writing + ", " + event);
    }
    writing = event;
  }

  boolean isWriting() {
    return writing != null;
  }

  /** The event in flight is durable. */
  void persist() {
    put(writing);
    writing = null;
  }

  void put(LogEvent event) {
    ByteBuffer bytes = ByteBuffer.allocate(LogEventCodec.sizeOf(event));
    LogEventCodec.encode(event, bytes);
    ByteBuffer entry = bytes.flip().asReadOnlyBuffer();
    state = state.apply(LogEventCodec.decode(entry.duplicate()));
    entries.add(entry);
  }

  /** What was in flight is gone. */
  void crash() {
    writing = null;
  }

  /** A power loss takes the newest events too. */
  void lose(int events) {
    entries.subList(entries.size() - events, entries.size()).clear();
    state = LogState.EMPTY;
    for (ByteBuffer entry : entries) {
      state = state.apply(LogEventCodec.decode(entry.duplicate()));
    }
  }

  ByteBuffer read(LogState log, long from, long limit, int maxBytes) {
    try {
      return new BatchReader(this, "log").read(log, from, limit, maxBytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  ListOffsetsResponse find(ReplicaEffect.FindAndAnswer find) {
    try {
      BatchReader.Found found =
          new BatchReader(this, "log").find(find.log(), find.timestamp(), find.limit());
      return found == null
          ? find.notFound()
          : new ListOffsetsResponse(
              ErrorCode.NONE, found.offset(), found.timestamp(), find.notFound().currentLeader());
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
