package io.tidemark.simulation;

import io.tidemark.record.RecordBatch;
import java.nio.ByteBuffer;

/**
 * A batch as it lies in a log.
 *
 * @param chain tells the batch and all that lies before it; 0 when that is not known
 */
record Stored(
    long base,
    long end,
    int epoch,
    int crc,
    long producerId,
    short producerEpoch,
    int firstSequence,
    int lastSequence,
    long chain,
    ByteBuffer bytes) {

  /** What a log that begins at offset 0 is chained to. */
  static final long ROOT = 1;

  static Stored of(RecordBatch batch, long chainBefore) {
    long chain =
        chainBefore == 0
            ? 0
            : Chance.mix(
                    Chance.mix(chainBefore * 31 + batch.baseOffset())
                        + ((long) batch.crc() << 32)
                        + batch.leaderEpoch())
                | 1;
    boolean identified = batch.hasProducerId();
    return new Stored(
        batch.baseOffset(),
        batch.nextOffset(),
        batch.leaderEpoch(),
        batch.crc(),
        batch.producerId(),
        batch.producerEpoch(),
        batch.baseSequence(),
        identified ? batch.lastSequence() : -1,
        chain,
        batch.buffer());
  }

  RecordBatch batch() {
    return RecordBatch.at(bytes, bytes.position());
  }

  boolean isSame(Stored other) {
    return base == other.base && end == other.end && epoch == other.epoch && crc == other.crc;
  }

  @Override
  public String toString() {
    return "[%d, %d) of epoch %d (crc %08x)".formatted(base, end, epoch, crc);
  }
}
