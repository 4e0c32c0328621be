package io.tidemark.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import akka.stream.javadsl.Sink;
import io.tidemark.client.PartitionReader;
import io.tidemark.client.Producer;
import io.tidemark.client.ProducerRecord;
import io.tidemark.client.ProducerSettings;
import io.tidemark.serialization.Serializer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** Numbers in their order, written to one partition and read back. */
final class Numbers implements AutoCloseable {
  private final TidemarkTestKit tidemark;
  private final String topic;
  private final Producer<String, String> producer;
  private int next;

  Numbers(TidemarkTestKit tidemark, String topic) {
    this.tidemark = tidemark;
    this.topic = topic;
    this.producer =
        Producer.create(
            ProducerSettings.create(tidemark.client(), Serializer.string(), Serializer.string()));
  }

  /** Completes when all of them are acknowledged. */
  CompletableFuture<Void> write(int count) {
    List<CompletableFuture<?>> results = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ProducerRecord<String, String> record =
          new ProducerRecord<>(topic, 0, null, Integer.toString(next++));
      results.add(producer.send(record).toCompletableFuture());
    }
    return CompletableFuture.allOf(results.toArray(CompletableFuture[]::new));
  }

  /** Each is there once, and in order. */
  void assertAllThere() {
    PartitionReader reader = TestNodes.await(tidemark.client().reader(topic, 0));
    List<String> found =
        TestNodes.await(
            reader
                .source(0)
                .take(next)
                .map(record -> StandardCharsets.UTF_8.decode(record.value()).toString())
                .runWith(Sink.seq(), tidemark.system()));
    assertEquals(IntStream.range(0, next).mapToObj(Integer::toString).toList(), found);
    assertEquals(next, TestNodes.await(reader.latest()));
    reader.close();
  }

  @Override
  public void close() {
    TestNodes.await(producer.close());
  }
}
