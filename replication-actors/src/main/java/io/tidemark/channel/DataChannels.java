package io.tidemark.channel;

import akka.actor.Address;
import akka.actor.ExtendedActorSystem;
import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorRefResolver;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.Extension;
import akka.actor.typed.ExtensionId;
import akka.actor.typed.javadsl.Adapter;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import io.tidemark.channel.Frames.Hello;
import io.tidemark.wire.Courier;
import io.tidemark.wire.ReplicaMessage.Data;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections of their own for the data path, beside the actor system's transport: a message passes
 * fewer threads on its way, and what the transport carries does not wait behind records.
 *
 * <p>A node with a broker listens. Whoever has found a replica there connects to it, and answers
 * come back on the same connection. Where there is none, for whatever reason, the actor system's
 * transport takes the messages. None is made where that transport is encrypted, since this one is
 * not, nor where it is a test's that has to see every message.
 */
public final class DataChannels implements Extension, Courier {
  private static final Logger LOG = LoggerFactory.getLogger(DataChannels.class);
  private static final int CONNECT_MILLIS = 3_000;
  private static final long RETRY_NANOS = 1_000_000_000;

  private static final class Id extends ExtensionId<DataChannels> {
    private static final Id INSTANCE = new Id();

    @Override
    public DataChannels createExtension(ActorSystem<?> system) {
      return new DataChannels(system);
    }
  }

  /** Where a node listens, and when it may be called again. */
  private record Route(int port, AtomicLong retryAt) {}

  private final ActorRefResolver resolver;
  private final Executor blocking;
  private final String bindHost;
  private final Address self;
  private final int maxFrameBytes;

  /** Null when there are to be no connections. */
  private final ChannelLoop loop;

  private final Map<Address, Connection> open = new ConcurrentHashMap<>();
  private final Map<Address, Route> routes = new ConcurrentHashMap<>();
  private int port;

  /** The system's; made when it is first asked for. */
  public static DataChannels get(ActorSystem<?> system) {
    return Id.INSTANCE.apply(system);
  }

  private DataChannels(ActorSystem<?> system) {
    ExtendedActorSystem classic = (ExtendedActorSystem) Adapter.toClassic(system);
    Config config = system.settings().config();
    this.resolver = ActorRefResolver.get(system);
    this.blocking = system.dispatchers().lookup(DispatcherSelector.blocking());
    this.self = classic.provider().getDefaultAddress();
    this.loop = self.hasGlobalScope() && isWanted(config) ? start(system) : null;
    this.maxFrameBytes = loop == null ? 0 : frameBytes(config);
    this.bindHost = loop == null ? "" : bindHost(config, self);
  }

  static boolean isWanted(Config config) {
    String artery = "akka.remote.artery.";
    return isOn(config)
        && config.getString(artery + "transport").equals("tcp")
        && !config.getBoolean(artery + "advanced.test-mode");
  }

  private static boolean isOn(Config config) {
    String path = "tidemark.data-connections";
    try {
      return config.getBoolean(path);
    } catch (ConfigException e) {
      throw new IllegalArgumentException(
          "%s is %s; allowed: on, off".formatted(path, config.getValue(path).render()), e);
    }
  }

  /**
   * @throws IllegalArgumentException when the setting is wrong; names path, value and what is
   *     allowed
   */
  public static void checkSettings(Config config) {
    isOn(config);
  }

  private static ChannelLoop start(ActorSystem<?> system) {
    try {
      ChannelLoop loop = new ChannelLoop();
      system.classicSystem().registerOnTermination(loop::close);
      return loop;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make data connections", e);
    }
  }

  /** What the transport would not take is not taken here either: it is the nodes' common limit. */
  private static int frameBytes(Config config) {
    String advanced = "akka.remote.artery.advanced.";
    return (int)
        Math.max(
            config.getBytes(advanced + "maximum-frame-size"),
            config.getBytes(advanced + "maximum-large-frame-size"));
  }

