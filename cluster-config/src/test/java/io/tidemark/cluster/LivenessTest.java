package io.tidemark.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.cli.local.FreePorts;
import io.tidemark.cluster.Liveness.Peer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LivenessTest {
  private static final String HOST = "127.0.0.1";

  private record Death(int broker, UUID incarnation) {}

  private final BlockingQueue<Death> deaths = new LinkedBlockingQueue<>();
  private Liveness watcher;

  @BeforeEach
  void start() throws IOException {
    watcher =
        new Liveness(HOST, (broker, incarnation) -> deaths.add(new Death(broker, incarnation)));
  }

  @AfterEach
  void stop() {
    watcher.close();
  }

  @Test
  void the_end_of_a_peers_process_is_reported_with_its_incarnation() throws Exception {
    UUID incarnation = UUID.randomUUID();
    ServerSocket peer = listen(0);
    watcher.watch(Map.of(2, peerAt(incarnation, peer.getLocalPort())));
    Socket link = peer.accept();

    peer.close();
    link.close();

    assertEquals(new Death(2, incarnation), deaths.poll(60, TimeUnit.SECONDS));
  }

  @Test
  void two_nodes_watch_each_other_and_the_one_that_stays_hears_of_the_others_end()
      throws Exception {
    UUID incarnation = UUID.randomUUID();
    Liveness peer = new Liveness(HOST, (broker, id) -> {});
    peer.watch(Map.of(1, peerAt(UUID.randomUUID(), watcher.port())));
    try (ServerSocket probe = listen(0)) {
      watcher.watch(
          Map.of(
              2, peerAt(incarnation, peer.port()), 3, peerAt(incarnation, probe.getLocalPort())));
      probe.accept().close();
      probe.accept().close();
    }

    peer.close();

    assertEquals(new Death(2, incarnation), deathOf(2));
  }

  @Test
  void a_lost_connection_to_a_living_process_is_no_death() throws Exception {
    try (ServerSocket peer = listen(0)) {
      watcher.watch(Map.of(2, peerAt(UUID.randomUUID(), peer.getLocalPort())));

      peer.accept().close();

      Socket again = peer.accept();
      assertTrue(again.isConnected());
      assertEquals(0, deaths.size());
    }
  }

  @Test
  void a_peer_that_never_answered_is_not_reported_and_is_found_when_it_comes() throws Exception {
    int port = FreePorts.find(1).get(0);
    UUID incarnation = UUID.randomUUID();
    watcher.watch(Map.of(2, peerAt(incarnation, port)));

    ServerSocket late = listen(port);
    Socket link = late.accept();
    assertEquals(0, deaths.size());
    late.close();
    link.close();

    assertEquals(new Death(2, incarnation), deaths.poll(60, TimeUnit.SECONDS));
  }

  private Death deathOf(int broker) throws InterruptedException {
    Death death = deaths.poll(60, TimeUnit.SECONDS);
    while (death != null && death.broker() != broker) {
      death = deaths.poll(60, TimeUnit.SECONDS);
    }
    return death;
  }

  private static ServerSocket listen(int port) throws IOException {
    return new ServerSocket(port, 10, InetAddress.getByName(HOST));
  }

  private static Peer peerAt(UUID incarnation, int port) {
    return new Peer(incarnation, new InetSocketAddress(HOST, port));
  }
}
