package io.tidemark.client;

import java.nio.ByteBuffer;
import java.util.function.IntPredicate;

/**
 * Chooses partitions: by the key's hash, as Kafka's clients do, or for records without a key one
 * after the other, staying with each until its batch is full or has left (KIP-480).
 */
final class Partitioner {
  private static final int SEED = 0x9747b28c;
  private static final int M = 0x5bd1e995;

  private int sticky;

  /**
   * @param first where records without a key begin, from 0: different for each producer, so that
   *     those of many short-lived ones spread
   */
  Partitioner(int first) {
    this.sticky = first;
  }

  /** Whether the record may go to any partition. */
  static boolean isFree(ProducerRecord<?, ?> record) {
    return record.key() == null && record.partition() < 0;
  }

  int choose(ProducerRecord<ByteBuffer, ?> record, int partitions, IntPredicate hasLeader) {
    if (record.partition() >= 0) {
      return record.partition();
    }
    if (record.key() != null) {
      return (murmur2(record.key()) & Integer.MAX_VALUE) % partitions;
    }
    int now = sticky % partitions;
    return hasLeader.test(now) ? now : next(partitions, hasLeader);
  }

  /** Where records without a key go on: past the partitions that have no leader, if any has one. */
  int next(int partitions, IntPredicate hasLeader) {
    int last = sticky % partitions;
    for (int i = 1; i <= partitions; i++) {
      sticky = (last + i) % partitions;
      if (hasLeader.test(sticky)) {
        return sticky;
      }
    }
    sticky = (last + 1) % partitions;
    return sticky;
  }

  /** Austin Appleby's MurmurHash2, 32 bits, with the seed that Kafka uses. */
  static int murmur2(ByteBuffer key) {
    int start = key.position();
    int length = key.remaining();
    int h = SEED ^ length;
    int at = start;
    for (; at + 4 <= start + length; at += 4) {
      int k =
          (key.get(at) & 0xff)
              | (key.get(at + 1) & 0xff) << 8
              | (key.get(at + 2) & 0xff) << 16
              | (key.get(at + 3) & 0xff) << 24;
      k *= M;
      k ^= k >>> 24;
      h = h * M ^ k * M;
    }
    int left = start + length - at;
    if (left > 0) {
      for (int i = left - 1; i >= 0; i--) {
        h ^= (key.get(at + i) & 0xff) << 8 * i;
      }
      h *= M;
    }
    h ^= h >>> 13;
    h *= M;
    return h ^ h >>> 15;
  }
}
