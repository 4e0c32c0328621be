package io.tidemark.cluster;

import static io.tidemark.cluster.NumberedRecords.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.Done;
import akka.actor.typed.ActorSystem;
import akka.stream.ActorAttributes;
import akka.stream.Supervision;
import akka.stream.javadsl.Keep;
import akka.stream.javadsl.Sink;
import io.tidemark.client.CommittableMessage;
import io.tidemark.client.Committer;
import io.tidemark.client.CommitterSettings;
import io.tidemark.client.Consumer;
import io.tidemark.client.Consumer.DrainingControl;
import io.tidemark.client.ConsumerRecord;
import io.tidemark.client.ConsumerSettings;
import io.tidemark.client.Subscription;
import io.tidemark.client.Subscriptions;
import io.tidemark.client.TopicFailure;
import io.tidemark.client.TopicPartition;
import io.tidemark.group.GroupRequests;
import io.tidemark.protocol.CommittedOffset;
import io.tidemark.protocol.ControllerRequest.CreateGroupsTopic;
import io.tidemark.protocol.PartitionState;
import io.tidemark.serialization.Deserializer;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Groups of consumers on real nodes, which stop and start again. */
class ConsumerGroupClusterTest {
  private static final int PARTITIONS = 6;

  @TempDir private static Path dir;
  private static LocalCluster cluster;
  private static ActorSystem<Void> system;
  private static int tests;

  /** Each test has its own. */
  private final String topic = "orders-" + ++tests;

  private final String group = "billing-" + tests;

  @BeforeAll
  static void startCluster() {
    cluster = new LocalCluster(dir);
    system = cluster.clientSystem();
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }

  private ConsumerSettings<ByteBuffer, Integer> settings() {
    return ConsumerSettings.create(
            cluster.client(), Deserializer.byteBuffer(), (from, data) -> data.getInt())
        .withGroupId(group)
        .withHeartbeatInterval(Duration.ofMillis(200))
        .withSessionTimeout(Duration.ofSeconds(6));
  }

  private CommitterSettings committer() {
    return CommitterSettings.create(cluster.client()).withMaxInterval(Duration.ofMillis(100));
  }

  /** A member of the group that takes note of what it has done before it is committed. */
  private final class Worker {
    private final Set<Integer> seen = new ConcurrentSkipListSet<>();
    private final Set<TopicPartition> partitions = ConcurrentHashMap.newKeySet();
    private final DrainingControl<Done> control;

    Worker(Set<Integer> done) {
      control =
          Consumer.committableSource(settings(), Subscriptions.topics(topic))
              .map(
                  message -> {
                    ConsumerRecord<ByteBuffer, Integer> record = message.record();
                    seen.add(record.value());
                    done.add(record.value());
                    partitions.add(new TopicPartition(record.topic(), record.partition()));
                    return message.committableOffset();
                  })
              .toMat(Committer.sink(committer()), Consumer::createDrainingControl)
              .run(system);
    }

    void end() {
      await(control.drainAndShutdown());
    }
  }

  private static Set<Integer> numbers(int count) {
    Set<Integer> all = new TreeSet<>();
    for (int i = 0; i < count; i++) {
      all.add(i);
    }
    return all;
  }

  private void awaitDone(Set<Integer> done, int count) {
    cluster.awaitAssert(
        () -> {
          Set<Integer> missing = numbers(count);
          missing.removeAll(done);
          assertEquals(Set.of(), missing, "not consumed");
        });
  }

  @Test
  void members_come_and_go_and_share_all_partitions_without_losing_a_record() {
    NumberedRecords records = cluster.createTopic(topic, PARTITIONS);
    Set<Integer> done = new ConcurrentSkipListSet<>();
    Worker first = new Worker(done);
    await(records.write(600));
    awaitDone(done, 600);
    assertEquals(PARTITIONS, first.partitions.size());

    Worker second = new Worker(done);
    Worker third = new Worker(done);
    cluster.awaitAssert(
        () -> {
          first.partitions.clear();
          int before = records.acknowledged();
          await(records.write(120));
          awaitDone(done, before + 120);
          assertEquals(2, first.partitions.size());
        });
    assertEquals(2, third.partitions.size());

    second.end();
    third.end();
    int before = records.acknowledged();
    await(records.write(600));
    awaitDone(done, before + 600);
    first.end();
    long committed =
        await(cluster.client().committedOffsets(group)).stream()
            .mapToLong(CommittedOffset::offset)
            .sum();
    assertEquals(records.acknowledged(), committed);
  }

  @Test
  void a_group_goes_on_where_it_was_when_the_node_of_its_coordinator_is_stopped() {
    NumberedRecords records = cluster.createTopic(topic, PARTITIONS);
    Set<Integer> done = new ConcurrentSkipListSet<>();
    Worker first = new Worker(done);
    Worker second = new Worker(done);
    await(records.write(600));
    awaitDone(done, 600);

    List<Integer> alone = new CopyOnWriteArrayList<>();
    TopicPartition partition = new TopicPartition(topic, 0);
    Consumer.Control reader =
        Consumer.plainSource(settings(), Subscriptions.assignmentFromEarliest(partition))
            .toMat(Sink.foreach(record -> alone.add(record.value())), Keep.left())
            .run(system);
    int stopped = coordinator();
    cluster.stop(stopped);
    await(records.write(600));
    awaitDone(done, 1_200);
    first.end();
    second.end();
    List<Integer> inOrder =
        numbers(1_200).stream().filter(number -> number % PARTITIONS == 0).toList();
    cluster.awaitAssert(() -> assertEquals(inOrder, alone, "each once, in order"));
    await(reader.shutdown());

    Set<Integer> late = new ConcurrentSkipListSet<>();
    Worker third = new Worker(late);
    await(records.write(60));
    awaitDone(done(late, 1_200), 1_260);
    third.end();
    assertEquals(60, late.size(), "records that were committed are read again: " + late);
    cluster.start(stopped);
    cluster.awaitWhole(topic);
  }

