package io.tidemark.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import akka.actor.typed.ActorSystem;
import akka.stream.javadsl.Sink;
import io.tidemark.client.ConsumerRecord;
import io.tidemark.client.PartitionReader;
import io.tidemark.client.Producer;
import io.tidemark.client.ProducerRecord;
import io.tidemark.client.ProducerSettings;
import io.tidemark.client.TidemarkClient;
import io.tidemark.serialization.Serializer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;

/** Numbers written to a topic, dealt out over its partitions, and what was acknowledged of them. */
public final class NumberedRecords {
  private static final long PATIENCE_SECONDS = 90;

  private final ActorSystem<?> system;
  private final TidemarkClient client;
  private final String topic;
  private final int partitions;
  private final Producer<ByteBuffer, ByteBuffer> producer;
  private final Set<Integer> acknowledged = new ConcurrentSkipListSet<>();
  private int next;

  public NumberedRecords(
      ActorSystem<?> system, TidemarkClient client, String topic, int partitions) {
    this.system = system;
    this.client = client;
    this.topic = topic;
    this.partitions = partitions;
    this.producer =
        Producer.create(
            ProducerSettings.create(client, Serializer.byteBuffer(), Serializer.byteBuffer()));
  }

  /** Completes when all of them are acknowledged. */
  public CompletableFuture<Void> write(int count) {
    List<CompletableFuture<?>> results = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int number = next++;
      ByteBuffer value = ByteBuffer.allocate(Integer.BYTES).putInt(0, number);
      results.add(
          producer
              .send(new ProducerRecord<>(topic, number % partitions, null, value))
              .thenAccept(written -> acknowledged.add(number))
              .toCompletableFuture());
    }
    return CompletableFuture.allOf(results.toArray(CompletableFuture[]::new));
  }

  public int acknowledged() {
    return acknowledged.size();
  }

  /** Every acknowledged number is there, once, and each partition has its numbers in order. */
  public void assertAllThere() {
    Set<Integer> missing = new TreeSet<>(acknowledged);
    for (int partition = 0; partition < partitions; partition++) {
      List<Integer> found = read(partition);
      assertEquals(List.copyOf(new TreeSet<>(found)), found, "partition " + partition);
      found.forEach(missing::remove);
    }
    assertEquals(Set.of(), missing, "acknowledged, and not there");
  }

  private List<Integer> read(int partition) {
    PartitionReader reader = await(client.reader(topic, partition));
    long end = await(reader.latest());
    List<ConsumerRecord<ByteBuffer, ByteBuffer>> records =
        await(reader.source(0).take(end).runWith(Sink.seq(), system.classicSystem()));
    reader.close();
    return records.stream().map(it -> it.value().getInt(it.value().position())).toList();
  }

  /** The answer; a failure fails the test. */
  public static <T> T await(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
  }
}
