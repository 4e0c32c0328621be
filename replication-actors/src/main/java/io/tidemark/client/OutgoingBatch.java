package io.tidemark.client;

import io.tidemark.record.RecordBatchBuilder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Records of one partition that travel together. Once sent, its bytes never change. */
final class OutgoingBatch {
  final List<Long> tokens = new ArrayList<>();
  final long createdAt;
  RecordBatchBuilder builder;
  long recordBytes;
  ByteBuffer bytes;
  int baseSequence;
  long latestRequestId = -1;
  int sentTo = -1;
  long sentAt;

  OutgoingBatch(RecordBatchBuilder builder, long createdAt) {
    this.builder = builder;
    this.createdAt = createdAt;
  }

  int count() {
    return tokens.size();
  }
}