  /** As if everything below had been done before. */
  private static Set<Integer> done(Set<Integer> late, int below) {
    return new AbstractSet<>() {
      @Override
      public Iterator<Integer> iterator() {
        Set<Integer> all = numbers(below);
        all.addAll(late);
        return all.iterator();
      }

      @Override
      public int size() {
        return below + late.size();
      }
    };
  }

  private int coordinator() {
    List<PartitionState> partitions = cluster.awaitWhole(CreateGroupsTopic.NAME).partitions();
    return partitions.get(GroupRequests.partitionOf(group, partitions.size())).leader();
  }

  @Test
  void chosen_partitions_are_read_from_an_offset_a_time_the_start_and_the_end() {
    NumberedRecords records = cluster.createTopic(topic, 1);
    await(records.write(10));
    TopicPartition partition = new TopicPartition(topic, 0);

    assertEquals(List.of(4, 5), read(Subscriptions.assignmentWithOffset(partition, 4)));
    assertEquals(List.of(0, 1), read(Subscriptions.assignmentFromEarliest(partition)));
    assertEquals(
        List.of(0, 1),
        read(Subscriptions.assignmentOffsetsForTimes(Map.of(partition, Instant.EPOCH))));
    List<Integer> latest = new CopyOnWriteArrayList<>();
    Consumer.Control control =
        Consumer.plainSource(settings(), Subscriptions.assignmentFromLatest(partition))
            .toMat(Sink.foreach(record -> latest.add(record.value())), Keep.left())
            .run(system);
    cluster.awaitAssert(
        () -> {
          await(records.write(1));
          assertTrue(!latest.isEmpty());
        });
    assertTrue(latest.get(0) >= 10, latest::toString);
    await(control.shutdown());
  }

  private List<Integer> read(Subscription subscription) {
    return await(
        Consumer.plainSource(settings(), subscription)
            .take(2)
            .map(ConsumerRecord::value)
            .runWith(Sink.seq(), system));
  }

  @Test
  void a_record_that_is_none_fails_its_stream_and_is_skipped_by_one_that_resumes() {
    NumberedRecords records = cluster.createTopic(topic, 1);
    await(records.write(5));
    Deserializer<Integer> picky =
        (from, data) -> {
          int number = data.getInt();
          if (number == 2) {
            throw new IllegalArgumentException("not two");
          }
          return number;
        };
    ConsumerSettings<ByteBuffer, Integer> settings =
        ConsumerSettings.create(cluster.client(), Deserializer.byteBuffer(), picky);
    var source =
        Consumer.plainSource(
            settings, Subscriptions.assignmentFromEarliest(new TopicPartition(topic, 0)));

    CompletionException failure =
        assertThrows(CompletionException.class, () -> await(source.runWith(Sink.ignore(), system)));
    List<Integer> resumed =
        await(
            source
                .map(ConsumerRecord::value)
                .take(4)
                .withAttributes(
                    ActorAttributes.withSupervisionStrategy(Supervision.getResumingDecider()))
                .runWith(Sink.seq(), system));

    assertTrue(failure.getMessage().contains(topic + "-0 at offset 2"), failure::getMessage);
    assertEquals(List.of(0, 1, 3, 4), resumed);
  }

  @Test
  void the_internal_topic_is_not_to_be_created_by_hand() {
    CompletionException failure =
        assertThrows(
            CompletionException.class,
            () -> await(cluster.client().createTopic(CreateGroupsTopic.NAME, 1, 1, Map.of())));

    assertTrue(failure.getCause() instanceof TopicFailure, failure::toString);
  }

  @Test
  void a_member_hears_of_a_partition_before_it_has_a_record_of_it() {
    NumberedRecords records = cluster.createTopic(topic, 1);
    await(records.write(1));
    CountDownLatch read = new CountDownLatch(1);
    List<Boolean> early = new CopyOnWriteArrayList<>();

    Consumer.Control control =
        Consumer.committableSource(
                settings().withListener(event -> early.add(comes(read))),
                Subscriptions.topics(topic))
            .toMat(Sink.foreach(message -> read.countDown()), Keep.left())
            .run(system);

    cluster.awaitAssert(() -> assertEquals(0, read.getCount()));
    assertEquals(List.of(false), early);
    await(control.shutdown());
  }

  /** Within a moment. */
  private static boolean comes(CountDownLatch latch) {
    try {
      return latch.await(500, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void each_partition_has_a_source_of_its_own() {
    NumberedRecords records = cluster.createTopic(topic, PARTITIONS);
    await(records.write(60));
    Set<Integer> done = new ConcurrentSkipListSet<>();

    DrainingControl<Done> control =
        Consumer.committablePartitionedSource(settings(), Subscriptions.topics(topic))
            .mapAsyncUnordered(
                PARTITIONS,
                each ->
                    each.second()
                        .map(
                            (CommittableMessage<ByteBuffer, Integer> message) -> {
                              assertEquals(each.first().partition(), message.record().partition());
                              done.add(message.record().value());
                              return message.committableOffset();
                            })
                        .runWith(Committer.sink(committer()), system))
            .toMat(Sink.ignore(), Consumer::createDrainingControl)
            .run(system);

    awaitDone(done, 60);
    await(control.drainAndShutdown());
  }
}