  /**
   * Where a node listens for others: the transport's {@code bind.hostname}, since the address by
   * which they reach it may not be the machine's own.
   */
  public static String bindHost(Config config, Address self) {
    String bind = config.getString("akka.remote.artery.bind.hostname");
    return bind.isEmpty() || bind.startsWith("<") ? self.getHost().orElseThrow() : bind;
  }

  /**
   * Accepts connections from now on. For nodes with replicas.
   *
   * @throws UncheckedIOException when the host's name or address is not this machine's
   */
  public synchronized void listen() {
    if (loop == null || port > 0) {
      return;
    }
    try {
      port = loop.listen(bindHost, socket -> adopt(socket, null));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot listen for data connections on " + bindHost, e);
    }
  }

  /** Where this node listens, to be told to others; 0 when it does not. */
  public synchronized int port() {
    return port;
  }

  /**
   * A replica was found: messages to its node may go by a connection, if it listens.
   *
   * @param port its {@link #port()}
   */
  public void found(ActorRef<?> replica, int port) {
    Address node = replica.path().address();
    if (loop == null || port <= 0 || node.hasLocalScope()) {
      return;
    }
    Route known = routes.get(node);
    if (known == null || known.port() != port) {
      routes.put(node, new Route(port, new AtomicLong(System.nanoTime())));
    }
    connectAgain(node);
  }

  /** Sends a message the quickest way that there is now. */
  @Override
  public <T> void tell(ActorRef<T> to, T message) {
    Address node = to.path().address();
    if (loop != null && message instanceof Data data && node.hasGlobalScope()) {
      Connection connection = open.get(node);
      if (connection == null) {
        connectAgain(node);
      } else if (connection.send(to, data)) {
        return;
      }
    }
    to.tell(message);
  }

  private void connectAgain(Address node) {
    Route route = routes.get(node);
    long now = System.nanoTime();
    if (route == null || open.containsKey(node)) {
      return;
    }
    long retryAt = route.retryAt().get();
    if (now - retryAt >= 0 && route.retryAt().compareAndSet(retryAt, now + RETRY_NANOS)) {
      blocking.execute(() -> connect(node, route.port()));
    }
  }

  /** Blocks: a name has to be looked up, and the other side to answer. */
  private void connect(Address node, int to) {
    try {
      SocketChannel socket = SocketChannel.open();
      try {
        InetSocketAddress address = new InetSocketAddress(node.getHost().orElseThrow(), to);
        socket.socket().connect(address, CONNECT_MILLIS);
      } catch (IOException | RuntimeException e) {
        socket.close();
        throw e;
      }
      loop.execute(() -> adopt(socket, node));
    } catch (IOException | RuntimeException e) {
      LOG.debug("no data connection to {}, port {}: {}", node, to, e.toString());
    }
  }

  /**
   * @param called the node that it was made to; null when it came from elsewhere
   */
  private void adopt(SocketChannel socket, Address called) {
    Connection connection;
    try {
      socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
      connection = new Connection(socket, resolver, maxFrameBytes, new Owner(called));
    } catch (IOException | OutOfMemoryError e) {
      LOG.warn("a data connection is given up: {}", e.toString());
      ChannelLoop.giveUp(socket);
      return;
    }
    loop.register(connection);
    if (called != null && !connection.isClosed()) {
      connection.send(Frames.hello(new Hello(self.toString(), called.toString())));
    }
  }

  /** One connection's tie to the others. */
  private final class Owner implements Connection.Owner {
    private final Address called;
    private Address peer;

    Owner(Address called) {
      this.called = called;
    }

    /** A port may be another node's by now: each side says whom it means. */
    @Override
    public boolean greeted(Connection connection, Hello hello) {
      boolean isRight =
          hello.to().equals(self.toString())
              && (called == null || hello.from().equals(called.toString()));
      if (!isRight) {
        return false;
      }
      if (called == null) {
        connection.send(Frames.hello(new Hello(self.toString(), hello.from())));
      }
      peer = akka.actor.AddressFromURIString.parse(hello.from());
      open.put(peer, connection);
      return true;
    }

    @Override
    public void closed(Connection connection) {
      if (peer != null) {
        open.remove(peer, connection);
      }
    }
  }
}
