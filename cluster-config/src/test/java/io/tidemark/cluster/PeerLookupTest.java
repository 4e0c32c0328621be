package io.tidemark.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.Props;
import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.tidemark.client.ClusterNodes;
import io.tidemark.controller.MetadataImage;
import io.tidemark.protocol.MetadataRecord.BrokerRegistered;
import io.tidemark.protocol.PartitionId;
import io.tidemark.wire.BrokerMessage;
import io.tidemark.wire.ReplicaMessage;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Two nodes that are in no Akka cluster, and so have no shard coordinator, as those have none that
 * are cut off from it.
 */
class PeerLookupTest {
  private static final Config REMOTE =
      ConfigFactory.parseString(
              """
              akka.actor.provider = remote
              akka.remote.artery { transport = tcp, canonical { hostname = "127.0.0.1", port = 0 } }
              """)
          .withFallback(ConfigFactory.load());

  private final ActorTestKit own = ActorTestKit.create("nodes", REMOTE);
  private final ActorTestKit peer = ActorTestKit.create("nodes", REMOTE);

  @AfterEach
  void stop() {
    own.shutdownTestKit();
    peer.shutdownTestKit();
  }

  @Test
  void a_peer_is_found_without_a_shard_coordinator() {
    TestProbe<BrokerMessage> broker = peer.createTestProbe();
    peer.system()
        .systemActorOf(
            Behaviors.setup(
                context -> {
                  context.spawn(
                      Behaviors.monitor(BrokerMessage.class, broker.getRef(), Behaviors.ignore()),
                      "broker");
                  return Behaviors.empty();
                }),
            "tidemark",
            Props.empty());
    TestProbe<ReplicaMessage.Located> answers = own.createTestProbe();
    PartitionId partition = new PartitionId(new UUID(1, 2), 3);
    String address = BrokerAllocation.hostPort(peer.system().address());
    MetadataImage image =
        MetadataImage.EMPTY.apply(
            0,
            new BrokerRegistered(7, UUID.randomUUID(), UUID.randomUUID(), address, 0, "", 1 << 20));
    PeerLookup lookup =
        new PeerLookup(new ClusterNodes(own.system(), List.of("127.0.0.1:1")), () -> image);

    lookup.locate(partition, 8, answers.getRef());
    lookup.locate(partition, 7, answers.getRef());

    BrokerMessage.FindReplica asked =
        broker.expectMessageClass(BrokerMessage.FindReplica.class, Duration.ofSeconds(20));
    assertEquals(partition, asked.partition());
    assertEquals(7, asked.brokerId());
    ReplicaMessage.Located found =
        new ReplicaMessage.Located(
            partition, 7, peer.<ReplicaMessage>createTestProbe().getRef(), 5);
    asked.replyTo().tell(found);
    assertEquals(5, answers.receiveMessage(Duration.ofSeconds(20)).dataPort());
  }
}
