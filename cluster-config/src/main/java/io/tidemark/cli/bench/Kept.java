package io.tidemark.cli.bench;

import static io.tidemark.cli.local.Answers.await;

import io.tidemark.client.PartitionReader;
import io.tidemark.protocol.ProduceRequest.Acks;
import java.util.concurrent.TimeUnit;

/**
 * Whether the partitions have as many records as were acknowledged, by their offsets alone: what a
 * few seconds have written takes minutes to be read.
 *
 * @param lost acknowledged, but not there
 * @param duplicates there, but not sent
 */
record Kept(long lost, long duplicates) {
  private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final long LOOK_MILLIS = 100;

  static Kept of(BenchCluster cluster, String topic, Tally tally) throws Exception {
    long lost = 0;
    long duplicates = 0;
    long until = System.nanoTime() + SETTLE_NANOS;
    for (int partition = 0; partition < tally.partitions(); partition++) {
      PartitionReader reader = await(cluster.client().reader(topic, partition));
      long acknowledged = tally.acknowledgedOf(partition);
      long there = await(reader.latest());
      // Without acks=all the high watermark is behind what was acknowledged, for a moment.
      while (there < acknowledged && System.nanoTime() < until) {
        TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        there = await(reader.latest());
      }
      reader.close();
      lost += Math.max(0, acknowledged - there);
      duplicates += Math.max(0, there - acknowledged);
    }
    return new Kept(lost, Math.max(0, duplicates - tally.failed()));
  }

  /** Fewer acks promise less: what is missing then is told, and is no fault. */
  void addTo(Figures figures, Acks acks, Tally tally) {
    figures
        .add("failed", "failed", tally.failed(), 0)
        .add("lost", "lost", lost, 0)
        .add("duplicates", "duplicates", duplicates, 0)
        .faultIf(tally.failed() > 0, tally.failed() + " failed, first: " + tally.firstFailure())
        .faultIf(acks == Acks.ALL && lost > 0, lost + " acknowledged records are lost")
        .faultIf(acks == Acks.ALL && duplicates > 0, duplicates + " records are there twice");
  }
}
