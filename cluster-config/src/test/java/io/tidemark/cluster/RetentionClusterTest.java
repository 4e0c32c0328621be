package io.tidemark.cluster;

import static io.tidemark.cluster.NumberedRecords.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.client.PartitionReader;
import io.tidemark.client.Producer;
import io.tidemark.client.ProducerRecord;
import io.tidemark.client.ProducerSettings;
import io.tidemark.client.TopicDescription;
import io.tidemark.serialization.Serializer;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RetentionClusterTest {
  private static final String TOPIC = "orders";
  private static final int LARGE = 512 << 10;
  private static final long WRITTEN = 24L * LARGE;

  @TempDir private Path dir;
  private LocalCluster cluster;

  @BeforeEach
  void startCluster() {
    cluster =
        new LocalCluster(
            dir,
            Map.of(
                "tidemark.replication.retention-check-interval", "200 ms",
                "tidemark.storage.segment.max-size", "1 MiB"));
  }

  @AfterEach
  void stopCluster() {
    cluster.close();
  }

  private void writeLargeRecords() {
    Producer<ByteBuffer, ByteBuffer> producer =
        Producer.create(
            ProducerSettings.create(
                cluster.client(), Serializer.byteBuffer(), Serializer.byteBuffer()));
    List<CompletableFuture<?>> written = new ArrayList<>();
    for (int i = 0; i < WRITTEN / LARGE; i++) {
      ByteBuffer value = ByteBuffer.allocate(LARGE);
      written.add(producer.send(new ProducerRecord<>(TOPIC, 0, null, value)).toCompletableFuture());
    }
    await(CompletableFuture.allOf(written.toArray(CompletableFuture[]::new)));
  }

  private long earliest() {
    PartitionReader reader = await(cluster.client().reader(TOPIC, 0));
    long earliest = await(reader.earliest());
    reader.close();
    return earliest;
  }

  private void assertNodesHoldLessThan(long bytes) {
    for (int id : LocalCluster.IDS) {
      assertTrue(cluster.journalBytes(id) < bytes, () -> "node " + id + " has not shrunk");
    }
  }

  private void assertReplicaStartsAt(int broker, long offset) {
    TopicDescription topic = await(cluster.client().describeTopic(TOPIC));
    assertEquals(offset, await(cluster.client().describeReplica(topic, 0, broker)).startOffset());
  }

  @Test
  void retention_gives_disk_space_back_on_all_replicas_and_the_rest_is_read_also_after_a_restart() {
    // More than a producer has in flight: a replica that starts anew at the log's start can tell
    // each of its retries from a gap.
    cluster.createTopic(TOPIC, 1, Map.of("retention-bytes", String.valueOf(4 << 20)));
    writeLargeRecords();

    cluster.awaitAssert(() -> assertTrue(earliest() >= 14, () -> "starts at " + earliest()));
    cluster.awaitAssert(() -> assertNodesHoldLessThan(WRITTEN * 3 / 4));
    LocalCluster.IDS.forEach(
        id -> {
          cluster.stop(id);
          cluster.start(id);
          cluster.awaitWhole(TOPIC);
        });
    writeLargeRecords();

    long from = earliest();
    PartitionReader reader = await(cluster.client().reader(TOPIC, 0));
    assertTrue(from >= 14);
    assertEquals(48, await(reader.latest()));
    assertTrue(await(reader.fetch(47)).records().hasRemaining());
  }

  @Test
  void deleted_records_are_gone_on_all_replicas_and_what_stays_is_found_by_its_time() {
    cluster.createTopic(TOPIC, 1, Map.of());
    Instant before = Instant.now();
    writeLargeRecords();

    assertEquals(20, await(cluster.client().deleteRecords(TOPIC, 0, 20)));
    cluster.awaitAssert(() -> LocalCluster.IDS.forEach(id -> assertReplicaStartsAt(id, 20)));
    cluster.awaitAssert(() -> assertNodesHoldLessThan(WRITTEN / 2));

    PartitionReader reader = await(cluster.client().reader(TOPIC, 0));
    assertEquals(OptionalLong.of(20), await(reader.firstSince(before)));
    assertEquals(OptionalLong.empty(), await(reader.firstSince(Instant.now().plusSeconds(60))));
  }
}
