package io.tidemark.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorRefResolver;
import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.ProduceRequest;
import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.protocol.ProduceResponse;
import io.tidemark.wire.ReplicaMessage;
import io.tidemark.wire.ReplicaMessage.FetchReply;
import io.tidemark.wire.ReplicaMessage.Produce;
import io.tidemark.wire.ReplicaMessage.ProduceReply;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Two actor systems. The one that asks has no serializer for the data path's messages, so that its
 * transport cannot carry them: what arrives came by a connection.
 */
class DataChannelsTest {
  private static final PartitionId PARTITION = new PartitionId(new UUID(1, 2), 3);
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final String REMOTE =
      """
      akka.actor.provider = remote
      akka.remote.artery { transport = tcp, canonical { hostname = "127.0.0.1", port = %d } }
      akka.log-dead-letters = off
      """;

  private static final String NO_OTHER_WAY =
      """
      akka.actor.serialization-bindings."io.tidemark.wire.ReplicaMessage$Data" = none
      akka.loglevel = OFF
      """;

  private static ActorTestKit asking;
  private static ActorTestKit answering;

  /** Whose transports carry everything. */
  private static ActorTestKit one;

  private static ActorTestKit other;

  @BeforeAll
  static void start() {
    asking = start("asking", NO_OTHER_WAY + REMOTE.formatted(0));
    answering = start("answering", NO_OTHER_WAY + REMOTE.formatted(0));
    one = start("one", REMOTE.formatted(0));
    other = start("other", REMOTE.formatted(0));
    DataChannels.get(answering.system()).listen();
    DataChannels.get(other.system()).listen();
  }

  private static ActorTestKit start(String name, String settings) {
    Config config = ConfigFactory.parseString(settings).withFallback(ConfigFactory.load());
    return ActorTestKit.create(name, config);
  }

  @AfterAll
  static void stop() {
    List.of(asking, answering, one, other).forEach(ActorTestKit::shutdownTestKit);
  }

  /** Answers with the request's records. */
  private static ActorRef<ReplicaMessage> echo(ActorTestKit kit) {
    DataChannels channels = DataChannels.get(kit.system());
    return kit.spawn(
        Behaviors.<ReplicaMessage>receive(
            (context, message) -> {
              Produce produce = (Produce) message;
              channels.tell(
                  produce.replyTo().<Object>unsafeUpcast(),
                  new FetchReply(
                      produce.requestId(),
                      FetchResponse.of(0, 0, 1, 1).withRecords(produce.request().batches())));
              return Behaviors.same();
            }));
  }

  private <T> ActorRef<T> seenFrom(ActorTestKit other, ActorTestKit home, ActorRef<T> ref) {
    String path = ActorRefResolver.get(home.system()).toSerializationFormat(ref);
    return ActorRefResolver.get(other.system()).resolveActorRef(path);
  }

  private static Produce produce(long id, byte[] records, ActorRef<?> replyTo) {
    return new Produce(
        id,
        new ProduceRequest(PARTITION, Acks.ALL, ByteBuffer.wrap(records)),
        replyTo.unsafeUpcast());
  }

  /** Sends until one comes through: the connection has to be made first. */
  private void awaitAnswer(
      DataChannels channels, ActorRef<ReplicaMessage> replica, TestProbe<FetchReply> probe) {
    long before = System.nanoTime();
    while (true) {
      channels.tell(replica, produce(-1, new byte[0], probe.getRef()));
      try {
        probe.receiveMessage(Duration.ofMillis(100));
        return;
      } catch (AssertionError e) {
        assertTrue(System.nanoTime() - before < PATIENCE.toNanos(), "no answer came");
      }
    }
  }

