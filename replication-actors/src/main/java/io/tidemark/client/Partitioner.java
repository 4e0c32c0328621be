package io.tidemark.client;

import java.nio.ByteBuffer;

/**
 * Chooses partitions: by the key's hash, as Kafka's clients do, or one after the other, staying
 * with each for a whole batch.
 */
final class Partitioner {
  private static final int SEED = 0x9747b28c;
  private static final int M = 0x5bd1e995;

  private int sticky;

  int choose(ProducerRecord record, int partitions) {
    if (record.partition() >= 0) {
      return record.partition();
    }
    return record.key() == null
        ? Math.floorMod(sticky, partitions)
        : (murmur2(record.key()) & 0x7fffffff) % partitions;
  }

  /** The batch is full: records without a key go on to the next partition. */
  void batchClosed() {
    sticky++;
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
