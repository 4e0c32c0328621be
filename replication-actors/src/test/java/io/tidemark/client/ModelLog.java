package io.tidemark.client;

import io.tidemark.protocol.ErrorCode;
import io.tidemark.record.RecordBatch;
import java.util.ArrayList;
import java.util.List;

/**
 * What a partition's leaders agree on: the tokens of its records in their order, and for the rules
 * of idempotence the batches that they came in. What is not committed may be lost with a leader.
 */
final class ModelLog {
  private static final int REMEMBERED = 5;

  /** A leader knows this many batches of each producer. */
  private record Appended(long producerId, int sequence, int count, long offset) {}

  private final List<Long> tokens = new ArrayList<>();
  private final List<Appended> batches = new ArrayList<>();
  private int committedBatches;
  int leader;
  int epoch = 1;

  ModelLog(int leader) {
    this.leader = leader;
  }

  /**
   * @param error NONE when the batch is in the log
   * @param end the offset behind it
   */
  record Verdict(ErrorCode error, long offset, long end) {}

  Verdict append(RecordBatch batch, List<Long> itsTokens) {
    List<Appended> known =
        batches.stream().filter(it -> it.producerId() == batch.producerId()).toList();
    if (batch.hasProducerId() && !known.isEmpty()) {
      for (Appended it : known.subList(Math.max(0, known.size() - REMEMBERED), known.size())) {
        if (it.sequence() == batch.baseSequence() && it.count() == batch.recordCount()) {
          return new Verdict(ErrorCode.NONE, it.offset(), it.offset() + it.count());
        }
      }
      Appended last = known.get(known.size() - 1);
      if (batch.baseSequence() != last.sequence() + last.count()) {
        return new Verdict(ErrorCode.OUT_OF_ORDER_SEQUENCE, -1, -1);
      }
    }
    long offset = tokens.size();
    batches.add(
        new Appended(batch.producerId(), batch.baseSequence(), batch.recordCount(), offset));
    tokens.addAll(itsTokens);
    return new Verdict(ErrorCode.NONE, offset, tokens.size());
  }

  void commit() {
    committedBatches = batches.size();
  }

  long committed() {
    return committedBatches == batches.size()
        ? tokens.size()
        : batches.get(committedBatches).offset();
  }

  int uncommittedBatches() {
    return batches.size() - committedBatches;
  }

  /**
   * @param lost how many of the youngest batches, none of them committed, the new leader lacks
   */
  void leaderIs(int newLeader, int lost) {
    leader = newLeader;
    epoch++;
    for (int i = 0; i < lost; i++) {
      Appended last = batches.remove(batches.size() - 1);
      tokens.subList((int) last.offset(), tokens.size()).clear();
    }
  }

  List<Long> tokens() {
    return tokens;
  }
}
