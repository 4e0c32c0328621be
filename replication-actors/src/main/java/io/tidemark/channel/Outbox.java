package io.tidemark.channel;

import io.tidemark.channel.Frames.Frame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What waits to be written to one socket. Whoever sends while nobody writes does so himself, as far
 * as the socket takes it at once: no other thread has to be woken. The rest is the selector's.
 *
 * <p>Invariant: only who holds the turn touches the socket and the buffer.
 */
final class Outbox {
  /** What is beyond this is dropped: a peer that takes nothing must not fill the memory. */
  static final long MAX_BYTES = 64L << 20;

  private static final int BUFFER_BYTES = 256 << 10;

  /** A sender goes back to its own work after so much. */
  private static final int SENDER_BYTES = 1 << 20;

  private final WritableByteChannel socket;
  private final Queue<Frame> queue = new ConcurrentLinkedQueue<>();
  private final AtomicLong queuedBytes = new AtomicLong();
  private final AtomicBoolean turn = new AtomicBoolean();
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private Frame current;

  Outbox(WritableByteChannel socket) {
    this.socket = socket;
  }

  /** Puts it behind the others. False when there is no room (give or take one of each thread). */
  boolean add(Frame frame) {
    if (queuedBytes.get() + frame.bytes() > MAX_BYTES) {
      return false;
    }
    addAnyway(frame);
    return true;
  }

  /** For what is small, and must not be missing. */
  void addAnyway(Frame frame) {
    queuedBytes.addAndGet(frame.bytes());
    queue.add(frame);
  }

  /**
   * Writes what can be written now, unless someone does that already.
   *
   * @return false when the socket is full, or this has gone on for long: the caller keeps the turn
   *     until {@link #goOn}
   */
  boolean flush() throws IOException {
    while (!queue.isEmpty() && turn.compareAndSet(false, true)) {
      if (!write()) {
        return false;
      }
      turn.set(false);
    }
    return true;
  }

  /** The socket takes more; for the one who has the turn. */
  boolean goOn() throws IOException {
    if (!write()) {
      return false;
    }
    turn.set(false);
    return flush();
  }

  private boolean write() throws IOException {
    for (int written = 0; written < SENDER_BYTES; ) {
      fill();
      if (buffer.position() == 0) {
        return true;
      }
      buffer.flip();
      written += socket.write(buffer);
      boolean isFull = buffer.hasRemaining();
      buffer.compact();
      if (isFull) {
        return false;
      }
    }
    return false;
  }

  private void fill() {
    while (buffer.hasRemaining()) {
      if (current == null) {
        current = queue.poll();
        if (current == null) {
          return;
        }
        queuedBytes.addAndGet(-current.bytes());
      }
      move(current.head());
      move(current.tail());
      if (current.bytes() == 0) {
        current = null;
      }
    }
  }

  private void move(ByteBuffer from) {
    int bytes = Math.min(from.remaining(), buffer.remaining());
    buffer.put(buffer.position(), from, from.position(), bytes);
    buffer.position(buffer.position() + bytes);
    from.position(from.position() + bytes);
  }
}
