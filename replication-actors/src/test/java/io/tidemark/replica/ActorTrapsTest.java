package io.tidemark.replica;

import static io.tidemark.replica.ScenarioBatches.batch;
import static io.tidemark.replica.ScenarioBatches.batchOf;
import static io.tidemark.replica.ScenarioBatches.stored;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.FishingOutcomes;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import com.typesafe.config.ConfigFactory;
import io.tidemark.protocol.ControllerRequest.AlterPartition;
import io.tidemark.protocol.ControllerResponse;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import io.tidemark.protocol.ProduceRequest;
import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.protocol.ProduceResponse;
import io.tidemark.replica.PartitionView.Peer;
import io.tidemark.wire.BrokerMessage;
import io.tidemark.wire.ReplicaMessage;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What goes wrong when replication is done by actors whose writes end later: on the actors. */
class ActorTrapsTest {
  private static final int SELF = 1;
  private static final int PEER = 2;
  private static final PartitionId PARTITION = new PartitionId(new UUID(3, 4), 0);
  private static final String CONFIG =
      """
      akka.actor.testkit.typed { single-expect-default = 20s, default-timeout = 20s }
      test.journal {
        class = "io.tidemark.replica.HeldJournal"
        plugin-dispatcher = "akka.actor.default-dispatcher"
        circuit-breaker { max-failures = 1000, call-timeout = 1h, reset-timeout = 1ms }
        replay-filter.mode = off
        recovery-event-timeout = 60s
      }
      """;

  private final HeldJournal.Disk disk = new HeldJournal.Disk();
  private ActorTestKit kit;
  private TestProbe<BrokerMessage> broker;
  private TestProbe<ReplicaMessage> peer;
  private TestProbe<ReplicaMessage.ProduceReply> produced;
  private TestProbe<ReplicaMessage.FetchReply> fetched;
  private ActorRef<ReplicaMessage> replica;
  private int partitionEpoch;
  private long nextRequest = 1;

  @BeforeEach
  void start() {
    HeldJournal.disk = disk;
    kit =
        ActorTestKit.create(
            "traps", ConfigFactory.parseString(CONFIG).withFallback(ConfigFactory.load()));
    broker = kit.createTestProbe();
    peer = kit.createTestProbe();
    produced = kit.createTestProbe();
    fetched = kit.createTestProbe();
    spawn();
  }

  @AfterEach
  void stop() {
    kit.shutdownTestKit();
  }

  private void spawn() {
    PartitionReplica.Node node =
        new PartitionReplica.Node(
            SELF,
            new ReplicaSettings(1 << 20, 100, 1, 30_000, 200, 20, 1 << 20, 60_000),
            Throttle.at(0),
            new LogAccess.Place(
                "test.journal",
                "akka.persistence.no-snapshot-store",
                disk,
                new TailCache.Budget(1 << 20)),
            (partition, id, replyTo) ->
                replyTo.tell(new ReplicaMessage.Located(partition, id, peer.getRef(), 0)),
            broker.getRef());
    replica = kit.spawn(PartitionReplica.create(node, PARTITION));
  }

  private void tell(int leader, int leaderEpoch, Integer... isr) {
    PartitionState state =
        new PartitionState(
            List.of(SELF, PEER),
            List.of(isr),
            List.of(),
            leader,
            leaderEpoch,
            ++partitionEpoch,
            false);
    replica.tell(
        new PartitionReplica.TakeView(
            new PartitionView(
                PARTITION,
                state,
                10,
                "",
                TopicRules.keepingAll(1, 1 << 20),
                Map.of(PEER, new Peer(20, true, "")))));
  }

  private void lead(int epoch, Integer... isr) {
    tell(SELF, epoch, isr);
    awaitDescribed(it -> assertTrue(it.leader() && it.leaderEpoch() == epoch, it::toString));
  }

  private interface Check {
    void of(ReplicaMessage.Described described);
  }

  private ReplicaMessage.Described describe() {
    TestProbe<ReplicaMessage.Described> described = kit.createTestProbe();
    replica.tell(new ReplicaMessage.Describe(described.getRef()));
    return described.receiveMessage(Duration.ofSeconds(1));
  }

  private void awaitDescribed(Check check) {
    broker.awaitAssert(
        () -> {
          check.of(describe());
          return null;
        });
  }

