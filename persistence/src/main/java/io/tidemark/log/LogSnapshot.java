package io.tidemark.log;

import io.tidemark.log.LogEvent.Voter;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * What a quorum's log had come to at an offset, so that the records before it can go (KIP-630).
 *
 * @param endOffset all records below it are in the content
 * @param epoch the leader epoch of the last of them
 * @param voters the voters that those records make
 * @param content what the log's users make of the records; never written to
 */
public record LogSnapshot(long endOffset, int epoch, List<Voter> voters, ByteBuffer content) {
  public static final LogSnapshot NONE = new LogSnapshot(0, -1, List.of(), ByteBuffer.allocate(0));

  public LogSnapshot {
    voters = List.copyOf(voters);
  }

  int sizeInBytes() {
    return 8 + 4 + LogEventCodec.sizeOf(voters) + 4 + content.remaining();
  }

  void encode(ByteBuffer out) {
    out.putLong(endOffset).putInt(epoch);
    LogEventCodec.putVoters(out, voters);
    out.putInt(content.remaining()).put(content.duplicate());
  }

  static LogSnapshot decode(ByteBuffer in) {
    long endOffset = in.getLong();
    int epoch = in.getInt();
    List<Voter> voters = LogEventCodec.getVoters(in);
    int size = in.getInt();
    if (size < 0 || size > in.remaining()) {
      throw new IllegalArgumentException("log snapshot: content of " + size + " bytes");
    }
    ByteBuffer content = in.slice(in.position(), size);
    in.position(in.position() + size);
    return new LogSnapshot(endOffset, epoch, voters, content);
  }

  @Override
  public String toString() {
    return "snapshot up to offset %d of epoch %d, %d bytes"
        .formatted(endOffset, epoch, content.remaining());
  }
}