  @Test
  void requests_and_answers_of_any_size_arrive_whole_and_each_senders_in_order() {
    ActorRef<ReplicaMessage> replica = seenFrom(asking, answering, echo(answering));
    DataChannels channels = DataChannels.get(asking.system());
    TestProbe<FetchReply> probe = asking.createTestProbe();
    channels.found(replica, DataChannels.get(answering.system()).port());
    awaitAnswer(channels, replica, probe);
    long seed = ThreadLocalRandom.current().nextLong();
    Map<Integer, TestProbe<FetchReply>> probes = new HashMap<>();
    IntStream.range(0, 4).forEach(sender -> probes.put(sender, asking.createTestProbe()));

    IntStream.range(0, 4)
        .parallel()
        .forEach(
            sender -> {
              Random random = new Random(seed + sender);
              for (int i = 0; i < 500; i++) {
                channels.tell(replica, produce(i, records(random), probes.get(sender).getRef()));
              }
            });

    for (int sender = 0; sender < 4; sender++) {
      Random random = new Random(seed + sender);
      for (int i = 0; i < 500; i++) {
        FetchReply reply = probes.get(sender).receiveMessage(PATIENCE);
        assertEquals(i, reply.requestId(), "seed " + seed);
        assertEquals(ByteBuffer.wrap(records(random)), reply.response().records(), "seed " + seed);
      }
    }
  }

  private static byte[] records(Random random) {
    byte[] records = new byte[random.nextInt(random.nextInt(50) == 0 ? 200_000 : 500)];
    random.nextBytes(records);
    return records;
  }

  @Test
  void a_node_that_comes_back_elsewhere_is_connected_to_again() {
    TestProbe<FetchReply> probe = asking.createTestProbe();
    DataChannels channels = DataChannels.get(asking.system());
    ActorTestKit node = start("node", NO_OTHER_WAY + REMOTE.formatted(0));
    try {
      DataChannels.get(node.system()).listen();
      ActorRef<ReplicaMessage> first = seenFrom(asking, node, echo(node));
      channels.found(first, DataChannels.get(node.system()).port());
      awaitAnswer(channels, first, probe);
      int port = node.system().address().getPort().orElseThrow();

      node.shutdownTestKit();
      channels.tell(first, produce(1, new byte[9], probe.getRef()));
      node = start("node", NO_OTHER_WAY + REMOTE.formatted(port));
      DataChannels.get(node.system()).listen();
      ActorRef<ReplicaMessage> second = seenFrom(asking, node, echo(node));
      channels.found(second, DataChannels.get(node.system()).port());

      awaitAnswer(channels, second, probe);
    } finally {
      node.shutdownTestKit();
    }
  }

  @Test
  void where_no_connection_can_be_made_the_actor_systems_transport_takes_over() {
    TestProbe<FetchReply> probe = one.createTestProbe();
    ActorRef<ReplicaMessage> replica = seenFrom(one, other, echo(other));
    DataChannels channels = DataChannels.get(one.system());
    channels.found(replica, 1);

    channels.tell(replica, produce(1, new byte[9], probe.getRef()));

    assertEquals(1, probe.receiveMessage(PATIENCE).requestId());
  }

  @Test
  void a_port_that_is_another_nodes_by_now_is_not_taken_for_the_one_that_was_meant() {
    TestProbe<FetchReply> probe = one.createTestProbe();
    ActorRef<ReplicaMessage> replica = seenFrom(one, other, echo(other));
    DataChannels channels = DataChannels.get(one.system());
    channels.found(replica, DataChannels.get(answering.system()).port());

    for (int i = 0; i < 500; i++) {
      channels.tell(replica, produce(i, new byte[9], probe.getRef()));
      assertEquals(i, probe.receiveMessage(PATIENCE).requestId());
    }
  }