  private void produce(Acks acks, ByteBuffer batch) {
    replica.tell(
        new ReplicaMessage.Produce(
            nextRequest++, new ProduceRequest(PARTITION, acks, batch), produced.getRef()));
  }

  private ProduceResponse answer() {
    return produced.receiveMessage().response();
  }

  private void fetchAsPeer(int epoch, long offset, int lastEpoch) {
    replica.tell(
        new ReplicaMessage.Fetch(
            nextRequest++,
            new FetchRequest(
                PEER,
                20,
                null,
                0,
                1,
                PARTITION,
                epoch,
                offset,
                offset,
                lastEpoch,
                0,
                1 << 20,
                Long.MAX_VALUE,
                ""),
            fetched.getRef()));
  }

  private FetchResponse fetchedByPeer(int epoch, long offset, int lastEpoch) {
    fetchAsPeer(epoch, offset, lastEpoch);
    return fetched.receiveMessage().response();
  }

  /** The fetch of this replica as a follower. */
  private ReplicaMessage.Fetch ownFetch() {
    return peer
        .fishForMessage(
            Duration.ofSeconds(20),
            message ->
                message instanceof ReplicaMessage.Fetch
                    ? FishingOutcomes.complete()
                    : FishingOutcomes.continueAndIgnore())
        .stream()
        .map(ReplicaMessage.Fetch.class::cast)
        .findFirst()
        .orElseThrow();
  }

  private <T extends BrokerMessage> T told(Class<T> type) {
    return broker
        .fishForMessage(
            Duration.ofSeconds(20),
            message ->
                type.isInstance(message)
                    ? FishingOutcomes.complete()
                    : FishingOutcomes.continueAndIgnore())
        .stream()
        .map(type::cast)
        .findFirst()
        .orElseThrow();
  }

  private void awaitHeldWrite() {
    broker.awaitAssert(
        () -> {
          assertTrue(disk.isHolding());
          return null;
        });
  }

  @Test
  void trap_a_nothing_counts_before_the_disk_has_it() {
    lead(0, SELF, PEER);
    disk.hold();

    produce(Acks.LEADER, batch("m"));
    awaitHeldWrite();

    FetchResponse shown = fetchedByPeer(0, 0, 0);
    assertTrue(shown.records().hasRemaining());
    assertEquals(0, shown.highWatermark());
    assertEquals(0, fetchedByPeer(0, 1, 0).highWatermark());
    assertEquals(0, describe().endOffset());
    produced.expectNoMessage(Duration.ZERO);
    disk.release();
    assertEquals(0, answer().baseOffset());
    assertEquals(1, describe().endOffset());
    assertTrue(fetchedByPeer(0, 0, 0).records().hasRemaining());
  }

  @Test
  void trap_b_a_write_that_ends_after_the_role_has_changed_is_taken_as_what_it_is_then() {
    tell(PEER, 0, SELF, PEER);
    ReplicaMessage.Fetch fetch = ownFetch();
    disk.hold();
    FetchResponse records = FetchResponse.of(0, 0, PEER, 0).withRecords(stored(0, 0, "m0"));
    fetch.replyTo().tell(new ReplicaMessage.FetchReply(fetch.requestId(), records));
    awaitHeldWrite();

    tell(SELF, 1, SELF);
    produce(Acks.LEADER, batch("too early"));
    assertTrue(answer().error().isRetriable());
    assertFalse(describe().leader());
    disk.release();

    awaitDescribed(it -> assertTrue(it.leader()));
    produce(Acks.LEADER, batch("m1"));
    assertEquals(1, answer().baseOffset());
  }

  @Test
  void trap_c_an_ask_that_times_out_may_have_been_done_so_the_leader_goes_on_waiting() {
    lead(0, SELF);
    fetchAsPeer(0, 0, -1);
    BrokerMessage.AskController ask = told(BrokerMessage.AskController.class);
    assertEquals(2, ((AlterPartition) ask.request()).isr().size());

    ask.replyTo()
        .tell(
            new BrokerMessage.ControllerAnswered(
                ask.requestId(),
                new ControllerResponse.Failed(ErrorCode.REQUEST_TIMED_OUT, "unknown")));
    BrokerMessage.AskController again = told(BrokerMessage.AskController.class);
    produce(Acks.ALL, batch("m"));
    awaitDescribed(it -> assertEquals(1, it.endOffset()));

    assertEquals(ask.request(), again.request());
    assertEquals(0, describe().highWatermark());
    produced.expectNoMessage(Duration.ZERO);
    fetchAsPeer(0, 1, 0);
    assertEquals(ErrorCode.NONE, answer().error());
  }

