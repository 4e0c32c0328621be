package io.tidemark.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.ConfigFactory;
import io.tidemark.controller.MetadataImage;
import io.tidemark.group.GroupSettings;
import io.tidemark.protocol.CommittedOffset;
import io.tidemark.protocol.ControllerRequest.CreateGroupsTopic;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.FetchResponse.CurrentLeader;
import io.tidemark.protocol.GroupRequest;
import io.tidemark.protocol.GroupRequest.CommitOffsets;
import io.tidemark.protocol.GroupRequest.FetchOffsets;
import io.tidemark.protocol.GroupRequest.Heartbeat;
import io.tidemark.protocol.GroupResponse;
import io.tidemark.protocol.GroupResponse.Assigned;
import io.tidemark.protocol.GroupResponse.OffsetsFetched;
import io.tidemark.protocol.ListOffsetsResponse;
import io.tidemark.protocol.MetadataRecord;
import io.tidemark.protocol.MetadataRecord.PartitionChanged;
import io.tidemark.protocol.MetadataRecord.TopicCreated;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import io.tidemark.protocol.ProduceResponse;
import io.tidemark.record.Compression;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatchBuilder;
import io.tidemark.wire.BrokerMessage.AskGroup;
import io.tidemark.wire.BrokerMessage.GroupAnswered;
import io.tidemark.wire.ReplicaMessage;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The coordinators of a broker, over a replica that answers as the test says. */
class GroupCoordinatorsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int SELF = 1;
  private static final UUID GROUPS = new UUID(1, 1);
  private static final UUID ORDERS = new UUID(2, 2);
  private static final PartitionId ORDERS_0 = new PartitionId(ORDERS, 0);

  /** A log of one partition; each answer to a write is an error while there are any left. */
  private static final class Replica {
    private final Deque<ErrorCode> errors = new ArrayDeque<>();
    private final List<ByteBuffer> batches = new ArrayList<>();
    private int epoch = 1;
    private long end;
    private int refused;
    private int fetches;

    synchronized void fails(ErrorCode... next) {
      errors.addAll(List.of(next));
    }

    synchronized void leadsIn(int newEpoch) {
      epoch = newEpoch;
    }

    synchronized int fetches() {
      return fetches;
    }

    synchronized int refused() {
      return refused;
    }

    synchronized void on(ReplicaMessage message) {
      CurrentLeader leader = new CurrentLeader(SELF, epoch);
      if (message instanceof ReplicaMessage.Produce produce) {
        ErrorCode error = errors.isEmpty() ? ErrorCode.NONE : errors.poll();
        long base = end;
        if (error == ErrorCode.NONE || error == ErrorCode.REQUEST_TIMED_OUT) {
          append(produce.request().batches());
        }
        refused += error == ErrorCode.NONE ? 0 : 1;
        produce
            .replyTo()
            .tell(
                new ReplicaMessage.ProduceReply(
                    produce.requestId(), new ProduceResponse(error, base, 0, leader, "")));
      } else if (message instanceof ReplicaMessage.ListOffsets list) {
        list.replyTo()
            .tell(
                new ReplicaMessage.ListOffsetsReply(
                    list.requestId(), ListOffsetsResponse.of(0, leader)));
      } else if (message instanceof ReplicaMessage.Fetch fetch) {
        fetches++;
        fetch
            .replyTo()
            .tell(
                new ReplicaMessage.FetchReply(
                    fetch.requestId(), read(fetch.request().fetchOffset())));
      }
    }

    synchronized void holds(ByteBuffer batch) {
      append(batch);
    }

    synchronized void isEmptied() {
      batches.clear();
    }

    /** As a leader stamps it. */
    private void append(ByteBuffer batch) {
      ByteBuffer stamped = ByteBuffer.allocate(batch.remaining()).put(batch.duplicate()).flip();
      stamped.putLong(0, end).putInt(12, epoch);
      batches.add(stamped);
      end = RecordBatch.at(stamped, 0).nextOffset();
    }

    /** One batch at a time. */
    private FetchResponse read(long offset) {
      FetchResponse head = FetchResponse.of(end, 0, SELF, epoch);
      for (ByteBuffer batch : batches) {
        if (RecordBatch.at(batch, 0).baseOffset() >= offset) {
          return head.withRecords(batch.duplicate());
        }
      }
      return head;
    }
  }

  private final Replica replica = new Replica();
  private ActorTestKit kit;
  private TestProbe<GroupAnswered> member;
  private ActorRef<GroupCoordinators.Command> coordinators;
  private long requests;

  @BeforeEach
  void start() {
    kit = ActorTestKit.create("groups", ConfigFactory.load());
    member = kit.createTestProbe();
    ActorRef<ReplicaMessage> ref =
        kit.spawn(
            Behaviors.receiveMessage(
                message -> {
                  replica.on(message);
                  return Behaviors.same();
                }));
    coordinators =
        kit.spawn(
            GroupCoordinators.create(
                new GroupCoordinators.Setup(
                    SELF,
                    (partition, broker, replyTo) ->
                        replyTo.tell(new ReplicaMessage.Located(partition, broker, ref, 0)),
                    GroupSettings.DEFAULT)));
  }

  @AfterEach
  void stop() {
    kit.shutdownTestKit();
  }

  private void leads(int broker, int epoch) {
    List<Integer> all = List.of(1, 2);
    MetadataImage image = MetadataImage.EMPTY;
    List<MetadataRecord> records =
        List.of(
            new TopicCreated(CreateGroupsTopic.NAME, GROUPS, Map.of()),
            new PartitionChanged(
                new PartitionId(GROUPS, 0),
                new PartitionState(all, all, List.of(), broker, epoch, epoch, false)),
            new TopicCreated("orders", ORDERS, Map.of()),
            new PartitionChanged(
                ORDERS_0, new PartitionState(all, all, List.of(), 1, 1, 1, false)));
    for (MetadataRecord record : records) {
      image = image.apply(image.nextOffset(), record);
    }
    coordinators.tell(new GroupCoordinators.ImageChanged(image));
  }

  private GroupResponse ask(GroupRequest request) {
    long id = ++requests;
    coordinators.tell(new GroupCoordinators.Asked(new AskGroup(id, request, member.getRef())));
    GroupAnswered answer = member.receiveMessage(PATIENCE);
    assertEquals(id, answer.requestId());
    return answer.response();
  }

  /** As members do: again while that may help. */
  private GroupResponse askUntilAnswered(GroupRequest request) {
    return member.awaitAssert(
        PATIENCE,
        Duration.ofMillis(20),
        () -> {
          GroupResponse response = ask(request);
          assertTrue(!response.error().isRetriable(), response::toString);
          return response;
        });
  }

  private static Heartbeat join(String id) {
    return new Heartbeat("billing", id, Heartbeat.JOIN, 0, List.of(), List.of("orders"), 10_000);
  }

  private Assigned joined(String id) {
    return (Assigned) askUntilAnswered(join(id));
  }

  @Test
  void a_member_joins_where_the_partition_is_led_and_is_sent_away_elsewhere() {
    assertEquals(ErrorCode.NOT_COORDINATOR, ask(join("a")).error());

    leads(SELF, 1);
    assertEquals(ORDERS_0, joined("a").partitions().get(0).partition());

    leads(2, 2);
    assertEquals(ErrorCode.NOT_COORDINATOR, ask(join("a")).error());
  }

  @Test
  void what_too_few_replicas_are_in_sync_for_is_written_when_they_are() {
    replica.fails(ErrorCode.LEADER_NOT_AVAILABLE, ErrorCode.NOT_LEADER_OR_FOLLOWER);
    leads(SELF, 1);
    joined("a");
    replica.fails(ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.NOT_ENOUGH_REPLICAS);

    Assigned second = (Assigned) ask(join("b"));

    assertEquals(2, second.generation());
    assertEquals(4, replica.refused());
  }

  @Test
  void when_it_is_not_known_what_became_of_a_write_the_log_tells() {
    leads(SELF, 1);
    joined("a");
    replica.fails(ErrorCode.REQUEST_TIMED_OUT);

    assertEquals(ErrorCode.NOT_COORDINATOR, ask(join("b")).error());

    assertEquals(2, joined("b").generation(), "the write had been made");
  }

  @Test
  void a_new_epoch_on_the_same_broker_reads_what_the_old_one_wrote() {
    leads(SELF, 1);
    Assigned joined = joined("a");
    List<CommittedOffset> offsets = List.of(new CommittedOffset(ORDERS_0, 42, 1));
    CommitOffsets commit = new CommitOffsets("billing", "a", 1, joined.version(), 1, offsets);
    assertEquals(ErrorCode.NONE, ask(commit).error());

    replica.leadsIn(3);
    leads(SELF, 3);

    OffsetsFetched fetched = (OffsetsFetched) askUntilAnswered(new FetchOffsets("billing"));
    assertEquals(offsets, fetched.offsets());
    assertEquals(ErrorCode.ILLEGAL_GENERATION, ask(commit).error(), "from before the fail-over");
  }

  @Test
  void coordinators_that_failed_begin_anew_by_themselves() {
    RecordBatchBuilder garbage = new RecordBatchBuilder(Compression.NONE, 100);
    garbage.append(0, null, ByteBuffer.wrap(new byte[] {99}), List.of());
    replica.holds(garbage.build(0, -1));
    leads(SELF, 1);
    assertEquals(ErrorCode.COORDINATOR_LOADING, ask(join("a")).error());
    member.awaitAssert(
        PATIENCE,
        () -> {
          assertTrue(replica.fetches() > 0);
          return null;
        });

    replica.isEmptied();

    assertEquals(1, joined("a").generation());
  }
}
