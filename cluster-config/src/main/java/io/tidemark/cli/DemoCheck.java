package io.tidemark.cli;

import static io.tidemark.cli.local.Answers.await;

import io.tidemark.cli.local.Progress;
import io.tidemark.client.PartitionReader;
import io.tidemark.client.TidemarkClient;
import io.tidemark.client.TopicDescription;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.record.Record;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatches;
import io.tidemark.wire.ReplicaMessage;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.BitSet;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Reads everything back and compares it with the ledger, and the replicas with each other. */
final class DemoCheck {
  private static final long CATCH_UP_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final TidemarkClient client;
  private final TopicDescription topic;
  private final DemoLedger ledger;
  private long read;
  private long lost;
  private long duplicated;
  private long reordered;
  private long strange;
  private long truncated;
  private boolean identical = true;

  DemoCheck(TidemarkClient client, TopicDescription topic, DemoLedger ledger) {
    this.client = client;
    this.topic = topic;
    this.ledger = ledger;
  }

  void run(Progress progress) throws Exception {
    for (int partition = 0; partition < topic.partitions().size(); partition++) {
      progress.show("reading back", partition, topic.partitions().size());
      PartitionReader reader = await(client.reader(topic.topic(), partition));
      long end = await(reader.latest());
      compare(partition, reader, end);
      reader.close();
      compareReplicas(partition, end);
    }
  }

  private void compare(int partition, PartitionReader reader, long end) throws Exception {
    BitSet expected = ledger.acknowledgedOf(partition);
    BitSet seen = new BitSet();
    long last = -1;
    for (long next = 0; next < end; ) {
      FetchResponse response = await(reader.fetch(next));
      for (RecordBatch batch : RecordBatches.list(response.records().duplicate())) {
        batch.validate();
        for (Record record : batch.records()) {
          long number = record.key() == null ? -1 : record.key().getLong(record.key().position());
          byte[] value = new byte[record.value().remaining()];
          record.value().duplicate().get(value);
          if (!ledger.isRecord(number, partition, value)) {
            strange++;
          } else if (seen.get((int) number)) {
            duplicated++;
          } else {
            read++;
            seen.set((int) number);
            reordered += number < last ? 1 : 0;
            last = number;
          }
        }
        next = batch.nextOffset();
      }
    }
    expected.andNot(seen);
    lost += expected.cardinality();
  }

  private void compareReplicas(int partition, long end) throws Exception {
    Set<String> contents = new HashSet<>();
    for (int broker : topic.partitions().get(partition).replicas()) {
      PartitionReader reader = await(client.replicaReader(topic.topic(), partition, broker));
      contents.add(contentOf(reader, end));
      reader.close();
      ReplicaMessage.Described replica = await(client.describeReplica(topic, partition, broker));
      truncated += replica.truncatedRecords();
    }
    identical &= contents.size() == 1;
  }

  /** A digest of the replica's batches, byte for byte, offsets and epochs included. */
  private static String contentOf(PartitionReader reader, long end) throws Exception {
    MessageDigest digest = sha256();
    long until = System.nanoTime() + CATCH_UP_NANOS;
    long next = 0;
    while (next < end) {
      FetchResponse response = await(reader.fetch(next));
      for (RecordBatch batch : RecordBatches.list(response.records().duplicate())) {
        digest.update(batch.buffer().duplicate());
        next = batch.nextOffset();
      }
      if (System.nanoTime() > until) {
        return "incomplete at offset " + next;
      }
    }
    return HexFormat.of().formatHex(digest.digest()) + " up to " + next;
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  static ByteBuffer keyOf(int record) {
    return ByteBuffer.allocate(Long.BYTES).putLong(0, record);
  }

  long read() {
    return read;
  }

  /** Acknowledged, and not there. */
  long lost() {
    return lost;
  }

  long duplicated() {
    return duplicated;
  }

  long reordered() {
    return reordered;
  }

  /** Read, but never sent. */
  long strange() {
    return strange;
  }

  long truncated() {
    return truncated;
  }

  boolean replicasIdentical() {
    return identical;
  }
}
