package io.tidemark.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.ActorRef;
import akka.actor.ActorSystem;
import akka.actor.Props;
import akka.cluster.Cluster;
import akka.cluster.MemberStatus;
import akka.testkit.TestActors;
import akka.testkit.javadsl.TestKit;
import com.typesafe.config.ConfigFactory;
import io.tidemark.controller.MetadataImage;
import io.tidemark.protocol.MetadataRecord;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Vector$;
import scala.jdk.javaapi.FutureConverters;

class BrokerAllocationTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String NODE_CONFIG =
      """
      akka.actor.provider = cluster
      akka.fail-mixed-versions = off
      akka.remote.artery.canonical { hostname = "127.0.0.1", port = 0 }
      akka.coordinated-shutdown.run-by-jvm-shutdown-hook = off
      """;

  private ActorSystem system;
  private String address;
  private Map<ActorRef, IndexedSeq<String>> regions;
  private MetadataImage image = MetadataImage.EMPTY;
  private BrokerAllocation allocation;

  @BeforeEach
  void startNode() {
    system =
        ActorSystem.create(
            "node", ConfigFactory.parseString(NODE_CONFIG).withFallback(ConfigFactory.load()));
    address = BrokerAllocation.hostPort(Cluster.get(system).selfAddress());
    ActorRef region = system.actorOf(Props.create(TestActors.EchoActor.class));
    regions = Map.of(region, Vector$.MODULE$.<String>empty());
    allocation = new BrokerAllocation(system, () -> image);
  }

  @AfterEach
  void stopNode() {
    TestKit.shutdownActorSystem(system);
  }

  @Test
  void a_brokers_replicas_are_placed_on_the_node_where_the_metadata_says_that_it_runs() {
    joinCluster();
    image = withBroker(4, address);

    assertEquals(region(), allocate("4").join());
  }

  @Test
  void a_broker_that_is_not_registered_has_its_replicas_nowhere() {
    joinCluster();

    assertNowhere("4");
  }

  @Test
  void a_broker_whose_node_has_no_region_has_its_replicas_nowhere() {
    joinCluster();
    image = withBroker(4, "127.0.0.1:1");

    assertNowhere("4");
  }

  @Test
  void a_broker_whose_node_is_not_up_in_the_cluster_has_its_replicas_nowhere() {
    image = withBroker(4, address);

    assertNowhere("4");
  }

  @Test
  void a_shard_that_is_no_broker_fails_without_throwing() {
    CompletableFuture<ActorRef> allocated = allocate("four");
    CompletionException failure = assertThrows(CompletionException.class, allocated::join);

    assertTrue(failure.getCause() instanceof NumberFormatException);
  }

  @Test
  void nothing_is_ever_moved() {
    CompletionStage<Set<String>> moved =
        FutureConverters.asJava(allocation.rebalance(regions, Set.of()));

    assertEquals(Set.of(), moved.toCompletableFuture().join());
  }

  private void joinCluster() {
    Cluster cluster = Cluster.get(system);
    cluster.join(cluster.selfAddress());
    new TestKit(system)
        .awaitAssert(
            PATIENCE,
            () -> {
              assertEquals(MemberStatus.up(), cluster.selfMember().status());
              return null;
            });
  }

  private ActorRef region() {
    return regions.keySet().iterator().next();
  }

  private CompletableFuture<ActorRef> allocate(String shard) {
    return FutureConverters.asJava(allocation.allocateShard(region(), shard, regions))
        .toCompletableFuture();
  }

  /** The coordinator takes no note of what is no region, and reports no error either. */
  private void assertNowhere(String shard) {
    assertEquals(system.deadLetters(), allocate(shard).join());
  }

  private static MetadataImage withBroker(int id, String address) {
    return MetadataImage.EMPTY.apply(
        0,
        new MetadataRecord.BrokerRegistered(
            id, UUID.randomUUID(), UUID.randomUUID(), address, 1, "", 1 << 20));
  }
}