  @Test
  void trap_d_an_answer_that_is_not_to_the_outstanding_request_is_dropped() {
    tell(PEER, 0, SELF, PEER);
    ReplicaMessage.Fetch fetch = ownFetch();
    FetchResponse records = FetchResponse.of(0, 0, PEER, 0).withRecords(stored(0, 0, "m0"));

    fetch.replyTo().tell(new ReplicaMessage.FetchReply(fetch.requestId() - 1, records));
    assertEquals(0, describe().endOffset());
    fetch.replyTo().tell(new ReplicaMessage.FetchReply(fetch.requestId(), records));
    fetch.replyTo().tell(new ReplicaMessage.FetchReply(fetch.requestId(), records));

    awaitDescribed(it -> assertEquals(1, it.endOffset()));
    assertEquals(0, describe().refusedBatches());
  }

  @Test
  void trap_e_a_recovery_brings_back_epochs_producers_and_a_high_watermark_within_the_log() {
    lead(3, SELF);
    produce(Acks.ALL, batchOf(9, 0, 0, "once"));
    assertEquals(0, answer().baseOffset());
    kit.stop(replica);

    spawn();
    lead(4, SELF);
    produce(Acks.ALL, batchOf(9, 0, 0, "once"));

    assertEquals(0, answer().baseOffset());
    ReplicaMessage.Described now = describe();
    assertEquals(1, now.endOffset());
    assertEquals(1, now.highWatermark());
    assertEquals(
        new FetchResponse.Diverging(3, 1), fetchedByPeer(4, 2, 3).diverging(), "epoch 3 ends at 1");
  }

  @Test
  void trap_f_a_write_that_fails_ends_the_leadership_with_unknown_outcomes() {
    lead(0, SELF);
    disk.hold();
    produce(Acks.LEADER, batch("in flight"));
    awaitHeldWrite();
    produce(Acks.LEADER, batch("gathered"));
    disk.fail();
    disk.release();

    assertEquals(ErrorCode.NONE, answer().error());
    assertEquals(ErrorCode.NOT_LEADER_OR_FOLLOWER, answer().error());
    assertTrue(told(PartitionReplica.ReplicaFailed.class).wasLeader());
    broker.expectTerminated(replica);
  }

  @Test
  void trap_f_a_follower_whose_write_fails_tells_its_leader_at_once() {
    tell(PEER, 0, SELF, PEER);
    ReplicaMessage.Fetch fetch = ownFetch();
    disk.fail();
    FetchResponse records = FetchResponse.of(0, 0, PEER, 0).withRecords(stored(0, 0, "m0"));
    fetch.replyTo().tell(new ReplicaMessage.FetchReply(fetch.requestId(), records));

    assertFalse(told(PartitionReplica.ReplicaFailed.class).wasLeader());
    assertEquals(SELF, peer.expectMessageClass(ReplicaMessage.Offline.class).message().replica());
    broker.expectTerminated(replica);
  }

  @Test
  void trap_g_received_bytes_are_never_written_to() {
    lead(5, SELF);
    produce(Acks.LEADER, batch("before"));
    answer();
    ByteBuffer sent = batch("m");
    byte[] before = sent.array().clone();

    produce(Acks.LEADER, sent);

    assertEquals(1, answer().baseOffset());
    assertArrayEquals(before, sent.array());
  }

  @Test
  void s38_after_an_append_that_failed_nothing_is_taken_and_the_next_start_is_without_it() {
    lead(0, SELF);
    produce(Acks.LEADER, batch("kept"));
    assertEquals(0, answer().baseOffset());
    disk.fail();

    produce(Acks.LEADER, batch("lost"));
    assertEquals(ErrorCode.NOT_LEADER_OR_FOLLOWER, answer().error());
    produce(Acks.LEADER, batch("later"));
    assertTrue(told(PartitionReplica.ReplicaFailed.class).wasLeader());
    broker.expectTerminated(replica);
    produced.expectNoMessage(Duration.ZERO);
    disk.repair();
    spawn();
    lead(1, SELF);

    assertEquals(1, describe().endOffset());
    produce(Acks.LEADER, batch("after the repair"));
    assertEquals(1, answer().baseOffset());
  }
}
