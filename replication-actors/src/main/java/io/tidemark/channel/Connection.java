package io.tidemark.channel;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorRefResolver;
import io.tidemark.channel.Frames.Frame;
import io.tidemark.channel.Frames.Hello;
import io.tidemark.wire.ReplicaMessage.Data;
import io.tidemark.wire.WireMessages;
import io.tidemark.wire.WireSerializer;
import java.io.IOException;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One socket between two nodes, used in both directions. It is open once each side has heard whom
 * the other one is. Any thread sends; the selector's thread does the rest.
 */
final class Connection {
  /** A side that sends nothing for so long, not even a sign of life, is given up. */
  static final long SILENCE_NANOS = 10_000_000_000L;

  private static final Logger LOG = LoggerFactory.getLogger(Connection.class);
  private static final ThreadLocal<ByteBuffer> HEAD =
      ThreadLocal.withInitial(() -> ByteBuffer.allocate(WireSerializer.OVERHEAD_BYTES));

  /** What its owner has to know. */
  interface Owner {
    /** Whether the greeting is right, and the connection is open now. */
    boolean greeted(Connection connection, Hello hello);

    void closed(Connection connection);
  }

  private final SocketChannel socket;
  private final Owner owner;
  private final int maxFrameBytes;
  private final RefNumbers refs;
  private final Outbox outbox;
  private final Inbox inbox;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicBoolean dropping = new AtomicBoolean();
  private volatile SelectionKey key;
  private boolean open;
  private long heardAt;

  Connection(SocketChannel socket, ActorRefResolver resolver, int maxFrameBytes, Owner owner) {
    this.socket = socket;
    this.owner = owner;
    this.maxFrameBytes = maxFrameBytes;
    this.outbox = new Outbox(socket);
    this.inbox = new Inbox(socket, maxFrameBytes);
    this.refs = new RefNumbers(resolver, outbox::addAnyway);
  }

  /** Before anything else, on the selector's thread. */
  void register(Selector selector, long now) throws IOException {
    socket.configureBlocking(false);
    key = socket.register(selector, SelectionKey.OP_READ, this);
    heardAt = now;
  }

  /**
   * Sends a message; it is lost when the connection ends before it has arrived, or when the other
   * side takes nothing.
   *
   * @return false when it has to go another way
   */
  boolean send(ActorRef<?> to, Data message) {
    if (closed.get()) {
      return false;
    }
    ByteBuffer head = HEAD.get().clear().position(Frames.LENGTH_BYTES);
    try {
      head.put(WireMessages.kindOf(message));
      refs.put(head, to);
      WireMessages.writeHead(message, head, refs);
    } catch (BufferOverflowException e) {
      return false;
    }
    ByteBuffer tail = WireMessages.tailOf(message);
    int length = head.position() - Frames.LENGTH_BYTES + tail.remaining();
    if (length > maxFrameBytes) {
      return false;
    }
    head.putInt(0, length).flip();
    ByteBuffer own = ByteBuffer.allocate(head.remaining()).put(head).flip();
    send(new Frame(own, tail));
    if (refs.isFull()) {
      close("it has spoken of " + RefNumbers.MAX + " refs, and is made anew");
    }
    return true;
  }

  void send(Frame frame) {
    if (!outbox.add(frame)) {
      if (dropping.compareAndSet(false, true)) {
        LOG.warn("{} does not take its data; messages to it are dropped", this);
      }
      return;
    }
    dropping.set(false);
    try {
      if (!outbox.flush()) {
        writeLater();
      }
    } catch (IOException | CancelledKeyException e) {
      close(e.toString());
    }
  }

  private void writeLater() {
    key.interestOpsOr(SelectionKey.OP_WRITE);
    key.selector().wakeup();
  }

  /** On the selector's thread. */
  void ready(long now) {
    try {
      if (key.isWritable()) {
        // Before the turn goes to another, who may have to ask for this again.
        key.interestOpsAnd(~SelectionKey.OP_WRITE);
        if (!outbox.goOn()) {
          key.interestOpsOr(SelectionKey.OP_WRITE);
        }
      }
      if (key.isReadable()) {
        heardAt = now;
        inbox.read(this::receive);
      }
    } catch (IOException | CancelledKeyException e) {
      close(e.toString());
    } catch (RuntimeException e) {
      LOG.warn("{} is closed, since it sent what is not understood: {}", this, e.toString());
      close("not understood");
    }
  }

  private void receive(ByteBuffer frame) {
    byte kind = frame.get();
    if (!open) {
      if (kind != Frames.HELLO) {
        throw new IllegalArgumentException("it does not begin with a greeting");
      }
      open = owner.greeted(this, Frames.hello(frame));
      if (!open) {
        close("meant for another node");
      }
    } else if (kind == Frames.REF) {
      refs.heard(frame);
    } else if (kind != Frames.PING) {
      ActorRef<Object> to = refs.get(frame);
      to.tell(WireMessages.read(kind, frame, refs));
    }
  }

  /** Now and then, on the selector's thread. */
  void keepAlive(long now) {
    if (now - heardAt > SILENCE_NANOS) {
      close("nothing was heard for " + SILENCE_NANOS / 1_000_000_000 + " s");
    } else if (open) {
      send(Frames.ping());
    }
  }

  void close(String reason) {
    if (closed.compareAndSet(false, true)) {
      LOG.debug("{} ends: {}", this, reason);
      try {
        socket.close();
      } catch (IOException e) {
        LOG.debug("closing {}: {}", this, e.toString());
      }
      owner.closed(this);
    }
  }

  boolean isClosed() {
    return closed.get();
  }

  @Override
  public String toString() {
    return "data connection " + socket.socket().getRemoteSocketAddress();
  }
}
