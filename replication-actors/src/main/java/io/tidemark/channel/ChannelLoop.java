package io.tidemark.channel;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one thread that waits for the sockets of a node's data connections, and reads from them. */
final class ChannelLoop implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ChannelLoop.class);
  private static final long TICK_MILLIS = 1_000;

  /** More are not accepted: a cluster has a few, and each has half a MiB of buffers. */
  private static final int MAX_CONNECTIONS = 500;

  private final Selector selector;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private ServerSocketChannel server;
  private Consumer<SocketChannel> accepted;
  private long tickAt = System.nanoTime();
  private volatile boolean closed;

  ChannelLoop() throws IOException {
    this.selector = Selector.open();
    Thread thread = new Thread(this::run, "tidemark-data");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Listens on a free port.
   *
   * @param accepted gets what comes, on this loop's thread
   * @return the port
   */
  int listen(String host, Consumer<SocketChannel> accepted) throws IOException {
    ServerSocketChannel socket = ServerSocketChannel.open();
    try {
      socket.bind(new InetSocketAddress(host, 0));
      socket.configureBlocking(false);
    } catch (IOException e) {
      socket.close();
      throw e;
    }
    execute(
        () -> {
          server = socket;
          this.accepted = accepted;
          try {
            socket.register(selector, SelectionKey.OP_ACCEPT);
          } catch (IOException e) {
            LOG.error("no data connections are accepted: {}", e.toString());
          }
        });
    return socket.socket().getLocalPort();
  }

  /** Runs it on this loop's thread. */
  void execute(Runnable task) {
    tasks.add(task);
    selector.wakeup();
  }

  /** Hands a connection's socket over to this loop; on its thread. */
  void register(Connection connection) {
    try {
      connection.register(selector, System.nanoTime());
    } catch (IOException e) {
      connection.close(e.toString());
    }
  }

  private void run() {
    while (!closed) {
      try {
        selector.select(this::ready, TICK_MILLIS);
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
          task.run();
        }
        tick();
      } catch (IOException | RuntimeException | Error e) {
        // This thread serves all connections: it goes on.
        LOG.error("data connections: {}", e.toString(), e);
      }
    }
    closeAll();
  }

  private void ready(SelectionKey key) {
    if (key.attachment() instanceof Connection connection) {
      connection.ready(System.nanoTime());
    } else {
      accept();
    }
  }

  private void accept() {
    try {
      SocketChannel socket = server.accept();
      if (socket != null && selector.keys().size() > MAX_CONNECTIONS) {
        socket.close();
      } else if (socket != null) {
        accepted.accept(socket);
      }
    } catch (IOException e) {
      LOG.warn("cannot accept a data connection: {}", e.toString());
    }
  }

  private void tick() {
    long now = System.nanoTime();
    if (now - tickAt < TICK_MILLIS * 1_000_000) {
      return;
    }
    tickAt = now;
    for (SelectionKey key : selector.keys()) {
      if (key.attachment() instanceof Connection connection) {
        connection.keepAlive(now);
      }
    }
  }

  static void giveUp(SocketChannel socket) {
    try {
      socket.close();
    } catch (IOException e) {
      LOG.debug("closing a data connection: {}", e.toString());
    }
  }

  private void closeAll() {
    for (SelectionKey key : selector.keys()) {
      if (key.attachment() instanceof Connection connection) {
        connection.close("the actor system ends");
      }
    }
    try {
      if (server != null) {
        server.close();
      }
      selector.close();
    } catch (IOException e) {
      LOG.debug("closing the data connections: {}", e.toString());
    }
  }

  /** The sockets belong to the thread, which ends now and closes them. */
  @Override
  public void close() {
    closed = true;
    selector.wakeup();
  }
}