  @Test
  void who_speaks_another_language_is_cut_off_and_disturbs_nobody() throws IOException {
    TestProbe<FetchReply> probe = asking.createTestProbe();
    DataChannels channels = DataChannels.get(asking.system());
    ActorRef<ReplicaMessage> replica = seenFrom(asking, answering, echo(answering));
    int port = DataChannels.get(answering.system()).port();
    channels.found(replica, port);
    awaitAnswer(channels, replica, probe);

    byte[] hello = hello("akka://stranger@127.0.0.1:1", answering.system().address().toString());
    byte[] unknownRef = frame((byte) 'p', ByteBuffer.allocate(40).putInt(7).array());
    byte[] wrongHello = hello("akka://stranger@127.0.0.1:1", "akka://other@127.0.0.1:2");
    assertIsCutOff(port, "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    assertIsCutOff(port, ByteBuffer.allocate(8).putInt(Integer.MAX_VALUE).array());
    assertIsCutOff(port, frame(Frames.PING, new byte[0]));
    assertIsCutOff(port, wrongHello);
    assertIsCutOff(port, concat(hello, unknownRef));
    assertIsCutOff(port, concat(hello, frame(Frames.REF, "no/ref\n".getBytes()), unknownRef));

    channels.tell(replica, produce(5, new byte[9], probe.getRef()));
    assertEquals(5, probe.receiveMessage(PATIENCE).requestId());
  }

  private static void assertIsCutOff(int port, byte[] said) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout((int) PATIENCE.toMillis());
      socket.getOutputStream().write(said);
      InputStream in = socket.getInputStream();
      // A greeting may come back first.
      while (in.read() >= 0) {}
    } catch (java.net.SocketTimeoutException e) {
      throw new AssertionError("still connected", e);
    } catch (java.net.SocketException e) {
      // Cut off with bytes unread, which resets the connection.
    }
  }

  private static byte[] hello(String from, String to) {
    ByteBuffer head = Frames.hello(new Frames.Hello(from, to)).head();
    byte[] bytes = new byte[head.remaining()];
    head.get(bytes);
    return bytes;
  }

  private static byte[] frame(byte kind, byte[] body) {
    return ByteBuffer.allocate(5 + body.length).putInt(1 + body.length).put(kind).put(body).array();
  }

  private static byte[] concat(byte[]... parts) {
    int length = java.util.Arrays.stream(parts).mapToInt(part -> part.length).sum();
    ByteBuffer all = ByteBuffer.allocate(length);
    for (byte[] part : parts) {
      all.put(part);
    }
    return all.array();
  }

  @Test
  void there_are_none_beside_an_encrypted_transport_or_a_tests() {
    for (String setting :
        new String[] {
          "tidemark.data-connections = off", "akka.remote.artery.advanced.test-mode = on"
        }) {
      ActorTestKit node = start("node", setting + "\n" + REMOTE.formatted(0));
      try {
        DataChannels.get(node.system()).listen();
        assertEquals(0, DataChannels.get(node.system()).port(), setting);
      } finally {
        node.shutdownTestKit();
      }
    }
    Config encrypted =
        ConfigFactory.parseString("akka.remote.artery.transport = tls-tcp")
            .withFallback(asking.system().settings().config());
    assertFalse(DataChannels.isWanted(encrypted));
    assertTrue(DataChannels.isWanted(asking.system().settings().config()));
    Config wrong = ConfigFactory.parseString("tidemark.data-connections = maybe");
    String refusal =
        assertThrows(
                IllegalArgumentException.class,
                () -> DataChannels.checkSettings(wrong.withFallback(encrypted)))
            .getMessage();
    assertTrue(refusal.matches("tidemark.data-connections is .*maybe.*allowed: on, off"), refusal);
  }

  @Test
  void a_failure_text_that_no_head_has_room_for_goes_by_the_transport() {
    TestProbe<FetchReply> warmUp = one.createTestProbe();
    TestProbe<ProduceReply> probe = one.createTestProbe();
    DataChannels channels = DataChannels.get(one.system());
    ActorRef<ReplicaMessage> replica = seenFrom(one, other, echo(other));
    channels.found(replica, DataChannels.get(other.system()).port());
    awaitAnswer(channels, replica, warmUp);
    String text = "x".repeat(100_000);
    ProduceReply reply =
        new ProduceReply(1, ProduceResponse.failed(ErrorCode.RECORD_TOO_LARGE, 1, 1, text));

    DataChannels.get(other.system()).tell(seenFrom(other, one, probe.getRef()), reply);

    assertEquals(reply, probe.receiveMessage(PATIENCE));
  }
}
