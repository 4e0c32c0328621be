package io.tidemark.multijvm;

import static io.tidemark.cluster.NumberedRecords.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.stream.javadsl.Sink;
import io.tidemark.client.ConsumerRecord;
import io.tidemark.client.PartitionReader;
import io.tidemark.client.Producer;
import io.tidemark.client.ProducerRecord;
import io.tidemark.client.ProducerSettings;
import io.tidemark.client.TidemarkClient;
import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.serialization.Serializer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * What a partition promised to keep: the records that were acknowledged with acks=all, by their
 * offsets. Each record has its writer's name and a number that rises.
 */
final class Ledger {
  private final ConductedCluster cluster;
  private final String topic;
  private final int partition;
  private final Map<Long, String> promised = new ConcurrentSkipListMap<>();

  Ledger(ConductedCluster cluster, String topic, int partition) {
    this.cluster = cluster;
    this.topic = topic;
    this.partition = partition;
  }

  /** One producer; what it writes with fewer acks than all is no promise. */
  final class Writer {
    private final String name;
    private final Producer<ByteBuffer, ByteBuffer> producer;
    private final boolean promises;
    private int next;

    private Writer(String name, TidemarkClient client, Acks acks, Duration deliveryTimeout) {
      this.name = name;
      this.producer =
          Producer.create(
              ProducerSettings.create(client, Serializer.byteBuffer(), Serializer.byteBuffer())
                  .withAcks(acks)
                  .withDeliveryTimeout(deliveryTimeout));
      this.promises = acks == Acks.ALL;
    }

    /** Completes when all are acknowledged; fails with the first that is not. */
    CompletableFuture<Void> write(int count) {
      List<CompletableFuture<?>> results = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        String text = name + " " + next++;
        ByteBuffer value = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        results.add(
            producer
                .send(new ProducerRecord<>(topic, partition, null, value))
                .thenAccept(written -> acknowledged(written.offset(), text))
                .toCompletableFuture());
      }
      return CompletableFuture.allOf(results.toArray(CompletableFuture[]::new));
    }

    private void acknowledged(long offset, String text) {
      if (promises) {
        String other = promised.put(offset, text);
        assertTrue(other == null, offset + " is said to be of " + other + " and of " + text);
      }
    }
  }

  Writer writer(String name, TidemarkClient client) {
    return writer(name, client, Acks.ALL, Duration.ofSeconds(120));
  }

  Writer writer(String name, TidemarkClient client, Acks acks, Duration deliveryTimeout) {
    return new Writer(name, client, acks, deliveryTimeout);
  }

  /** How many records were acknowledged. */
  int size() {
    return promised.size();
  }

  /**
   * Every acknowledged record is at its offset, and each writer's records are there once and in
   * order: at the leader, and on each of these nodes.
   *
   * @return all records, as the leader has them
   */
  List<ConsumerRecord<ByteBuffer, ByteBuffer>> assertKept(List<Integer> nodes) {
    PartitionReader leader = await(cluster.client().reader(topic, partition));
    long end = await(leader.latest());
    List<ConsumerRecord<ByteBuffer, ByteBuffer>> records = read(leader, end);
    Map<Long, String> found = new TreeMap<>();
    records.forEach(record -> found.put(record.offset(), textOf(record)));
    Map<Long, String> kept = new TreeMap<>(found);
    kept.keySet().retainAll(promised.keySet());
    assertEquals(Map.copyOf(promised), Map.copyOf(kept), "what was acknowledged, by offset");
    assertOnceAndInOrder(found);
    for (int node : nodes) {
      PartitionReader reader = await(cluster.client().replicaReader(topic, partition, node));
      List<ConsumerRecord<ByteBuffer, ByteBuffer>> copy = read(reader, end);
      assertEquals(node, reader.servedBy());
      assertEquals(records, copy, "node " + node);
    }
    return records;
  }

  private List<ConsumerRecord<ByteBuffer, ByteBuffer>> read(PartitionReader reader, long end) {
    List<ConsumerRecord<ByteBuffer, ByteBuffer>> records =
        await(
            reader
                .source(0)
                .takeWhile(record -> record.offset() < end - 1, true)
                .runWith(Sink.seq(), cluster.system().classicSystem()));
    reader.close();
    return records;
  }

  private static void assertOnceAndInOrder(Map<Long, String> found) {
    Map<String, Integer> last = new HashMap<>();
    found.forEach(
        (offset, text) -> {
          String writer = text.substring(0, text.lastIndexOf(' '));
          int number = Integer.parseInt(text.substring(writer.length() + 1));
          Integer before = last.put(writer, number);
          assertTrue(
              before == null || before < number,
              () -> "offset %d has '%s' behind number %d".formatted(offset, text, before));
        });
  }

  private static String textOf(ConsumerRecord<ByteBuffer, ByteBuffer> record) {
    return StandardCharsets.UTF_8.decode(record.value().duplicate()).toString();
  }
}
