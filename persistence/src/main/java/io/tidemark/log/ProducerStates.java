package io.tidemark.log;

import io.tidemark.record.RecordBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.pcollections.HashTreePMap;
import org.pcollections.PMap;

/**
 * What idempotent producers wrote last, rebuilt from the log so that a retry is recognised after
 * any fail-over (KIP-98).
 *
 * <p>Immutable. Batches at or above the high watermark are all remembered, since a truncation may
 * take them back; below it the last {@link #REMEMBERED} per producer.
 */
public final class ProducerStates {
  /** A producer has at most this many batches in flight, so an older one is never sent again. */
  public static final int REMEMBERED = 5;

  /** More producers than this: the one that has been silent longest is forgotten. */
  static final int MAX_PRODUCERS = 10_000;

  /** One batch of a producer. Sequences wrap at 2³¹−1. */
  public record Batch(
      short producerEpoch, int firstSequence, int lastSequence, long baseOffset, long lastOffset) {}

  /** What a leader has to do with a batch. */
  public sealed interface Verdict {
    /** It is next in line. */
    record Accept() implements Verdict {}

    /** It is in the log already. */
    record Duplicate(long baseOffset, long lastOffset) implements Verdict {}

    /** It skips or repeats sequences. */
    record OutOfOrder(int expected) implements Verdict {}

    /** Its producer was replaced by one with a newer epoch. */
    record Fenced(short currentEpoch) implements Verdict {}
  }

  public static final ProducerStates EMPTY = new ProducerStates(HashTreePMap.empty());
  private static final Verdict ACCEPT = new Verdict.Accept();

  private final PMap<Long, List<Batch>> producers;

  private ProducerStates(PMap<Long, List<Batch>> producers) {
    this.producers = producers;
  }

  static ProducerStates of(Map<Long, List<Batch>> producers) {
    return new ProducerStates(HashTreePMap.from(producers));
  }

  Map<Long, List<Batch>> asMap() {
    return producers;
  }

  /** The rules of idempotence for the next batch of its producer. */
  public Verdict check(RecordBatch batch) {
    List<Batch> known = batch.hasProducerId() ? producers.get(batch.producerId()) : null;
    if (known == null) {
      return ACCEPT;
    }
    Batch last = known.get(known.size() - 1);
    if (batch.producerEpoch() < last.producerEpoch()) {
      return new Verdict.Fenced(last.producerEpoch());
    }
    if (batch.producerEpoch() > last.producerEpoch()) {
      return batch.baseSequence() == 0 ? ACCEPT : new Verdict.OutOfOrder(0);
    }
    for (Batch earlier : known) {
      if (earlier.producerEpoch() == batch.producerEpoch()
          && earlier.firstSequence() == batch.baseSequence()
          && earlier.lastSequence() == batch.lastSequence()) {
        return new Verdict.Duplicate(earlier.baseOffset(), earlier.lastOffset());
      }
    }
    int expected = last.lastSequence() == Integer.MAX_VALUE ? 0 : last.lastSequence() + 1;
    return batch.baseSequence() == expected ? ACCEPT : new Verdict.OutOfOrder(expected);
  }

  /**
   * @param baseOffset where the batch lies, or will lie, in the log
   * @param highWatermark what lies below can never be truncated
   */
  public ProducerStates append(RecordBatch batch, long baseOffset, long highWatermark) {
    if (!batch.hasProducerId()) {
      return this;
    }
    List<Batch> known = producers.getOrDefault(batch.producerId(), List.of());
    int committed = 0;
    for (Batch earlier : known) {
      committed += earlier.lastOffset() < highWatermark ? 1 : 0;
    }
    int forgotten = Math.max(0, committed - REMEMBERED);
    List<Batch> next = new ArrayList<>(known.subList(forgotten, known.size()));
    next.add(
        new Batch(
            batch.producerEpoch(),
            batch.baseSequence(),
            batch.lastSequence(),
            baseOffset,
            baseOffset + batch.lastOffsetDelta()));
    PMap<Long, List<Batch>> room = producers;
    if (known.isEmpty() && producers.size() >= MAX_PRODUCERS) {
      room = room.minus(longestSilent());
    }
    return new ProducerStates(room.plus(batch.producerId(), List.copyOf(next)));
  }

  public ProducerStates truncateFromEnd(long endOffset) {
    PMap<Long, List<Batch>> kept = producers;
    for (Map.Entry<Long, List<Batch>> producer : producers.entrySet()) {
      List<Batch> below =
          producer.getValue().stream().filter(batch -> batch.lastOffset() < endOffset).toList();
      if (below.isEmpty()) {
        kept = kept.minus(producer.getKey());
      } else if (below.size() < producer.getValue().size()) {
        kept = kept.plus(producer.getKey(), below);
      }
    }
    return new ProducerStates(kept);
  }

  private Long longestSilent() {
    Long silent = null;
    long lowest = Long.MAX_VALUE;
    for (Map.Entry<Long, List<Batch>> producer : producers.entrySet()) {
      long offset = producer.getValue().get(producer.getValue().size() - 1).lastOffset();
      if (offset < lowest) {
        lowest = offset;
        silent = producer.getKey();
      }
    }
    return silent;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ProducerStates that && producers.equals(that.producers);
  }

  @Override
  public int hashCode() {
    return producers.hashCode();
  }
}
