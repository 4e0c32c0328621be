package io.tidemark.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.FishingOutcomes;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import com.typesafe.config.ConfigFactory;
import io.tidemark.controller.ControllerReplica.ControllerMoved;
import io.tidemark.group.GroupSettings;
import io.tidemark.protocol.ControllerRequest;
import io.tidemark.protocol.ControllerRequest.AlterPartition;
import io.tidemark.protocol.ControllerRequest.BrokerDied;
import io.tidemark.protocol.ControllerRequest.RegisterBroker;
import io.tidemark.protocol.ControllerResponse;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.PartitionId;
import io.tidemark.replica.PartitionReplica.ReplicaFailed;
import io.tidemark.wire.BrokerMessage;
import io.tidemark.wire.ReplicaMessage;
import io.tidemark.wire.ReplicaMessage.ControllerAsk;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A broker as an actor, between its replicas and a controller. */
class BrokerNodeTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final UUID INCARNATION = new UUID(1, 1);
  private static final PartitionId PARTITION = new PartitionId(new UUID(7, 7), 0);

  private ActorTestKit kit;
  private TestProbe<ReplicaMessage> controller;
  private ActorRef<BrokerMessage> broker;

  @BeforeEach
  void registered() {
    kit = ActorTestKit.create("broker", ConfigFactory.load());
    controller = kit.createTestProbe();
    RegisterBroker registration =
        new RegisterBroker(
            3, INCARNATION, new UUID(2, 2), new UUID(9, 9), "host:1", 0, "", 1 << 20, true);
    broker =
        kit.spawn(
            BrokerNode.create(
                new BrokerNode.Setup(
                    registration,
                    (partition, message) -> {},
                    (partition, id, replyTo) -> {},
                    List.of(),
                    image -> {},
                    moved -> {},
                    1,
                    GroupSettings.DEFAULT,
                    refused -> {})));
    broker.tell(new ControllerMoved(1, controller.getRef()));
    ControllerAsk ask = asked(RegisterBroker.class);
    ask.replyTo()
        .tell(
            new BrokerMessage.ControllerAnswered(
                ask.requestId(), new ControllerResponse.BrokerRegistered(ErrorCode.NONE, 5)));
    asked(ControllerRequest.Heartbeat.class);
  }

  @AfterEach
  void stop() {
    kit.shutdownTestKit();
  }

  /** The next such request at the controller; others are passed over. */
  private ControllerAsk asked(Class<? extends ControllerRequest> kind) {
    return (ControllerAsk)
        controller
            .fishForMessage(
                PATIENCE,
                message ->
                    message instanceof ControllerAsk ask && kind.isInstance(ask.request())
                        ? FishingOutcomes.complete()
                        : FishingOutcomes.continueAndIgnore())
            .get(0);
  }

  @Test
  void s38_a_leader_whose_log_failed_has_its_leaderships_moved_and_comes_back_as_another() {
    broker.tell(new ReplicaFailed(PARTITION, true));

    assertEquals(new BrokerDied(3, INCARNATION), asked(BrokerDied.class).request());
    RegisterBroker again = (RegisterBroker) asked(RegisterBroker.class).request();
    assertEquals(3, again.brokerId());
    assertEquals(false, again.incarnation().equals(INCARNATION));
  }

  @Test
  void a_proposal_is_sent_once_since_its_leader_repeats_it_and_other_requests_are_repeated() {
    TestProbe<BrokerMessage.ControllerAnswered> asker = kit.createTestProbe();
    AlterPartition proposal = new AlterPartition(PARTITION, 3, 5, 1, 1, List.of(), false);
    broker.tell(new BrokerMessage.AskController(1, proposal, asker.getRef()));
    broker.tell(
        new BrokerMessage.AskController(2, new ControllerRequest.InitProducerId(), asker.getRef()));
    asked(AlterPartition.class);
    asked(ControllerRequest.InitProducerId.class);

    ControllerAsk next =
        (ControllerAsk)
            controller
                .fishForMessage(
                    PATIENCE,
                    message ->
                        message instanceof ControllerAsk ask
                                && (ask.request() instanceof AlterPartition
                                    || ask.request() instanceof ControllerRequest.InitProducerId)
                            ? FishingOutcomes.complete()
                            : FishingOutcomes.continueAndIgnore())
                .get(0);

    assertEquals(new ControllerRequest.InitProducerId(), next.request());
  }
}
