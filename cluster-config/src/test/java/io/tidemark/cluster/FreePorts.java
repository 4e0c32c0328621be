package io.tidemark.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** Ports of the loopback address that nobody listens on. */
public final class FreePorts {
  private FreePorts() {}

  public static List<Integer> find(int count) {
    List<ServerSocket> reserved = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        reserved.add(new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1")));
      }
      List<Integer> ports = reserved.stream().map(ServerSocket::getLocalPort).toList();
      for (ServerSocket socket : reserved) {
        socket.close();
      }
      return ports;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
