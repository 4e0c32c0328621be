package io.tidemark.cli.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports of the loopback address that nobody listens on, from below the range that systems take the
 * ports of outgoing connections from: such a connection could take one before its node does.
 */
public final class FreePorts {
  private static final int FIRST = 20_000;
  private static final int LAST = 32_000;

  private FreePorts() {}

  /** So many, each another one; they are free now, and nothing keeps them so. */
  public static List<Integer> find(int count) {
    List<ServerSocket> reserved = new ArrayList<>();
    while (reserved.size() < count) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
      try {
        reserved.add(new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1")));
      } catch (BindException e) {
        // Somebody listens there: another one is tried.
        continue;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    List<Integer> ports = reserved.stream().map(ServerSocket::getLocalPort).toList();
    reserved.forEach(FreePorts::close);
    return ports;
  }

  private static void close(ServerSocket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
