package io.tidemark.record;

import java.io.InputStream;
import java.nio.ByteBuffer;

/** What remains of a buffer as a stream, for decompressors that know nothing else. */
final class BufferInput extends InputStream {
  private final ByteBuffer buffer;

  BufferInput(ByteBuffer buffer) {
    this.buffer = buffer.duplicate();
  }

  @Override
  public int read() {
    return buffer.hasRemaining() ? buffer.get() & 0xff : -1;
  }

  @Override
  public int read(byte[] target, int from, int length) {
    if (length == 0) {
      return 0;
    }
    if (!buffer.hasRemaining()) {
      return -1;
    }
    int taken = Math.min(length, buffer.remaining());
    buffer.get(target, from, taken);
    return taken;
  }

  /** The gzip reader looks here whether another member follows. */
  @Override
  public int available() {
    return buffer.remaining();
  }
}
