package io.tidemark.controller;

import static io.tidemark.controller.ControllerFixture.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.controller.ControllerInput.Activated;
import io.tidemark.controller.ControllerInput.Deactivated;
import io.tidemark.protocol.ControllerRequest.BrokerDied;
import io.tidemark.protocol.ControllerRequest.CreateTopic;
import io.tidemark.protocol.ControllerRequest.Heartbeat;
import io.tidemark.protocol.ControllerRequest.InitProducerId;
import io.tidemark.protocol.ControllerResponse.BrokerRegistered;
import io.tidemark.protocol.ControllerResponse.HeartbeatAnswered;
import io.tidemark.protocol.ControllerResponse.ProducerIdGiven;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.MetadataRecord;
import io.tidemark.protocol.MetadataRecord.LeaderStarted;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ControllerCoreTest {

  @Test
  void aRecordOfTheQuorumsOwnTakesAnOffsetAndChangesNothingElse() {
    ControllerFixture controller = ControllerFixture.withBrokers(1);
    long offset = controller.image.nextOffset();
    controller.image = controller.image.apply(offset, new LeaderStarted(-1, 1));

    controller.send(new ControllerInput.ControlRecordAppended(offset));
    controller.start(2);

    assertEquals(offset + 1, controller.epoch(2), "a broker's epoch is its record's offset");
  }

  @Test
  void anInactiveControllerRefusesEverything() {
    ControllerFixture controller = new ControllerFixture();
    controller.send(new Deactivated());
    assertEquals(ErrorCode.NOT_CONTROLLER, controller.error(new InitProducerId()));
    assertEquals(ErrorCode.NOT_CONTROLLER, controller.register(1, 1, true).error());
  }

  @Test
  void aDirectoryOfAnotherClusterIsRefusedAndOneOfThisClusterIsNot() {
    ControllerFixture controller = new ControllerFixture();
    UUID foreign = new UUID(9, 9);
    assertEquals(
        ErrorCode.INCONSISTENT_CLUSTER_ID,
        controller.error(ControllerFixture.registration(1, 1, true, 1, foreign)));
    assertNull(controller.image.clusterId());

    controller.register(1, 1, true);
    UUID own = controller.image.clusterId();

    assertEquals(new UUID(1, 1), own);
    assertEquals(
        ErrorCode.INCONSISTENT_CLUSTER_ID,
        controller.error(ControllerFixture.registration(2, 1, true, 2, foreign)));
    assertEquals(
        ErrorCode.NONE, controller.error(ControllerFixture.registration(2, 1, true, 2, own)));
    controller.register(1, 2, true);
    assertEquals(own, controller.image.clusterId());
  }

  @Test
  void anAnswerWaitsForItsRecordsToBeCommitted() {
    ControllerFixture controller = new ControllerFixture();
    controller.holdCommits();
    long token = controller.post(new InitProducerId());
    assertNull(controller.replies.get(token));
    controller.commitAll();
    assertEquals(new ProducerIdGiven(ErrorCode.NONE, 0), controller.replies.get(token));
  }

  @Test
  void anAnswerWithoutAChangeWaitsForWhatItTellsOf() {
    ControllerFixture controller = ControllerFixture.withBrokers(1);
    controller.holdCommits();
    controller.post(new CreateTopic(controller.topicId(), "orders", 1, 1, Map.of()));
    long again = controller.post(new CreateTopic(controller.topicId(), "orders", 1, 1, Map.of()));
    assertNull(controller.replies.get(again));
    controller.commitAll();
    assertEquals(ErrorCode.TOPIC_ALREADY_EXISTS, controller.replies.get(again).error());
  }

  @Test
  void aHeartbeatIsAnsweredAtOnceUnlessItTellsOfAChange() {
    ControllerFixture controller = ControllerFixture.withBrokers(1, 2);
    controller.holdCommits();
    controller.post(new InitProducerId());
    assertEquals(new HeartbeatAnswered(ErrorCode.NONE, false, false), controller.beat(1));
    assertNull(controller.leave(1));
    assertNull(controller.leave(1), "the repeated one tells of the same record");
    assertEquals(new HeartbeatAnswered(ErrorCode.NONE, false, false), controller.beat(2));
  }

  @Test
  void aDeposedControllerFailsWhatWaits() {
    ControllerFixture controller = new ControllerFixture();
    controller.holdCommits();
    long token = controller.post(new InitProducerId());
    controller.send(new Deactivated());
    assertEquals(ErrorCode.NOT_CONTROLLER, controller.replies.get(token).error());
    controller.commitAll();
  }

  @Test
  void waitingAnswersAreBoundedAndBrokersKeepTheirSessionsThen() {
    ControllerFixture controller =
        new ControllerFixture(
            new ControllerSettings(Duration.ofSeconds(2), 2, Duration.ofSeconds(30), Map.of()));
    controller.start(1);
    controller.holdCommits();
    controller.post(new InitProducerId());
    controller.post(new InitProducerId());
    assertEquals(ErrorCode.REQUEST_TIMED_OUT, controller.error(new InitProducerId()));
    controller.now += SECOND;
    assertEquals(
        ErrorCode.REQUEST_TIMED_OUT,
        controller.error(new Heartbeat(1, controller.epoch(1), 0, false)));
    controller.tickAt(controller.now + 2 * SECOND);
    assertEquals(false, controller.image.brokers().get(1).fenced());
  }

  @Test
  void theSameIncarnationRegistersOnce() {
    ControllerFixture controller = new ControllerFixture();
    BrokerRegistered first = (BrokerRegistered) controller.register(1, 1, true);
    assertEquals(first, controller.register(1, 1, true));
    assertEquals(1, controller.batches.size());
    assertEquals(1, first.brokerEpoch());
  }

  @Test
  void anotherDirectoryIsRefusedWhileTheBrokerLives() {
    ControllerFixture controller = ControllerFixture.withBrokers(1);
    assertEquals(
        ErrorCode.DUPLICATE_BROKER_REGISTRATION, controller.register(1, 2, true, 9).error());
    controller.now += 3 * SECOND;
    assertEquals(ErrorCode.NONE, controller.register(1, 2, true, 9).error());
  }

  @Test
  void anotherDirectoryIsNeverACleanRestart() {
    ControllerFixture controller = ControllerFixture.withBrokers(1);
    PartitionId partition = controller.create("orders", 1, Map.of());
    controller.die(1);
    assertEquals(List.of(1), controller.state(partition).elr());
    controller.register(1, 2, true, 9);
    assertEquals(List.of(), controller.state(partition).elr());
  }

  @Test
  void aNewIncarnationNeverLeadsInAnOldEpoch() {
    ControllerFixture controller = ControllerFixture.withBrokers(1);
    PartitionId partition = controller.create("orders", 1, Map.of());
    PartitionState before = controller.state(partition);
    controller.register(1, 2, true);
    List<MetadataRecord> batch = controller.batches.get(controller.batches.size() - 1);
    assertEquals(3, batch.size(), "fenced, partition changed and registered in one batch");
    assertEquals(PartitionState.NO_LEADER, controller.state(partition).leader());
    controller.beat(1);
    assertEquals(1, controller.state(partition).leader());
    assertEquals(before.leaderEpoch() + 2, controller.state(partition).leaderEpoch());
  }

  @Test
  void heartbeatsOfUnknownAndOldIncarnationsAreRefused() {
    ControllerFixture controller = ControllerFixture.withBrokers(1);
    assertEquals(
        ErrorCode.BROKER_ID_NOT_REGISTERED, controller.error(new Heartbeat(7, 0, 99, false)));
    long old = controller.epoch(1);
    controller.register(1, 2, true);
    assertEquals(ErrorCode.STALE_BROKER_EPOCH, controller.error(new Heartbeat(1, old, 99, false)));
  }

  @Test
  void aBrokerStaysFencedUntilItHasReadItsRegistration() {
    ControllerFixture controller = new ControllerFixture();
    controller.register(1, 1, true);
    long epoch = controller.epoch(1);
    assertEquals(
        new HeartbeatAnswered(ErrorCode.NONE, true, false),
        controller.ask(new Heartbeat(1, epoch, epoch, false)));
    assertEquals(
        new HeartbeatAnswered(ErrorCode.NONE, false, false),
        controller.ask(new Heartbeat(1, epoch, epoch + 1, false)));
  }

  @Test
  void aSilentBrokerIsFencedAndItsPartitionsMove() {
    ControllerFixture controller = ControllerFixture.withBrokers(1, 2, 3);
    PartitionId partition = controller.create("orders", 3, Map.of());
    int leader = controller.state(partition).leader();
    controller.now += SECOND;
    List.of(1, 2, 3).stream().filter(id -> id != leader).forEach(controller::beat);
    controller.tickAt(controller.now + 3 * SECOND / 2);
    assertTrue(controller.image.brokers().get(leader).fenced());
    assertNotEquals(leader, controller.state(partition).leader());
    assertEquals(2, controller.state(partition).isr().size());
  }

  @Test
  void brokersThatFallSilentTogetherLeaveInOneStep() {
    ControllerFixture controller = ControllerFixture.withBrokers(1, 2, 3);
    PartitionId partition = controller.create("orders", 3, Map.of());
    int epoch = controller.state(partition).partitionEpoch();
    controller.tickAt(controller.now + 3 * SECOND);
    assertEquals(List.of(), controller.state(partition).isr());
    assertEquals(3, controller.state(partition).elr().size());
    assertEquals(epoch + 1, controller.state(partition).partitionEpoch());
  }

  @Test
  void aNewControllerGivesEveryBrokerAFullSession() {
    ControllerFixture controller = ControllerFixture.withBrokers(1);
    controller.now += 10 * SECOND;
    controller.send(new Activated(2, controller.image, controller.image.nextOffset()));
    controller.tickAt(controller.now + 2 * SECOND);
    assertEquals(false, controller.image.brokers().get(1).fenced());
    controller.tickAt(controller.now + 1);
    assertEquals(true, controller.image.brokers().get(1).fenced());
  }

  @Test
  void theDeathOfAnOlderIncarnationIsIgnored() {
    ControllerFixture controller = ControllerFixture.withBrokers(1);
    UUID old = controller.image.brokers().get(1).incarnation();
    controller.restart(1, 2, true);
    assertEquals(ErrorCode.NONE, controller.error(new BrokerDied(1, old)));
    assertEquals(false, controller.image.brokers().get(1).fenced());
  }

  @Test
  void aHeartbeatFromBeforeItsDeathDoesNotBringABrokerBack() {
    ControllerFixture controller = ControllerFixture.withBrokers(1);
    Heartbeat underWay =
        new Heartbeat(1, controller.epoch(1), controller.image.nextOffset(), false);
    controller.die(1);
    controller.ask(underWay);
    assertEquals(true, controller.image.brokers().get(1).fenced());
    controller.beat(1);
    assertEquals(false, controller.image.brokers().get(1).fenced());
  }

  @Test
  void aBrokerThatLeavesHandsOverAndThenMayShutDown() {
    ControllerFixture controller = ControllerFixture.withBrokers(1, 2, 3);
    PartitionId partition = controller.create("orders", 3, Map.of());
    int leader = controller.state(partition).leader();
    assertEquals(new HeartbeatAnswered(ErrorCode.NONE, false, true), controller.leave(leader));
    assertNotEquals(leader, controller.state(partition).leader());
    assertEquals(false, controller.state(partition).isr().contains(leader));
    controller.beat(leader);
    assertEquals(true, controller.image.brokers().get(leader).shuttingDown());
    assertEquals(ErrorCode.INELIGIBLE_REPLICA, controller.propose(partition, List.of(1, 2, 3)));
  }

  @Test
  void theOnlyMemberMayShutDownAndIsEligibleOnceItIsFenced() {
    ControllerFixture controller = ControllerFixture.withBrokers(1);
    PartitionId partition = controller.create("orders", 1, Map.of());
    assertEquals(new HeartbeatAnswered(ErrorCode.NONE, false, true), controller.leave(1));
    assertEquals(List.of(1), controller.state(partition).isr());
    assertEquals(1, controller.state(partition).leader());
    controller.die(1);
    assertEquals(List.of(1), controller.state(partition).elr());
    controller.restart(1, 2, true);
    assertEquals(1, controller.state(partition).leader());
  }

  @Test
  void producerIdsAreNeverGivenTwiceAcrossControllers() {
    ControllerFixture controller = new ControllerFixture();
    assertEquals(new ProducerIdGiven(ErrorCode.NONE, 0), controller.ask(new InitProducerId()));
    assertEquals(new ProducerIdGiven(ErrorCode.NONE, 1), controller.ask(new InitProducerId()));
    assertEquals(1, controller.batches.size());
    controller.send(new Activated(2, controller.image, controller.image.nextOffset()));
    for (int id = 1_000; id <= 2_000; id++) {
      assertEquals(new ProducerIdGiven(ErrorCode.NONE, id), controller.ask(new InitProducerId()));
    }
    assertEquals(3, controller.batches.size());
  }
}
