package io.tidemark.cli.bench;

import static io.tidemark.cli.local.Answers.await;

import io.tidemark.client.PartitionReader;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.record.Record;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatches;
import java.util.BitSet;

/** Remembers which records were acknowledged, by number, and when there were gaps. */
final class NumberedTally extends Tally {
  private final BitSet numbers = new BitSet();
  private final Gaps gaps;

  NumberedTally(int partitions, long now) {
    super(partitions);
    this.gaps = new Gaps(partitions, now);
  }

  @Override
  void acknowledged(long number, long since, long now) {
    super.acknowledged(number, since, now);
    gaps.acknowledged((int) (number % partitions()), now);
    synchronized (numbers) {
      numbers.set(Math.toIntExact(number));
    }
  }

  Gaps gaps() {
    return gaps;
  }

  /** Reads everything: each acknowledged record must be there, once. */
  Kept readBack(BenchCluster cluster, String topic) throws Exception {
    BitSet seen = new BitSet();
    long duplicates = 0;
    for (int partition = 0; partition < partitions(); partition++) {
      cluster.progress().show("reading back", partition, partitions());
      PartitionReader reader = await(cluster.client().reader(topic, partition));
      long end = await(reader.latest());
      for (long next = 0; next < end; ) {
        FetchResponse response = await(reader.fetch(next));
        for (RecordBatch batch : RecordBatches.list(response.records().duplicate())) {
          batch.validate();
          for (Record record : batch.records()) {
            duplicates += see(seen, record);
          }
          next = batch.nextOffset();
        }
      }
      reader.close();
    }
    return new Kept(missing(seen), duplicates);
  }

  /** Returns 1 for a record that was there before. */
  private static int see(BitSet seen, Record record) {
    int number = Math.toIntExact(record.key().getLong(record.key().position()));
    boolean again = seen.get(number);
    seen.set(number);
    return again ? 1 : 0;
  }

  /** How many of those acknowledged are not among the others. */
  long missing(BitSet seen) {
    synchronized (numbers) {
      BitSet missing = (BitSet) numbers.clone();
      missing.andNot(seen);
      return missing.cardinality();
    }
  }
}
