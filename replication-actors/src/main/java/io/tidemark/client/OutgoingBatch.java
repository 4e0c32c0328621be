package io.tidemark.client;

import io.tidemark.client.ProducerEffect.Token;
import io.tidemark.record.RecordBatchBuilder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Records of one partition that travel together. Once sent, its bytes never change. */
final class OutgoingBatch {
  final List<Token> tokens = new ArrayList<>();
  final long createdAt;
  RecordBatchBuilder builder;
  ByteBuffer bytes;
  long latestRequestId = -1;
  int sentTo = -1;

  /** How often it was sent: what became of an earlier attempt is not known. */
  int attempts;

  long sentAt;

  /** Where it was written, −1 as long as that is not known. */
  long offset = -1;

  OutgoingBatch(RecordBatchBuilder builder, long createdAt) {
    this.builder = builder;
    this.createdAt = createdAt;
  }

  boolean isWritten() {
    return offset >= 0;
  }

  int count() {
    return tokens.size();
  }
}
