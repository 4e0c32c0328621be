package io.tidemark.channel;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.function.Consumer;

/** Cuts what comes from one socket into frames. Each has bytes of its own, which messages share. */
final class Inbox {
  private static final int BUFFER_BYTES = 256 << 10;

  private final ReadableByteChannel socket;
  private final int maxFrameBytes;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private ByteBuffer frame;

  /**
   * @param maxFrameBytes the largest that is accepted, without its length
   */
  Inbox(ReadableByteChannel socket, int maxFrameBytes) {
    this.socket = socket;
    this.maxFrameBytes = maxFrameBytes;
  }

  /**
   * Reads what has come.
   *
   * @throws EOFException when the other side has closed
   * @throws IllegalArgumentException when a length is out of range
   */
  void read(Consumer<ByteBuffer> receiver) throws IOException {
    boolean mayBeMore = true;
    while (mayBeMore) {
      if (socket.read(buffer) < 0) {
        throw new EOFException("closed by the other side");
      }
      mayBeMore = !buffer.hasRemaining();
      buffer.flip();
      while (takeFrame()) {
        ByteBuffer whole = frame;
        frame = null;
        receiver.accept(whole.flip());
      }
      buffer.compact();
    }
  }

  /** Whether a frame is whole now. */
  private boolean takeFrame() {
    if (frame == null) {
      if (buffer.remaining() < Frames.LENGTH_BYTES) {
        return false;
      }
      int length = buffer.getInt();
      if (length < 1 || length > maxFrameBytes) {
        throw new IllegalArgumentException(
            "a frame of " + length + " bytes; from 1 to " + maxFrameBytes + " are allowed");
      }
      frame = ByteBuffer.allocate(length);
    }
    int bytes = Math.min(frame.remaining(), buffer.remaining());
    frame.put(frame.position(), buffer, buffer.position(), bytes);
    frame.position(frame.position() + bytes);
    buffer.position(buffer.position() + bytes);
    return !frame.hasRemaining();
  }
}
