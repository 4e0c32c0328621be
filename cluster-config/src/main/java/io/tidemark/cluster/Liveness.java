package io.tidemark.cluster;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out within milliseconds that another node's process has ended: its kernel closes an idle
 * connection, and refuses the next one. Nothing is ever sent. A node that is cut off closes
 * nothing; time-outs find that one. A false alarm costs a leader move, never data.
 */
final class Liveness implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Liveness.class);

  /** An unreachable peer is tried again after this. */
  private static final long RETRY_MILLIS = 500;

  /** Where the process of one incarnation of a broker listens. */
  record Peer(UUID incarnation, InetSocketAddress address) {}

  private static final class Link {
    private final int broker;
    private final Peer peer;
    private SocketChannel channel;
    private boolean wasConnected;
    private boolean reported;
    private long retryAt;

    Link(int broker, Peer peer) {
      this.broker = broker;
      this.peer = peer;
    }
  }

  private final ServerSocketChannel server;
  private final Selector selector;
  private final BiConsumer<Integer, UUID> died;
  private final AtomicReference<Map<Integer, Peer>> wanted = new AtomicReference<>(Map.of());
  private final Map<Integer, Link> links = new HashMap<>();
  private final ByteBuffer sink = ByteBuffer.allocate(64);
  private volatile boolean closed;

  /**
   * @param died is told broker and incarnation, on this class's own thread
   */
  Liveness(String host, BiConsumer<Integer, UUID> died) throws IOException {
    this.died = died;
    this.selector = Selector.open();
    this.server = ServerSocketChannel.open();
    server.bind(new InetSocketAddress(host, 0));
    server.configureBlocking(false);
    server.register(selector, SelectionKey.OP_ACCEPT);
    Thread thread = new Thread(this::run, "tidemark-liveness");
    thread.setDaemon(true);
    thread.start();
  }

  int port() {
    return server.socket().getLocalPort();
  }

  /** The brokers to watch from now on. */
  void watch(Map<Integer, Peer> peers) {
    wanted.set(Map.copyOf(peers));
    selector.wakeup();
  }

  private void run() {
    while (!closed) {
      try {
        selector.select(RETRY_MILLIS);
        for (Iterator<SelectionKey> keys = selector.selectedKeys().iterator(); keys.hasNext(); ) {
          SelectionKey key = keys.next();
          keys.remove();
          ready(key);
        }
        keepUp();
      } catch (IOException | RuntimeException e) {
        LOG.warn("liveness connections: {}", e.toString());
      }
    }
    closeAll();
  }

  private void ready(SelectionKey key) throws IOException {
    if (!key.isValid()) {
      return;
    }
    if (key.isAcceptable()) {
      SocketChannel accepted = server.accept();
      if (accepted != null) {
        accepted.configureBlocking(false);
        accepted.register(selector, SelectionKey.OP_READ);
      }
      return;
    }
    Link link = (Link) key.attachment();
    SocketChannel channel = (SocketChannel) key.channel();
    try {
      if (key.isConnectable() && channel.finishConnect()) {
        link.wasConnected = true;
        key.interestOps(SelectionKey.OP_READ);
      }
      if (key.isReadable()) {
        sink.clear();
        if (channel.read(sink) < 0) {
          lost(link, channel);
        }
      }
    } catch (IOException e) {
      refusedOrLost(link, channel);
    }
  }

  /** Another connection decides whether the process has ended or only that connection has. */
  private void lost(Link link, SocketChannel channel) {
    close(channel);
    if (link != null) {
      link.channel = null;
      link.retryAt = 0;
    }
  }

  private void refusedOrLost(Link link, SocketChannel channel) {
    boolean wasOpen = channel.isConnected();
    lost(link, channel);
    if (link != null && !wasOpen) {
      link.retryAt = System.nanoTime() / 1_000_000 + RETRY_MILLIS;
      if (link.wasConnected && !link.reported) {
        link.reported = true;
        died.accept(link.broker, link.peer.incarnation());
      }
    }
  }

  private void keepUp() throws IOException {
    Map<Integer, Peer> peers = wanted.get();
    links
        .values()
        .removeIf(
            link -> {
              boolean gone = !link.peer.equals(peers.get(link.broker));
              if (gone && link.channel != null) {
                close(link.channel);
              }
              return gone;
            });
    for (Map.Entry<Integer, Peer> peer : peers.entrySet()) {
      Link link = links.computeIfAbsent(peer.getKey(), broker -> new Link(broker, peer.getValue()));
      if (link.channel == null && System.nanoTime() / 1_000_000 >= link.retryAt) {
        connect(link);
      }
    }
  }

  private void connect(Link link) throws IOException {
    SocketChannel channel = SocketChannel.open();
    channel.configureBlocking(false);
    link.channel = channel;
    try {
      boolean connected = channel.connect(link.peer.address());
      link.wasConnected |= connected;
      channel.register(selector, connected ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT, link);
    } catch (IOException e) {
      refusedOrLost(link, channel);
    }
  }

  private static void close(SelectableChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.debug("closing a liveness connection: {}", e.toString());
    }
  }

  private void closeAll() {
    selector.keys().forEach(key -> close(key.channel()));
    try {
      selector.close();
    } catch (IOException e) {
      LOG.debug("closing the liveness selector: {}", e.toString());
    }
  }

  /** The connections belong to the thread, which ends now and closes them. */
  @Override
  public void close() {
    closed = true;
    selector.wakeup();
  }
}
