package io.tidemark.log;

import io.tidemark.log.LogEvent.Voter;
import io.tidemark.record.Compression;
import io.tidemark.record.Record;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatchBuilder;
import java.nio.ByteBuffer;
import java.util.List;

/** The control record by which a quorum's log changes its voters (KIP-853). */
public final class VotersRecord {
  /** Kafka's control record type of a voter set. */
  private static final short TYPE = 6;

  private static final short VERSION = 0;

  private VotersRecord() {}

  /** A batch with base offset 0 and without a leader epoch, to be stamped. */
  public static ByteBuffer batch(List<Voter> voters) {
    ByteBuffer key = ByteBuffer.allocate(4).putShort(VERSION).putShort(TYPE).flip();
    ByteBuffer value = ByteBuffer.allocate(LogEventCodec.sizeOf(voters));
    LogEventCodec.putVoters(value, voters);
    RecordBatchBuilder builder = new RecordBatchBuilder(Compression.NONE, 128 + value.position());
    builder.append(0, key, value.flip(), List.of());
    return builder.buildControl(0, 0);
  }

  /** The voters that a control batch makes; none when it is about something else. */
  static List<Voter> read(RecordBatch batch) {
    for (Record record : batch.records()) {
      ByteBuffer key = record.key();
      if (key != null && key.remaining() == 4 && key.getShort(key.position() + 2) == TYPE) {
        return LogEventCodec.getVoters(record.value().duplicate());
      }
    }
    return List.of();
  }
}
