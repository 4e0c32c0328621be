package io.tidemark.cluster;

import static io.tidemark.cluster.NumberedRecords.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.client.PartitionReader;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatches;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CloserReplicaClusterTest {
  private static final String TOPIC = "orders";

  @TempDir private Path dir;

  @Test
  void a_reader_is_served_in_its_own_rack_and_by_the_leader_when_that_replica_goes() {
    try (LocalCluster cluster = new LocalCluster(dir)) {
      NumberedRecords records = cluster.createTopic(TOPIC, 1);
      await(records.write(300));
      int leader = cluster.awaitWhole(TOPIC).partitions().get(0).leader();
      int closer = LocalCluster.IDS.stream().filter(id -> id != leader).findFirst().orElseThrow();
      PartitionReader reader =
          await(cluster.client().reader(TOPIC, 0, LocalCluster.rackOf(closer)));

      assertEquals(300, readTo(reader, 0, 300));
      assertEquals(closer, reader.servedBy());
      cluster.stop(closer);
      await(records.write(300));

      assertEquals(600, readTo(reader, 300, 600));
      assertNotEquals(closer, reader.servedBy());
    }
  }

  /** Reads on until there is nothing more to expect; the offset behind the last record. */
  private static long readTo(PartitionReader reader, long from, long to) {
    long next = from;
    while (next < to) {
      FetchResponse response = await(reader.fetch(next));
      List<RecordBatch> batches = RecordBatches.list(response.records().duplicate());
      for (RecordBatch batch : batches) {
        assertTrue(batch.baseOffset() <= next, "a gap at offset " + next);
        next = Math.max(next, Math.min(batch.nextOffset(), response.highWatermark()));
      }
    }
    return next;
  }
}
