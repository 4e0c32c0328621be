package io.tidemark.client;

import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.ProduceRequest;

/** What a producer's core wants done. */
sealed interface ProducerEffect {

  /** A record that was sent. */
  interface Token {
    /** Higher than that of any record or flush before it. */
    long number();
  }

  /** Send to the broker that leads the partition; the request's id comes back with the answer. */
  record SendBatch(long requestId, int leaderId, ProduceRequest request)
      implements ProducerEffect {}

  /** Somebody answered late or not at all: find the broker's replica anew before the next send. */
  record ForgetReplica(int partition, int brokerId) implements ProducerEffect {}

  record AskTopic() implements ProducerEffect {}

  record AskProducerId() implements ProducerEffect {}

  record Succeeded(Token token, int partition, long offset) implements ProducerEffect {}

  record Failed(Token token, ErrorCode error, int partition, boolean mayBeWritten, String reason)
      implements ProducerEffect {}

  /** All that was sent before the flush is settled. */
  record Flushed(long token) implements ProducerEffect {}
}
